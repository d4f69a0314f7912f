"""FairSets: protocols whose report is a set of w values that holds the device's own more often than another."""

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_protocol import FrequencyProtocol, support_variance, three_outcome_loss
from privet.local.weights import WHOLE
from privet.loss import PrivacyLoss
from privet.loss.exact import whole
from privet.loss.outward import exp_below


class FairSets(FrequencyProtocol):
    """With the weight `inside` out of 2^52 a set of `chosen` out of `places` values holds the own one.

    All sets with the own value are equally likely, and all without; of all sets there are, equally many hold any one
    value, and equally many any two.

    Proof of the ratio: of S sets S w/k hold a value, k the number of places, so one with the own value has probability
        p k/(S w) and one without (1-p) k/(S (k-w)). The ratio is p/(1-p) (k-w)/w, at most e^ε by `favored_weight`.
    Proof of the supports: given that a set holds the own value, each of the k - 1 others is among its w - 1 others
        equally often, for any two values are in equally many sets; given that it does not, among its w.
    """

    chosen: int
    inside: int

    @property
    @abstractmethod
    def places(self) -> int:
        """How many values a set may hold: those of the categories, and perhaps some that no device has."""

    def _fill(self, categories: Categories, chosen: int, inside: int) -> None:
        self._keep(categories=categories)
        self._keep(chosen=whole(chosen, "chosen", high=self.places - 1), inside=inside)
        if self.ratio <= 1:
            raise InvalidParameter("inside must favor the own value: otherwise a report tells nothing")

    @property
    def ratio(self) -> Fraction:
        """Of a set with the own value and one without."""
        return Fraction(self.inside * (self.places - self.chosen), (WHOLE - self.inside) * self.chosen)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve: a set holds the own value and not the other one, the reverse, or both or none."""
        left = Fraction(self.places - self.chosen, self.places - 1)
        return three_outcome_loss(self.true_support * left, self.ratio)

    @property
    def true_support(self) -> Fraction:
        """A set supports the values in it."""
        return Fraction(self.inside, WHOLE)

    @property
    def other_support(self) -> Fraction:
        """Of the k - 1 other values w - 1 or w are in it."""
        return _other_support(self.true_support, self.places, self.chosen)


def best_size(places: int, epsilon: Fraction) -> int:
    """The size of sets with the smallest variance for values that are all equally frequent: about k/(e^ε + 1)."""
    about = int(places / (exp_below(epsilon) + 1))
    sizes = (max(1, min(each, places - 1)) for each in (about, about + 1))
    return min(sizes, key=lambda chosen: _variance(places, chosen, epsilon))


def _other_support(true: Fraction, places: int, chosen: int) -> Fraction:
    return (true * (chosen - 1) + (1 - true) * chosen) / (places - 1)


def _variance(places: int, chosen: int, epsilon: Fraction) -> float:
    grown = exp_below(epsilon) * chosen
    true = grown / (grown + places - chosen)
    return support_variance(true, _other_support(true, places, chosen), Fraction(1, places))
