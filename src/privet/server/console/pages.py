"""Pages: templates, filled with views and texts. Whatever is filled in is escaped."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from privet.server.console.charts.marks import icon, key
from privet.server.console.texts import Texts

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"


class Pages:
    """The templates of the console in one language.

    Args:
        texts: what they say.
    """

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self._templates = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._templates.globals.update(t=texts, icon=icon, key=key, version=version())
        self._templates.filters["urlpath"] = lambda text: quote(str(text), safe="")

    def render(self, name: str, values: Mapping[str, object]) -> str:
        """A page, or a part of one."""
        return self._templates.get_template(name).render(values)


@lru_cache
def version() -> str:
    """A name that changes with the static files, so that browsers may keep them."""
    every = b"".join(each.read_bytes() for each in sorted(STATIC.iterdir()) if each.is_file())
    return hashlib.sha256(every).hexdigest()[:16]
