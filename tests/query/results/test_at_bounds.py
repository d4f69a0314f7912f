"""At bounds: an answer that only its bounds explain says so; one in the middle of them does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from privet.loss import Guarantee
from tests.support.hospital import HOSPITAL, PATIENT, number
from tests.support.hospital_sessions import crowd, hospital, session_with

TEXT = "SELECT sex, AVG(age) AS a, MEDIAN(age) AS m, MIN(age) AS least, SUM(age) AS s FROM patient GROUP BY sex"


@pytest.mark.parametrize(("bounds", "said"), [((500, 600), "500"), ((-60, -10), "-10"), ((0, 110), None)])
def test_what_clipping_may_have_made_is_pointed_out(tmp_path: Path, bounds: tuple[int, int], said: str | None) -> None:
    columns = {**PATIENT.columns, "age": number(*bounds)}
    catalog = replace(HOSPITAL, tables={**HOSPITAL.tables, "patient": replace(PATIENT, columns=columns)})
    patients, visits = crowd(200, 10)
    session, _ = session_with(
        hospital(tmp_path, catalog=catalog, patients=patients, visits=visits), limit=Guarantee(1000, "1e-4")
    )
    answer = session.sql(TEXT, epsilon=400)
    assert answer.at_bounds == ({} if said is None else {"a": said, "m": said, "least": said})
    assert ("cannot be told from its bound" in repr(answer)) == (said is not None)
