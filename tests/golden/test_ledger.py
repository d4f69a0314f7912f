"""Mission row R168: what the GDPR asks a record of processing to say, in the export of a ledger."""

import io
import json
from pathlib import Path

from typer.testing import CliRunner

from privet.cli import app
from privet.core import Ledger, Sensitive, Sensitivity
from privet.core.journals.report import export_json
from privet.mechanisms import DiscreteLaplace


def test_r168_purpose_minimisation_retention_and_security_are_in_the_export(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.db")
    declared = {
        "purpose": "planning of beds",
        "minimisation": "no names, age in years",
        "retention": "raw rows until 2028",
        "security": "disk encrypted, two administrators",
    }
    words = [word for name, text in declared.items() for word in (f"--{name}", text)]
    terms = ["--epsilon", "1", "--unit", "person", "--dataset", "visits"]
    assert CliRunner().invoke(app, ["ledger", "create", place, *terms, *words]).exit_code == 0
    with Ledger.open(place, analyst="ada") as ledger:
        secret = Sensitive(42, Sensitivity(1), ledger.unit)
        ledger.release(secret, DiscreteLaplace(l1_sensitivity=1, scale=2), purpose="beds in May")
        file = io.StringIO()
        export_json(ledger.journal, file)
    found = json.loads(file.getvalue())
    assert found["declared"] == declared
    release = found["rows"][-1]
    assert (release["kind"], release["purpose"], release["analyst"]) == ("release", "beds in May", "ada")
    assert release["cost"] == ["1/2", "0"]
