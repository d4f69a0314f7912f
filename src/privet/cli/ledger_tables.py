"""How `privet ledger` shows things to people."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table

from privet.core.journals import Anchor, Row
from privet.loss.exact import readable
from privet.wording.printable import plain

PARTS = {"epsilon", "delta", "gamma", "rho"}  # of a limit
SYMBOLS = {"epsilon": "ε", "delta": "δ", "gamma": "γ", "rho": "ρ", "mu_squared": "μ²", "divergence": "divergence"}


def show_report(found: dict[str, Any], console: Console) -> None:
    """Print what a ledger has promised so far, to whom, and what is left."""
    unit = found["unit"]
    about = Table.grid(padding=(0, 2))
    shared = f" (shared by {', '.join(found['shared_by'])})" if found["shared_by"] else ""
    lines = {
        "ledger": found["ledger"],
        "dataset": found["dataset"] + (f", version {found['version']}" if found["version"] else "") + shared,
        "protects": f"each {unit['name']}; {unit['neighbors']}",
        "rule": found["rule"]["name"],
        "": found["rule"]["words"],
        **found["declared"],
    }
    for name, text in lines.items():
        about.add_row(name, plain(text))
    console.print(about)
    console.print(_scopes(found["scopes"]))
    promise = found["promised_so_far"]
    console.print(
        plain(
            "Promised so far, by all answers together: "
            f"({_amount({name: promise[name] for name in ('epsilon', 'delta', 'gamma') if name in promise})})"
            f"{' random DP' if 'gamma' in promise else '-DP'}."
        )
    )
    console.print(plain(f"That is: {promise['words']}."))
    if "lost" in found:
        console.print(
            plain(
                "Restored from a backup, with the loss of rows after it: all that was left then "
                f"({_amount(found['lost'])}) counts as spent by everybody."
            )
        )
    for line in (*_too_high(found["scopes"]), *_failures(found["failures"])):
        console.print(plain(line))


def show_questions(asked: list[dict[str, Any]], console: Console) -> None:
    """Print the questions that were paid for, with their numbers; nothing if there are none."""
    if not asked:
        return
    by_name = any(each["analyst"] for each in asked)
    table = Table()
    for name in ("", "question", *(["analyst"] if by_name else []), "charged", "at"):
        table.add_column(name, overflow="fold")
    for each in asked:
        who = [each["analyst"] or ""] if by_name else []
        at = (each["at"] or "")[:16].replace("T", " ")
        table.add_row(*map(plain, [str(each["number"]), each["purpose"], *who, _amount(each["charged"]), at]))
    console.print(table)


def _too_high(scopes: list[dict[str, Any]]) -> Iterator[str]:
    """Caps that are above the dataset's limit, which then stops spends first."""
    whole = next((scope["limit"] for scope in scopes if not scope.get("analyst") and not scope.get("purpose")), None)
    for scope in scopes:
        cap = scope["limit"]
        if (
            whole
            and cap
            and any(name in whole and Fraction(cap[name]) > Fraction(whole[name]) for name in PARTS & {*cap})
        ):
            yield f"The cap of {scope['scope']} is above the dataset's limit, which stops spends first: lower the cap."


def _failures(found: dict[str, Any]) -> Iterator[str]:
    """Whose answers failed after the charge, and who is frozen because of it; nothing if none did."""
    for each in found["analysts"]:
        who = "nobody by name" if each["analyst"] is None else f"analyst {each['analyst']!r}"
        frozen = ": frozen until `privet ledger unfreeze`" if each["frozen"] else ""
        yield f"Failed after the charge, asked by {who}: {each['failures']} of {found['allowed']}{frozen}."
    if found["everybody_frozen"]:
        yield "So many failed together that everybody is frozen: see why, then `privet ledger unfreeze --everyone`."


def _scopes(scopes: list[dict[str, Any]]) -> Table:
    renewed = any(scope["period"] > 1 for scope in scopes)
    table = Table(title_justify="left")
    for name in ("whose", "cap", "spent", "left", "promised"):
        table.add_column(name)
    if renewed:
        table.add_column("period")
        table.add_column("promised in all periods")
    for scope in scopes:
        left = "frozen" if scope["frozen"] else _amount(scope["remaining"])
        cells = [scope["scope"], _amount(scope["limit"]), _amount(scope["spent"]), left]
        cells.append(_amount(scope["promised_in_this_period"]))
        if renewed:
            cells += [str(scope["period"]), _amount(scope["promised_in_all_periods"])]
        table.add_row(*map(plain, cells))
    return table


def _amount(parts: dict[str, str] | None) -> str:
    if parts is None:
        return "no cap"
    shown = {name: Fraction(value) for name, value in parts.items()}
    return ", ".join(f"{SYMBOLS[name]}={readable(value)}" for name, value in shown.items())


def show_anchor(anchor: Anchor, head: Row, console: Console, *, as_json: bool) -> None:
    """Print which row the anchor remembers, and the last row of the journal."""
    mark = anchor.read().mark
    if as_json:
        ends = {"sequence": head.sequence, "hash": head.hash.hex()}
        remembered = {"sequence": mark.sequence, "hash": mark.hash}
        console.print_json(data={"anchor": str(anchor.path), "remembers": remembered, "journal_ends": ends})
        return
    console.print(plain(f"the anchor {anchor.path} remembers row {mark.sequence}, {mark.hash}"))
    console.print(plain(f"the journal ends with row {head.sequence}, {head.hash.hex()}"))
