# ruff: noqa: INP001 - part of a script, not of a package
"""What is wrong with the built pages: dead links, missing anchors, anything that comes from another host."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
RELATIONS = {"canonical", "edit", "prev", "next"}  # links that load nothing


class Page(HTMLParser):
    """Where a page leads, what it loads, and where it can be led to."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, links and what is loaded."""
        known = {name: value for name, value in attrs if value is not None}
        self.ids.update(value for name in ("id", "name") if (value := known.get(name)))
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        for name, value in known.items():
            if (tag, name) in LOADS and known.get("rel") not in RELATIONS:
                self.loads.append(value)


def complaints(folder: Path) -> list[str]:
    """One line for each thing that is wrong, none if the site is whole."""
    pages = {path: read(path) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        return [f"{folder} has no pages"]
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        if path.name == "404.html":
            continue
        for link in page.loads:
            found += (
                [f"{name} loads {link} from elsewhere"] if urlparse(link).netloc else dead(link, path, pages, folder)
            )
        for link in page.links:
            found += [] if urlparse(link).scheme else dead(link, path, pages, folder)
    return found


def dead(link: str, path: Path, pages: dict[Path, Page], folder: Path) -> list[str]:
    """What is wrong with a link within the site."""
    where, anchor = urldefrag(link)
    meant = (path.parent / unquote(where)).resolve() if where else path
    meant = meant / "index.html" if meant.is_dir() else meant
    name = path.relative_to(folder).as_posix()
    if not meant.exists():
        return [f"{name} leads to {link}, which is not there"]
    if anchor and meant in pages and unquote(anchor) not in pages[meant].ids:
        return [f"{name} leads to {link}, and there is no such heading"]
    return []


def read(path: Path) -> Page:
    """One page, parsed."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page
