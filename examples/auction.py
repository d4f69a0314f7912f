"""An auction that hides bids: the price is chosen at random, the better the likelier.

Three people bid 1, 1 and 3.01; everybody who bids at least the price pays the price. One bid moves the revenue at any
price by at most the highest price.
"""

from fractions import Fraction

import numpy as np
from telling import folder_for_pictures, keep, show, tell

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.explain import Chart
from privet.mechanisms import Exponential, PermuteAndFlip

BIDS = (Fraction(1), Fraction(1), Fraction("3.01"))
PRICES = (1, 2, 3, 4)
BIDDER = Unit("bidder", neighbors="replace")


def revenue(price: Fraction | int) -> float:
    """What a price brings in."""
    return float(price * sum(bid >= price for bid in BIDS))


def main() -> None:
    folder = folder_for_pictures(__doc__)
    scores = [revenue(price) for price in PRICES]
    chosen: dict[str, Exponential | PermuteAndFlip] = {
        "exponential": Exponential(4, 1),
        "permute and flip": PermuteAndFlip(4, 1),
        "exponential, ε = 40": Exponential(4, 40),
    }
    laws = {name: mechanism.probabilities(scores) for name, mechanism in chosen.items()}
    laws["diffpriv's (wrong)"] = np.array(scores) / sum(scores)
    show(
        "How likely each price is, ε = 1",
        ("price", "revenue", *laws),
        [(price, f"{scores[i]:g}", *(f"{law[i]:.6f}" for law in laws.values())) for i, price in enumerate(PRICES)],
        note="The R package diffpriv draws in proportion to the scores: no price without revenue, at any\n"
        "ε. That is not private: if such a price is seen, the bids were others for sure.",
    )
    ledger = Ledger(Guarantee(1), unit=BIDDER)
    secret = Sensitive(scores, Sensitivity(4, cells=len(scores)), BIDDER)
    price = PRICES[ledger.release(secret, chosen["exponential"], purpose="a price").value]
    tell(f"This time the price is {price}; the bidders' limit of ε = 1 is used up: {ledger.remaining} left.")
    fine = [Fraction(k, 10) for k in range(1, 101)]
    wide = Exponential(score_sensitivity=10, epsilon=1)
    shares = wide.probabilities([revenue(each) for each in fine])
    expected = shares @ np.array([revenue(each) for each in fine])
    tell(
        f"With 100 prices from 0.1 to 10 the choice is nearly blind: P(1.0) = {shares[9]:.6f}, P(10) = "
        f"{shares[99]:.6f}, expected\nrevenue {expected:.6f}. Ask before spending: the scores decide in at most "
        f"{wide.influence(spread=10):.1%} of the draws."
    )
    bars = {name: dict(zip(map(str, PRICES), law.tolist(), strict=True)) for name, law in laws.items()}
    keep(
        Chart.bars(bars, x="price", y="probability", title="A private price for bids 1, 1 and 3.01"), folder, "auction"
    )


if __name__ == "__main__":
    main()
