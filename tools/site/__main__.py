# ruff: noqa: INP001 - a script, not a package
"""Build the site: docs/ and what follows from the source, as pages that need no network.

    python tools/site                      into build/site/html, with pictures of all examples
    python tools/site --no-pictures        quicker: the gallery shows what was drawn last time, or nothing
    python tools/site --out FOLDER         somewhere else
    python tools/site --check              only check what is there: links, anchors, nothing loaded from elsewhere

Markdown in docs/ stays the source. Added to it are the reference (from docstrings), the gallery (from examples/), the
matrix of engines (from their tests), `llms.txt` and a Markdown twin of each page. A warning, a dead link or anything
that would be fetched from another host ends it with exit code 1.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(Path(__file__).parent)]

from checks import complaints  # noqa: E402 - the path is set above
from commands import commands_page  # noqa: E402 - the path is set above
from figures import figures_page  # noqa: E402 - the path is set above
from gallery import gallery_pages  # noqa: E402 - the path is set above
from generator import built  # noqa: E402 - the path is set above
from llms import llms_text, twins  # noqa: E402 - the path is set above
from matrix import matrix_page  # noqa: E402 - the path is set above
from navigation import navigation  # noqa: E402 - the path is set above
from pages import gathered, title_of  # noqa: E402 - the path is set above
from reference import reference_pages  # noqa: E402 - the path is set above

WORK = ROOT / "build" / "site"


def main() -> int:
    """Build, check, and return the exit code."""
    options = parsed()
    out = Path(options.out).resolve()
    begun = time.monotonic()
    if not options.check:
        made = source(pictures=options.pictures)
        wrong = built(made, out, navigation({page: title_of(text) for page, text in made.items()}))
        if wrong:
            return told(wrong)
        twins(made, out)
        (out / "llms.txt").write_text(llms_text(made), encoding="utf-8")
    wrong = complaints(out)
    if wrong:
        return told(wrong)
    pages = sum(1 for _ in out.rglob("*.html"))
    say(f"{out}: {pages} pages without a dead link, in {time.monotonic() - begun:.0f} s")
    return 0


def source(*, pictures: bool) -> dict[str, str]:
    """Every page by its path, as Markdown; static files are laid beside them."""
    folder = WORK / "docs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = gathered(ROOT, folder)
    pages |= reference_pages(ROOT / "src")
    pages |= gallery_pages(ROOT, folder, WORK / "pictures", draw=pictures)
    pages["reference/commands.md"] = commands_page()
    pages["reference/engines.md"] = matrix_page()
    pages["figures.md"] = figures_page(folder)
    return pages


def parsed() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="tools/site", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", default=str(WORK / "html"), metavar="FOLDER")
    parser.add_argument("--no-pictures", dest="pictures", action="store_false")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def told(wrong: list[str]) -> int:
    """Say what is wrong; the exit code of that."""
    say("\n".join(wrong))
    say(f"{len(wrong)} complaints: the site is not built")
    return 1


def say(text: str) -> None:
    """Print, for it is a script."""
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
