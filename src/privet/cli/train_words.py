"""What `privet train` prints."""

from fractions import Fraction
from typing import Any

from privet.loss.exact import readable


def train_lines(told: dict[str, Any]) -> list[str]:
    """What came out of a training, for people."""
    price, predicts = told["price"], told["predicts"]
    what = predicts if isinstance(predicts, str) else " or ".join(map(str, predicts))
    spent = f"ε={price['epsilon']}" + ("" if price["delta"] == "0" else f", δ={price['delta']}")
    parts = ", ".join(f"ε={readable(Fraction(part))} for the {name}" for name, part in told["parts"].items())
    lines = [f"{told['target']} ({what}) from {', '.join(told['columns'])}: {told['numbers']} numbers a row"]
    if told["left_out"]:
        lines.append(f"left out  {', '.join(told['left_out'])}: declare bounds, or values, to learn from them")
    lines.append(f"model     {told['model']}" + (f": {told['why']}" if "why" in told else ""))
    lines.append(f"price     {spent} per {told['unit']}: {parts}")
    if "expected" in told:
        found = told["expected"]
        score, plain = f"{found['score']:.3f} ± {found['error']:.3f}", f"{found['without_privacy']:.3f}"
        metric = "R²" if found["metric"] == "r2" else found["metric"]
        lines.append(
            f"expected  {metric} {score} and without privacy {plain}, on {found['on']}: "
            f"{found['learned_from']:,} to learn from"
        )
    if "score" in told:
        found = told["score"]
        ends = f"between {found['low']:.4g} and {found['high']:.4g} (95 %)"
        lines.append(f"score     {found['metric']} {found['value']:.4g}, {ends}: on a fifth of the rows, kept apart")
    if "output" in told:
        lines.append(f"saved     {told['output']}: joblib.load reads it; it predicts for frames with these columns")
    if "left" not in told:
        lines.append("nothing was spent")
    elif told["left"] is None:
        lines.append("no ledger was named: what several trainings cost together is yours to add up")
    else:
        lines.append(f"left      {told['left']} in the ledger")
    return lines
