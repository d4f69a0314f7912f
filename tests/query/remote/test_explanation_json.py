import json
from pathlib import Path

import pytest

from privet.query.connect import connect
from privet.query.remote.explanation_json import explanation_from_json, explanation_to_json
from tests.support.hospital import HOSPITAL
from tests.support.hospital_sessions import hospital

STATEMENTS = [
    "SELECT COUNT(*) AS n FROM patient",
    "SELECT sex, AVG(age) AS age, SUM(age) AS years FROM patient GROUP BY sex",
    "SELECT zip, COUNT(*) AS n FROM patient GROUP BY zip",
    "SELECT MEDIAN(age) AS m FROM patient",
    "SELECT clinic, SUM(cost) AS cost FROM visit GROUP BY clinic",
    "SELECT COUNT(*) AS n FROM clinic",
]


PRIVATE_KEYS = STATEMENTS[2], STATEMENTS[4]  # which no rho prices


@pytest.mark.parametrize("keywords", [{"epsilon": "0.3", "delta": "1e-7"}, {"rho": "0.1", "delta": "1e-7"}])
def test_an_explanation_comes_back_as_it_was(tmp_path: Path, keywords: dict[str, str]) -> None:
    with connect(hospital(tmp_path, catalog=HOSPITAL)) as session:
        for statement in STATEMENTS:
            if "rho" in keywords and statement in PRIVATE_KEYS:
                continue
            told = session.explain(statement, **keywords)  # type: ignore[call-overload] # words of a test
            text = explanation_to_json(told)
            again = explanation_from_json(text)
            assert again == told
            assert (repr(again), again.to_dict()) == (repr(told), told.to_dict())
            assert repr(again.details) == repr(told.details)
            assert json.loads(text, parse_constant=pytest.fail), "NaN is no JSON"
        both = session.explain(dict(zip("abcdef", STATEMENTS, strict=True)), epsilon=1, delta="1e-6")
        again = explanation_from_json(explanation_to_json(both))
        assert again == both
        assert repr(again) == repr(both)
