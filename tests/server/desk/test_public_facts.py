"""Public facts: what is declared, whatever the data."""

from dataclasses import replace
from fractions import Fraction

from privet.loss import Guarantee
from privet.server.desk.public_facts import table_facts, version_of
from tests.support.desks import people_catalog
from tests.support.hospital import HOSPITAL

KEY = "00" * 32


def test_tables_are_told_as_they_are_declared() -> None:
    facts = {table.name: table for table in table_facts(HOSPITAL)}
    visit = {each.name: each for each in facts["visit"].columns}
    assert (visit["day"].low, visit["day"].high, visit["day"].type) == ("2024-01-01", "2024-12-31", "date")
    assert (visit["cost"].low, visit["cost"].high, visit["cost"].nullable) == ("0", "5000", True)
    assert facts["visit"].limits == {"groups_per_unit": 4, "rows_per_group": 5}
    assert (facts["clinic"].public, facts["clinic"].unit, facts["clinic"].limits) == (True, None, {})
    assert {each.name: each.values for each in facts["patient"].columns}["sex"] == ("F", "M")


def test_a_version_follows_from_declarations_alone() -> None:
    small, large = people_catalog(10), people_catalog(500)
    assert version_of(small, KEY) == version_of(large, KEY)
    assert version_of(small, KEY) != version_of(small, "11" * 32)  # nobody finds from it where the data are
    same = replace(small, ledger="sqlite:////srv/ledger.db", anchor="/srv/anchor", limit=Guarantee(7), analysts={})
    assert version_of(same, KEY) == version_of(small, KEY)  # nothing of what answers mean
    table = small.tables["patient"]
    wider = replace(table, columns={**table.columns, "age": table.columns["age"].where(high=Fraction(120))})
    assert version_of(replace(small, tables={"patient": wider}), KEY) != version_of(small, KEY)
