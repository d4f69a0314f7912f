"""Emoji on 100,000 phones, for thirty days, without anybody learning who uses which.

Every phone reports one emoji a day, or "none", at ε = 1 a day; after thirty days its budget of 30 is used up and it
falls silent. What does not change, a favorite, is reported every day too, but from an answer that the phone keeps: that
costs ε = 4 for as long as the phone lives, so 34 in all. Nobody is trusted: reports are noisy before they leave.
"""

import numpy as np
from numpy.typing import NDArray
from telling import folder_for_pictures, keep, show, tell

from privet.errors import BudgetExceeded
from privet.explain import Chart
from privet.local import ChainedResponse, DeviceBudget, FrequencyEstimate, MemoizedDevice, choose_frequency_protocol

PHONES, DAYS = 100_000, 30
EMOJI = ["none", "😂", "❤️", "😭", "🙏", "😊", "🔥", "👍", "🎄", "🎉"]
WATCHED = {"😂": "tears of joy", "🎄": "tree", "👍": "thumb"}


def shares_of(day: int) -> NDArray[np.float64]:
    """How often each emoji is used: trees come with the month, thumbs go."""
    weights = np.array([30, 18, 12, 8, 7, 6, 5, 8.0 - 0.2 * day, 0.5 + 0.4 * day, 3])
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def one_phone() -> None:
    """The life of a single phone."""
    protocol = choose_frequency_protocol(EMOJI, 1).protocol
    budget = DeviceBudget(protocol, events=1, none="none", lifetime=DAYS)
    for day in range(DAYS):
        if day % 3:
            budget.add("😂")
        budget.close()  # one report leaves, whether or not there was an emoji
    try:
        budget.add("🎉")
    except BudgetExceeded as refusal:
        tell(f"A phone on day {DAYS + 1}: {refusal}")
    favorite = MemoizedDevice(ChainedResponse(EMOJI, 1, lifetime=4))
    for _ in range(365):
        favorite.report("❤️")
    tell(f"A favorite reported on 365 days cost ε = {favorite.spent:.3f} in all; with fresh noise it would be 365.")


def month() -> tuple[list[np.ndarray], list[FrequencyEstimate]]:
    """What was used, and what the reports say, day by day."""
    protocol = choose_frequency_protocol(EMOJI, 1).protocol
    draw = np.random.default_rng(30)
    truths, estimates = [], []
    for day in range(DAYS):
        used = draw.choice(len(EMOJI), size=PHONES, p=shares_of(day))
        truths.append(np.bincount(used, minlength=len(EMOJI)) / PHONES)
        estimates.append(protocol.estimate(protocol.privatize(np.array(EMOJI)[used].tolist())))
    return truths, estimates


def main() -> None:
    folder = folder_for_pictures(__doc__)
    one_phone()
    truths, estimates = month()
    low, high = estimates[-1].interval(population=False)
    rows = [
        (name, f"{truth:.2%}", f"{value:.2%}", f"{start:.2%} to {end:.2%}")
        for name, truth, value, start, end in zip(EMOJI, truths[-1], estimates[-1].value, low, high, strict=True)
    ]
    columns = ("emoji", "used", "estimated", "95% interval")
    show(f"Day {DAYS}: {PHONES:,} phones at ε = 1, by {estimates[-1].protocol}", columns, rows)
    days = np.arange(1, DAYS + 1)
    places = {word: EMOJI.index(emoji) for emoji, word in WATCHED.items()}
    ends = [estimate.interval(population=False) for estimate in estimates]
    lines = {f"{word}, used": (days, [truth[place] for truth in truths]) for word, place in places.items()}
    points = {
        f"{word}, estimated": (
            days,
            [estimate.value[place] for estimate in estimates],
            [low[place] for low, _ in ends],
            [high[place] for _, high in ends],
        )
        for word, place in places.items()
    }
    share = "share of the phones"
    used = Chart.lines(lines, x="day", y=share, title="Emoji on 100,000 phones, ε = 1 a day")
    keep(used + Chart.points(points, x="day", y=share), folder, "phones")


if __name__ == "__main__":
    main()
