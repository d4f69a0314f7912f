"""Steps: the pages of the first run: who the owner is, where the data is, who is protected, what is known, how much."""

import hmac
import math
from collections.abc import Awaitable, Callable, Mapping
from fractions import Fraction
from pathlib import Path

from starlette.responses import Response

from privet.errors import InvalidParameter, PrivetError
from privet.loss.exact import shortest
from privet.server.console.charts.beliefs import belief_words, posterior
from privet.server.console.guard import FORM
from privet.server.console.routes.route import Page, away
from privet.server.console.routes.sign import twice
from privet.server.console.setup.draft import TYPES, Draft
from privet.server.console.views.amounts import number_words, typed_number
from privet.server.console.visit import SESSION, Visit
from privet.server.people import Person, Role, TokenScope
from privet.server.people.secret import new_secret
from privet.wording.printable import printable
from privet.wording.shown_value import shown_margin

LIMITS = ("1", "3")
ADMITTED = (("look", 30), ("report", 10), ("few", 3))
KINDS = ("files", "duckdb", "postgresql")
DEMO = "demo"
LONGEST = 60  # letters of a file's name


class Steps:
    """What was said so far, and the pages that ask for the rest.

    Args:
        folder: where the data is, and where the catalog will be; nothing outside it is looked at.
        code: that whoever started the server was shown.
        ready: opens what a catalog declares; raises what is wrong with it.
        invent: writes an invented dataset into a folder and returns its catalog; None if there is none.

    Privacy: names and types of columns are read, and nothing else of the data: not a row, not how many there are.
    """

    def __init__(
        self,
        folder: Path,
        code: str,
        ready: Callable[[Path], Awaitable[None]],
        invent: Callable[[Path], Path] | None,
    ) -> None:
        self._folder = folder.resolve()
        self._code = code
        self._ready = ready
        self._invent = invent
        self._draft = Draft()
        self._demo: Path | None = None

    @property
    def pages(self) -> tuple[Page, ...]:
        """Every address of the first run."""
        own = TokenScope.OWN
        return (
            Page("/", self.begin, None),
            Page("/setup", self.you, None),
            Page("/setup/you", self.take_you, None, ("POST",)),
            Page("/sign-in", self.begin, None),
            Page("/setup/data", self.data, own),
            Page("/setup/data", self.take_data, own, ("POST",)),
            Page("/setup/unit", self.unit, own),
            Page("/setup/unit", self.take_unit, own, ("POST",)),
            Page("/setup/columns", self.columns, own),
            Page("/setup/columns", self.take_columns, own, ("POST",)),
            Page("/setup/limit", self.limit, own),
            Page("/setup/limit", self.take_limit, own, ("POST",)),
        )

    async def begin(self, visit: Visit) -> Response:
        """To the first step that is not done."""
        return visit.to("/setup" if visit.person is None else "/setup/data")

    # --- who the owner is -----------------------------------------------------------------------------------------

    async def you(self, visit: Visit) -> Response:
        """The first page."""
        if visit.person is not None:
            return visit.to("/setup/data")
        return visit.page("setup-0.html", step=0, form={"code": visit.request.query_params.get("code", ""), "name": ""})

    async def take_you(self, visit: Visit) -> Response:
        """Make the owner's account; only who has the code may."""
        t, people = visit.doors.pages.texts, visit.doors.people
        code, name = visit.said("code").strip(), visit.said("name").strip()
        try:
            self._refuse_code(t.plain("setup.code_wrong"), code)
            person = await away(self._owner, visit, name, twice(visit))
        except PrivetError as problem:
            form = {"code": code, "name": name}
            return visit.page("setup-0.html", status=422, step=0, form=form, error=printable(problem))
        secret = await away(people.begin_session, person)
        visit.fresh = False
        return visit.keep(visit.keep(visit.to("/setup/data"), SESSION, secret), FORM, new_secret())

    def _refuse_code(self, sentence: str, code: str) -> None:
        if not hmac.compare_digest(code.encode("utf-8", "replace"), self._code.encode()):
            raise InvalidParameter(sentence)

    @staticmethod
    def _owner(visit: Visit, name: str, password: str) -> Person:
        """The owner: new, or who began before and has the password."""
        people, t = visit.doors.people, visit.doors.pages.texts
        if people.named(name) is None:
            return people.add(name, role=Role.OWNER, password=password)
        found = people.by_password(name, password)
        if found is None or found.role is not Role.OWNER:
            raise InvalidParameter(t.plain("sign.wrong"))
        return found

    # --- where the data is ----------------------------------------------------------------------------------------

    async def data(self, visit: Visit) -> Response:
        """Where is it?"""
        return self._data(visit, {"kind": "files", "place": "", "dataset": ""})

    def _data(self, visit: Visit, form: Mapping[str, str], *, status: int = 200, error: str = "") -> Response:
        kinds = KINDS if self._invent is None else (*KINDS, DEMO)
        return visit.page("setup-1.html", status=status, step=1, form=form, kinds=kinds, error=error)

    async def take_data(self, visit: Visit) -> Response:
        """Read names and types."""
        form = {name: visit.said(name).strip() for name in ("kind", "place", "dataset")}
        self._demo = None
        try:
            if form["kind"] == DEMO and self._invent is not None:
                self._demo = await away(self._invented, self._invent)
                return await self._open(visit, self._demo, step=1)
            place = self._place(visit, form["kind"], form["place"])
            self._draft = Draft()
            await away(self._draft.take_data, place, folder=self._folder, name=form["dataset"])
        except PrivetError as problem:
            return self._data(visit, form, status=422, error=self._said(problem))
        return visit.to("/setup/unit")

    def _invented(self, invent: Callable[[Path], Path]) -> Path:
        """The catalog of the invented dataset; the one of before, if it was invented already."""
        folder = self._folder / "invented"
        made = sorted(folder.glob("*.toml"))
        return made[0] if made else invent(folder)

    def _place(self, visit: Visit, kind: str, place: str) -> str | Path:
        """What was named, if it may be looked at."""
        if kind == "postgresql":
            if not place.startswith(("postgresql://", "postgres://")):
                raise InvalidParameter(visit.doors.pages.texts.plain("setup.address"))
            return place
        path = (self._folder / place.removeprefix("duckdb:///")).resolve()
        if not place or not path.is_relative_to(self._folder) or place.startswith(("postgresql:", "postgres:")):
            raise InvalidParameter(visit.doors.pages.texts.plain("setup.outside"))
        return path

    def _said(self, problem: PrivetError) -> str:
        """An error without the folder's own place."""
        return printable(problem).replace(f"{self._folder}/", "").replace(str(self._folder), ".")

    # --- who is protected -----------------------------------------------------------------------------------------

    async def unit(self, visit: Visit) -> Response:
        """Who is protected?"""
        return self._unit(visit)

    def _unit(self, visit: Visit, *, status: int = 200, error: str = "") -> Response:
        if not self._draft.tables:
            return visit.to("/setup/data")
        t, count = visit.doors.pages.texts, len(self._draft.tables)
        found = t("setup.found_one") if count == 1 else t("setup.found", count=count)
        form = {"unit": self._draft.unit}
        return visit.page(
            "setup-2.html", status=status, step=2, form=form, tables=self._draft.tables, found=found, error=error
        )

    async def take_unit(self, visit: Visit) -> Response:
        """By which columns."""
        self._draft.take_unit(texts_of(visit.form))
        t = visit.doors.pages.texts
        if not any(table.owner for table in self._draft.tables):
            return self._unit(visit, status=422, error=t.plain("setup.none_private"))
        if not self._draft.unit or not self._draft.unit.isprintable() or self._draft.unit == "row":
            return self._unit(visit, status=422, error=t.plain("setup.unit_hint"))
        return visit.to("/setup/columns")

    # --- what is known --------------------------------------------------------------------------------------------

    async def columns(self, visit: Visit) -> Response:
        """What is known of the columns?"""
        return self._columns(visit)

    def _columns(self, visit: Visit, *, status: int = 200, error: str = "") -> Response:
        draft = self._draft
        if not draft.tables or not draft.unit:
            return visit.to("/setup/data")
        return visit.page(
            "setup-3.html", status=status, step=3, tables=draft.tables, errors=draft.errors, types=TYPES, error=error
        )

    async def take_columns(self, visit: Visit) -> Response:
        """Check each of them."""
        self._draft.take_columns(visit.doors.pages.texts, texts_of(visit.form))
        if self._draft.errors:
            return self._columns(visit, status=422)
        try:
            self._draft.catalog(self._folder)
        except PrivetError as problem:
            return self._columns(visit, status=422, error=self._said(problem))
        return visit.to("/setup/limit")

    # --- how much -------------------------------------------------------------------------------------------------

    async def limit(self, visit: Visit) -> Response:
        """How much may be revealed?"""
        return self._limit(visit, {"limit": "3", "epsilon": "", "delta": "1e-5", "each": "0.1"})

    def _limit(self, visit: Visit, form: Mapping[str, str], *, status: int = 200, error: str = "") -> Response:
        if not self._draft.tables or not self._draft.unit:
            return visit.to("/setup/data")
        t = visit.doors.pages.texts
        epsilon = typed_number(form["epsilon"] if form["limit"] == "own" else form["limit"]) or Fraction(3)
        return visit.page(
            "setup-4.html",
            status=status,
            step=4,
            form=form,
            limits=[{"value": each, "most": belief_words(float(each))[1]} for each in LIMITS],
            admits=admitted(epsilon),
            picture=posterior(t, float(min(epsilon, Fraction(50))), "setup-p", size=240),
            unit=self._draft.unit,
            error=error,
        )

    async def take_limit(self, visit: Visit) -> Response:
        """Write the catalog, make the ledger, and open the doors."""
        t = visit.doors.pages.texts
        form = {name: visit.said(name).strip() for name in ("limit", "epsilon", "delta", "each")}
        if form["limit"] not in (*LIMITS, "own") or form["delta"] not in ("1e-5", "1e-6", "0"):
            form |= {"limit": "3", "delta": "1e-5"}
        epsilon = typed_number(form["epsilon"] if form["limit"] == "own" else form["limit"])
        each = typed_number(form["each"]) if form["each"] else None
        if epsilon is None or epsilon > 10**6:
            return self._limit(visit, form, status=422, error=t.plain("setup.limit_number"))
        if visit.said("do") == "look":
            return self._limit(visit, form)
        if form["each"] and (each is None or each > epsilon):
            return self._limit(visit, form, status=422, error=t.plain("setup.each_number"))
        self._draft.limit, self._draft.delta = shortest(epsilon), form["delta"]
        self._draft.each = "" if each is None else shortest(each)
        try:
            path = await away(self._write, visit)
        except PrivetError as problem:
            return self._limit(visit, form, status=422, error=self._said(problem))
        return await self._open(visit, path, step=4, form=form)

    def _write(self, visit: Visit) -> Path:
        """The catalog as a file that was not there before."""
        t = visit.doors.pages.texts
        self._draft.catalog(self._folder)
        path = self._folder / f"{plain_name(self._draft.name) or 'catalog'}.toml"
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(self._draft.text())
        except FileExistsError:
            raise InvalidParameter(t.plain("setup.there", file=path.name)) from None
        except OSError:
            raise InvalidParameter(t.plain("setup.unwritable", file=path.name)) from None
        return path

    async def _open(self, visit: Visit, path: Path, *, step: int, form: Mapping[str, str] | None = None) -> Response:
        """Let the server begin; where it cannot, the file is taken away again."""
        try:
            await self._ready(path)
        except PrivetError as problem:
            if path != self._demo:
                await away(path.unlink, missing_ok=True)
            words = visit.doors.pages.texts.plain("setup.unreadable", problem=self._said(problem))
            if step == 1:
                return self._data(visit, {"kind": DEMO, "place": "", "dataset": ""}, status=422, error=words)
            return self._limit(visit, form or {}, status=422, error=words)
        return visit.to("/connect")


def admitted(epsilon: Fraction) -> dict[str, object]:
    """How many questions of which margin a limit admits: counts in which each unit counts once."""
    rows = []
    for kind, often in ADMITTED:
        price = epsilon / often
        margin = shown_margin(math.log(20) / float(price))
        rows.append({"kind": kind, "often": often, "price": number_words(price, up=False), "margin": margin})
    return {"epsilon": number_words(epsilon, up=False), "rows": rows}


def plain_name(name: str) -> str:
    """A name for a file: plain letters alone.

    Example:
        >>> plain_name("../My data!"), plain_name("..")
        ('my-data', '')
    """
    letters = "".join(each if each.isascii() and each.isalnum() else "-" for each in name.casefold())
    return "-".join(each for each in letters.split("-") if each)[:LONGEST]


def texts_of(form: Mapping[str, object]) -> dict[str, str]:
    """The fields that are texts."""
    return {name: value for name, value in form.items() if isinstance(value, str)}
