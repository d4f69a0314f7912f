"""An invented hospital: the same on every run, so that true answers may be shown beside private ones."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray
from scipy.stats import norm

from privet.errors import InvalidParameter
from privet.loss.exact import shortest
from privet.noise.for_tests import seeded_entropy_for_tests

MOST_VISITS = 5
TOWNS = ("Ahorn", "Birken", "Eichdorf", "Erlach", "Eschen", "Lindau", "Tannberg", "Ulmen", "Weidach", "Zedern")
RARE = ("Alt-Eiben", "Hinterm Holz")  # where two people live, who should not be noticed
CLINICS = {"alpha": "north", "beta": "north", "gamma": "south", "delta": "south", "epsilon": "south"}
CATALOG = """\
# What is public about the hospital. Every word is explained in docs/catalog.md.
name = "hospital"
unit = "patient"                                    # who is protected
limit = {{ epsilon = "{epsilon}", delta = "1e-5" }}  # how much all answers together may reveal about anybody

[tables.patient]
parquet = "patient.parquet"
unit_column = "pid"
unique = ["pid"]
columns.pid = {{ type = "integer" }}
columns.age = {{ type = "integer", bounds = [0, 110] }}
columns.sex = {{ type = "text", values = ["F", "M"] }}
columns.town = {{ type = "text" }}                    # its values are not public, so rare ones stay hidden

[tables.visit]
parquet = "visit.parquet"
unit_column = "pid"
groups_per_unit = 2                                 # of each patient at most two groups of a GROUP BY count,
rows_per_group = {most}                                  # and so many visits in each
columns.pid = {{ type = "integer" }}
columns.clinic = {{ type = "text" }}
columns.cost = {{ type = "real", bounds = [0, 2000] }}
columns.day = {{ type = "date", bounds = [2025-01-01, 2025-12-31] }}

[tables.clinic]
parquet = "clinic.parquet"
public = true                                       # its rows are about nobody
unique = ["clinic"]
columns.clinic = {{ type = "text" }}
columns.region = {{ type = "text" }}
"""


@dataclass(frozen=True)
class Hospital:
    """Where the hospital is, and its rows, which only somebody who invented them may look at."""

    catalog: Path
    patient: pa.Table
    visit: pa.Table


def open_hospital(folder: Path, *, patients: int, epsilon: Fraction) -> Hospital:
    """Invent the rows and write them with their catalog into a folder that has none yet."""
    patient, visit = invent(patients)
    clinic = pa.table({"clinic": list(CLINICS), "region": list(CLINICS.values())})
    catalog = folder / "hospital.toml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with catalog.open("x", encoding="utf-8") as file:
            file.write(CATALOG.format(epsilon=shortest(epsilon), most=MOST_VISITS))
        for name, table in {"patient": patient, "visit": visit, "clinic": clinic}.items():
            pyarrow.parquet.write_table(table, folder / f"{name}.parquet")
    except FileExistsError:
        raise InvalidParameter(f"{folder} holds a hospital already: name a new folder") from None
    except OSError as problem:
        raise InvalidParameter(f"{folder} cannot be written ({problem.strerror}): name another folder") from None
    return Hospital(catalog, patient, visit)


def invent(patients: int) -> tuple[pa.Table, pa.Table]:
    """Patients and their visits: ages around 47, one to five visits each, costs lognormal around 250."""
    source = seeded_entropy_for_tests(2026)

    def uniform(count: int) -> NDArray[np.float64]:
        return (np.asarray(source.words(count) >> np.uint64(12), dtype=np.float64) + 0.5) * 2.0**-52

    pid = np.arange(1, patients + 1)
    age = np.clip(np.rint(47 + 19 * norm.ppf(uniform(patients))), 0, 110).astype(np.int64)
    sex = np.where(uniform(patients) < 0.52, "F", "M")  # noqa: PLR2004 - a few more women
    town = np.asarray(TOWNS)[np.floor(len(TOWNS) * uniform(patients) ** 1.7).astype(np.int64)]
    town = np.where(np.isin(pid, (1, 2)), np.asarray(RARE)[(pid - 1) % 2], town)
    owner = np.repeat(pid, 1 + np.floor(MOST_VISITS * uniform(patients)).astype(np.int64))
    visits = len(owner)
    cost = np.round(np.minimum(np.exp(5.5 + 0.8 * norm.ppf(uniform(visits))), 2000), 2)
    day = np.datetime64("2025-01-01") + np.floor(365 * uniform(visits)).astype("timedelta64[D]")
    clinic = np.asarray(list(CLINICS))[np.floor(len(CLINICS) * uniform(visits)).astype(np.int64)]
    return (
        pa.table({"pid": pid, "age": age, "sex": pa.array(sex.tolist()), "town": pa.array(town.tolist())}),
        pa.table({"pid": owner, "clinic": pa.array(clinic.tolist()), "cost": cost, "day": day}),
    )
