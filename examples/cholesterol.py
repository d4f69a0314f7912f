"""A decision stump that hides its patients: "ill if cholesterol is above h", with h chosen privately.

Five patients, five thresholds, ε = 1.25. The score of h is the share of patients it gets right, which one patient moves
by at most 1/5. The lecture gives no answer and its figure is lost; the rule here is c > h.
"""

import operator
from collections.abc import Callable

from telling import folder_for_pictures, keep, show, tell

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import Exponential

PATIENTS = ((90, False), (100, False), (95, False), (80, False), (99, True))  # cholesterol, ill
THRESHOLDS = (100, 200, 300, 400, 500)
RULES: dict[str, Callable[[int, int], bool]] = {"c > h": operator.gt, "c >= h": operator.ge, "c < h": operator.lt}
PATIENT = Unit("patient", neighbors="replace")
STUMP = Exponential(score_sensitivity="1/5", epsilon="1.25")


def accuracies(rule: str) -> list[float]:
    """The share of patients that each threshold gets right."""
    says = RULES[rule]
    return [sum(says(c, h) == ill for c, ill in PATIENTS) / len(PATIENTS) for h in THRESHOLDS]


def main() -> None:
    folder = folder_for_pictures(__doc__)
    laws = {rule: STUMP.probabilities(accuracies(rule)) for rule in RULES}
    show(
        "How likely each threshold is, ε = 1.25",
        ("h", *(f"right by {rule}" for rule in RULES), *(f"P by {rule}" for rule in RULES)),
        [
            (h, *(f"{accuracies(rule)[i]:.1f}" for rule in RULES), *(f"{laws[rule][i]:.6f}" for rule in RULES))
            for i, h in enumerate(THRESHOLDS)
        ],
    )
    ledger = Ledger(Guarantee("1.25"), unit=PATIENT)
    secret = Sensitive(accuracies("c > h"), Sensitivity("1/5", cells=5), PATIENT)
    chosen = THRESHOLDS[ledger.release(secret, STUMP, purpose="a threshold").value]
    tell(f"This time the rule is: ill if cholesterol is above {chosen}. By c > h all thresholds are equally good.")
    bars = {rule: dict(zip(map(str, THRESHOLDS), law.tolist(), strict=True)) for rule, law in laws.items()}
    keep(Chart.bars(bars, x="threshold h", y="probability", title="A private threshold"), folder, "cholesterol")


if __name__ == "__main__":
    main()
