"""Budget: what may be spent on an answer, as the caller put it: the one reader of epsilon, delta, rho and risk."""

from dataclasses import dataclass
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import Exact, exact, shortest, shown
from privet.loss.risk import Risk

SMALLEST = Fraction(1, 10**30)  # of the noise of less no float can say how wide it is
LARGEST = 10**9  # ε or ρ of one answer; no digit of its noise would be seen, and far beyond no float holds its scale


@dataclass(frozen=True)
class Budget:
    """What may be spent on one answer.

    Args:
        promise: ε and δ, or ρ.
        delta: with ρ, the δ at which a ledger that counts ε and δ charges it.

    Example:
        >>> Budget.of(epsilon="0.1", delta=1e-6).promise, Budget.of(rho=0.5).promise
        ((ε=0.1, δ=1e-6)-DP, (ρ=0.5)-zCDP)
        >>> Budget.of(risk="50% to 60%").promise
        (ε=0.4054)-DP
    """

    promise: Promise
    delta: Fraction | None = None

    @classmethod
    def of(
        cls,
        *,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
        risk: Risk | str | None = None,
    ) -> "Budget":
        """Refuse everything that is not an amount above 0, before anything else happens.

        Args:
            epsilon: an ε; or
            rho: a ρ; or
            risk: what an attacker may gain at most (`Risk`), which stands for the largest ε that keeps it.
            delta: the δ beside an ε, or with ρ the one at which a ledger that counts ε and δ charges it.
        """
        if risk is not None and epsilon is None and rho is None:
            return cls(Risk.of(risk).guarantee(delta=0 if delta is None else delta))
        if (epsilon is None) == (rho is None) or risk is not None:
            given = {"epsilon": epsilon, "rho": rho, "risk": risk}
            said = ", ".join(f"{name}={shown(value)}" for name, value in given.items() if value is not None)
            raise InvalidParameter(
                "say what to spend: epsilon=… (with a delta where groups are private or Gaussian noise may be used), "
                f"rho=…, risk=… or error=…, just one of them, got {said or 'none'}"
            )
        name, amount = ("epsilon", epsilon) if rho is None else ("rho", rho)
        spent = exact(amount, name)  # type: ignore[arg-type] # one of the two was given
        if spent <= 0:
            raise InvalidParameter(
                f"{name} must be > 0, got {shortest(spent)}: an answer that costs nothing says nothing"
            )
        if spent < SMALLEST:
            raise InvalidParameter(
                f"{name} must be at least 1e-30, got less: an answer for so little is nothing but noise; 0.01 is little"
            )
        if spent > LARGEST:
            raise InvalidParameter(
                f"{name} must be at most {LARGEST:,}, got {shown(amount)}: so much protects nobody; 1 promises much"
            )
        failure = Guarantee(0, 0 if delta is None else delta).delta
        if rho is None:
            return cls(Guarantee(spent, failure))
        return cls(ConcentratedGuarantee(spent), failure or None)

    @property
    def epsilon(self) -> Fraction | None:
        """The ε of the promise; None if it is a ρ."""
        return self.promise.epsilon if isinstance(self.promise, Guarantee) else None

    @property
    def rho(self) -> Fraction | None:
        """The ρ of the promise; None if it is an ε."""
        return self.promise.rho if isinstance(self.promise, ConcentratedGuarantee) else None
