"""A question nobody likes to answer, asked in a class with two coins.

"Have you ever copied in an exam?" Everybody flips a coin, hidden. Heads: say the truth. Tails: flip again, and say yes
for heads, no for tails. A yes may be the coin's, so it proves nothing; but of many answers the coins' part is known.
"""

import numpy as np
from telling import folder_for_pictures, keep, show, tell

from privet.explain import Chart
from privet.local import survey


def main() -> None:
    folder = folder_for_pictures(__doc__)
    coins = survey.TwoCoins()
    tell(f"Whoever hears an answer learns at most a factor of 3: ε = ln 3 = {coins.epsilon:.6f}.")
    tell("\nFive invented pupils on the blackboard:", "\n" + repr(coins.worksheet([1, 0, 0, 1, 0])))
    tell(
        "\nThe coins fall anew each time. If two of five say yes, 2 · 0.4 - 0.5 = 0.3 of the class copied, and 0.7 did "
        "not; five are too few to tell."
    )
    tell("\n" + repr(coins.estimate(yes=2, answers=5)))

    people = np.random.default_rng(63).random(2000) < 0.2
    designs = (coins, survey.Warner("0.75"), survey.ForcedResponse("2/3"), survey.Crosswise("0.25"))
    rows, bars = [], {}
    for design in designs:
        found = design.estimate(design.privatize(people))
        low, high = found.interval()
        name = type(design).__name__
        bars[name] = (low, found.value, high)
        needed = design.answers_for_margin(0.05)
        rows.append((name, f"{design.epsilon:.4f}", f"{found.value:.3f}", f"{low:.3f} to {high:.3f}", f"{needed:,}"))
    columns = ("design", "ε", "estimate", "95% interval", "answers for ± 0.05")
    show(f"2,000 people, of whom {people.mean():.3f} would say yes", columns, rows)
    title = "The same question, asked in four ways"
    keep(Chart.bars({"share of yes": bars}, x="design", y="share of yes", title=title), folder, "classroom")


if __name__ == "__main__":
    main()
