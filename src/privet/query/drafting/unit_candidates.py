"""Unit candidates: the columns whose names suggest that they say who a row is about. Names alone, never values."""

import re
from collections.abc import Iterable

PEOPLE = (
    *("account", "applicant", "borrower", "citizen", "client", "customer", "driver", "employee", "family", "household"),
    *("member", "participant", "passenger", "patient", "pensioner", "person", "player", "policyholder", "pupil"),
    *("respondent", "student", "subject", "subscriber", "taxpayer", "tenant", "user", "voter", "worker"),
)
NUMBERS = ("id", "ids", "identifier", "key", "no", "nr", "num", "number", "code", "uuid", "hash", "ref")
ALONE = ("id", "pid", "uid", "cid", "mid", "sid", "email", "ssn", "msisdn", "username", "login", "mrn")
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")  # of person_id, personId and PERSON-ID


def unit_candidates(columns: Iterable[str]) -> list[str]:
    """The columns that are named like somebody or somebody's number, in their order; often none.

    Example:
        >>> unit_candidates(["visit_id", "patientId", "PERSON", "age", "paid", "covid", "customer_age"])
        ['patientId', 'PERSON', 'visit_id']
        >>> unit_candidates(["age", "workclass", "education"])
        []
    """
    named = [(column, [word.lower() for word in WORDS.findall(column)]) for column in columns]
    people = [column for column, words in named if _is_somebody(words)]
    numbers = [column for column, words in named if words and (words[-1] in NUMBERS[:3] or words == ["uuid"])]
    return people + [column for column in numbers if column not in people]


def _is_somebody(words: list[str]) -> bool:
    if len(words) == 1 and words[0] in ALONE:
        return True
    joined = "".join(words)
    return any(joined in (person, f"{person}s", *(f"{person}{number}" for number in NUMBERS)) for person in PEOPLE) or (
        len(words) > 1 and words[-1] in NUMBERS and any(person in words for person in PEOPLE)
    )
