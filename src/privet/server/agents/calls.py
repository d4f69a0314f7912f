"""Calls: what an agent calls, answered by the desk."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.errors import ApprovalNeeded, InvalidParameter
from privet.loss.exact import readable
from privet.query.results.explanation import Explanation
from privet.server.agents.answer_facts import answer_facts
from privet.server.agents.arguments import Arguments, tool_called
from privet.server.agents.catalog_facts import catalog_facts
from privet.server.agents.price_facts import amount_said, price_facts
from privet.server.agents.refusals import refusal_facts
from privet.server.agents.tools import Tool
from privet.server.desk import Asked, Asker, BudgetFacts, Desk
from privet.server.desk.requests import WAITING
from privet.server.desk.telling import told
from privet.server.people import TokenScope

WAITS = (
    "Nothing was spent. Call ask again later with exactly the same arguments: it is answered once the owner has "
    "agreed, refused if not, and says this again until then. Meanwhile questions that cost less need no approval."
)

UNSAID = "say what to spend: epsilon, such as 0.1, or in its place error, the margin that will do, such as 20"


@dataclass(frozen=True)
class Reply:
    """What an agent is told.

    Args:
        facts: as JSON can hold them, with a status and whether it was charged.
        refused: whether it got none of what it asked for.
    """

    facts: Mapping[str, Any]
    refused: bool = False


class Calls:
    """Tools, answered one by one. Threads may share it.

    Args:
        desk: which answers all doors.
        permalinks: what the address of a stored answer begins with; "" where there is no console.

    Privacy: every number comes from the desk, so from a paid release. Refusals are Privet's own sentences about what
        was asked, or one constant sentence.
    """

    def __init__(self, desk: Desk, *, permalinks: str = "") -> None:
        self._desk = desk
        self._permalinks = permalinks

    def reply(self, asker: Asker, name: str, said: Mapping[str, Any]) -> Reply:
        """What one call gives; never an exception."""
        try:
            tool = tool_called(name)
            arguments = Arguments.of(tool, said)
            if tool.name == "ask":
                return self._ask(asker, arguments)
            return Reply(self._facts(asker, tool, arguments))
        except Exception as problem:  # noqa: BLE001 - whatever it is, its words may hold values
            return Reply(refusal_facts(told(problem)), refused=True)

    def _facts(self, asker: Asker, tool: Tool, arguments: Arguments) -> dict[str, Any]:
        match tool.name:
            case "describe_tables":
                asker.refuse_without(TokenScope.READ)
                return _free(catalog_facts(self._desk.catalog))
            case "price":
                return _free(self._price(asker, arguments))
            case "stored_answer":
                asked = self._desk.stored(asker, arguments.number)
                if not isinstance(asked, Asked):
                    raise InvalidParameter("that number is of several answers at once, which agents do not ask for")
                return _free(self._told(asked, arguments.from_row))
            case _:
                return _free(budget_facts(self._desk.budget(asker)))

    def _price(self, asker: Asker, arguments: Arguments) -> dict[str, Any]:
        told = self._desk.explain(asker, arguments.sql, **(arguments.keywords or {}))
        if not isinstance(told, Explanation):
            raise InvalidParameter("price takes one statement")
        return price_facts(told)

    def _ask(self, asker: Asker, arguments: Arguments) -> Reply:
        sql, keywords = arguments.sql, arguments.keywords or {}
        if not keywords and self._desk.catalog.budget is None:
            raise InvalidParameter(UNSAID)
        try:
            asked = self._desk.ask(asker, sql, purpose=arguments.purpose, **keywords)
        except ApprovalNeeded as needed:
            if needed.number is None:
                made = self._desk.request(asker, sql, purpose=arguments.purpose, why=arguments.purpose, **keywords)
                return _waiting(made.number, f"this costs {made.price}, and waits for the owner's approval")
            if any(each.number == needed.number and each.state == WAITING for each in self._desk.requests(asker)):
                return _waiting(needed.number, str(needed))
            raise
        charged = "yes" if asked.answer.loss.parts and not asked.repeated else "nothing"
        return Reply({"status": "ok", "charged": charged, **self._told(asked, arguments.from_row)})

    def _told(self, asked: Asked, from_row: int) -> dict[str, Any]:
        """An answer with its receipt."""
        receipt = {
            "number": asked.number,
            "at": asked.at,
            "purpose": asked.purpose,
            "statement": asked.text,
            "price": amount_said(asked.answer.spent),
            "protects": f"each {asked.answer.unit.name}, {asked.answer.unit.neighbors.value}",
        }
        if self._permalinks:
            receipt["permalink"] = f"{self._permalinks}{asked.number}"
        return {
            "repeated": asked.repeated,
            "remaining": amount_said(asked.remaining),
            "receipt": receipt,
            **answer_facts(asked.answer, from_row=from_row),
        }


def _free(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {"status": "ok", "charged": "nothing", **facts}


def _waiting(number: str, message: str) -> Reply:
    facts = {"status": "waits_for_owner", "charged": "nothing", "request": number, "message": message}
    return Reply({**facts, "what_to_do": WAITS})


def budget_facts(left: BudgetFacts) -> dict[str, Any]:
    """What an agent may still spend."""
    most = left.largest_epsilon
    return {
        "limit": repr(left.limit),
        "spent": amount_said(left.spent),
        "remaining": amount_said(left.remaining),
        "how_spends_add_up": left.rule,
        "each_question_needs_approval": left.needs_approval,
        "most_of_one_answer_without_approval": None if most is None else f"ε={readable(most)}",
    }
