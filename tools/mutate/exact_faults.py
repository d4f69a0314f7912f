# ruff: noqa: INP001 - a script, not a package
"""The faults of numbers that were typed, and of Rényi divergences of sampled losses."""

from fault import Fault

READING = ("tests/loss/pricing/test_figures.py",)
MEETS = ("tests/loss/test_meets.py",)
RENYI = ("tests/loss/curves/test_sampled_renyi.py",)
GAUSSIAN = "loss/curves/sampled_gaussian.py"
SAMPLED = "loss/curves/sampled_renyi.py"

EXACT = (
    Fault(
        "exact: a long product is rounded up",
        "loss/pricing/figures.py",
        "Fraction(product.numerator * FINE // product.denominator, FINE)",
        "Fraction(-(-product.numerator * FINE // product.denominator), FINE)",
        READING,
    ),
    Fault(
        "exact: a delta that is missed by a rounding is met",
        "loss/pricing/figures.py",
        "        if left < 0:\n",
        "        if left < -Fraction(1, 10**20):\n",
        READING,
    ),
    Fault(
        "exact: a promise missed by a rounding is kept",
        "loss/privacy_loss.py",
        "for adding in (False, True)) <= promise.delta",
        "for adding in (False, True)) <= promise.delta + Fraction(1, 10**20)",
        READING,
    ),
    Fault(
        "exact: nothing a row gives alone counts",
        "loss/curves/finite.py",
        "zip(*pair, strict=True) if not q)",
        "zip(*pair, strict=True) if not p)",
        READING,
    ),
    Fault(
        "exact: of several alternatives the last counts",
        "loss/curves/combined.py",
        "max(loss.unbounded(adding=adding) for loss in self.alternatives)",
        "[loss.unbounded(adding=adding) for loss in self.alternatives][-1]",
        READING,
    ),
    Fault(
        "exact: who is sampled loses nothing for good",
        "loss/curves/sampled.py",
        "Fraction(self.rate) * self.inner.unbounded(adding=adding)",
        "Fraction(self.rate) ** 2 * self.inner.unbounded(adding=adding)",
        READING,
    ),
    Fault(
        "exact: e^epsilon from above",
        "loss/outward.py",
        "max(grown * (1 - Fraction(1, 10**40)), Fraction(1))",
        "grown * (1 + Fraction(1, 10**12))",
        MEETS,
    ),
    Fault(
        "exact: a logarithm from below",
        "loss/outward.py",
        "bound = bound if above < _CLOSE else bound.ln()",
        'bound = bound if above < _CLOSE else bound.ln() * (1 - Decimal("1e-12"))',
        MEETS,
    ),
    Fault(
        "exact: an impure loss is charged its largest finite loss",
        "loss/rules.py",
        "min(found, top) if found < math.inf and isinstance(top, Fraction)",
        "min(found, top) if isinstance(top, Fraction)",
        ("tests/loss/test_rules.py", "tests/core/test_ledger.py"),
    ),
    Fault(
        "exact: unequal numbers are shown by equal texts",
        "loss/exact.py",
        "    if beside is None or beside == number or ",
        "    if True or ",
        ("tests/loss/test_amount.py", *MEETS),
    ),
    Fault(
        "exact: what is calibrated forgets its promise",
        "core/calibrate.py",
        '    object.__setattr__(made, "promise", promise)\n',
        "",
        ("tests/mechanisms/test_calibrated.py",),
    ),
    Fault(
        "sampled Gaussian: the series ends too early",
        GAUSSIAN,
        "for k in range(TERMS, 1, -1):",
        "for k in range(2, 1, -1):",
        RENYI,
    ),
    Fault(
        "sampled Gaussian: the mean is subtracted once more",
        GAUSSIAN,
        "- (order - 1) * u\n",
        "- order * u\n",
        RENYI,
    ),
    Fault(
        "sampled Gaussian: the sum ends early",
        GAUSSIAN,
        "math.ceil(highest / h) + 1.0)",
        "math.ceil((order * mu / 2) / h) + 1.0)",
        RENYI,
    ),
    Fault(
        "sampled: the norm of a sum is less than the sum of norms",
        SAMPLED,
        "best = order * _log_mixed(rate, moment / order) * OUTWARD",
        "best = (order - 1) * _log_mixed(rate, moment / order) * OUTWARD",
        RENYI,
    ),
    Fault(
        "sampled: terms of the expansion are missing",
        SAMPLED,
        "np.arange(2.0, order + 1)\n    moments = _whole_moments(curve.inner, 1 << max(4, order.bit_length()))[2 :",
        "np.arange(3.0, order + 1)\n    moments = _whole_moments(curve.inner, 1 << max(4, order.bit_length()))[3 :",
        RENYI,
    ),
    Fault(
        "sampled: the mean loss is taken too small",
        SAMPLED,
        "math.log(_grown_log(second)) if",
        "second - 5 if",
        RENYI,
    ),
    Fault(
        "sampled: chords of hockey sticks are lowered",
        SAMPLED,
        "inside = (2 + grown) * left + (1 + 2 * grown) * right",
        "inside = (1.99 + grown) * left + (1 + 1.99 * grown) * right",
        RENYI,
    ),
    Fault(
        "sampled: only half of the sticks",
        SAMPLED,
        "            _log_cells(-low[::-1], behind[::-1], rate, power),\n",
        "",
        RENYI,
    ),
    Fault(
        "sampled: the other direction at another power",
        SAMPLED,
        "_log_integrals(inner, rate, -order - 1, top)",
        "_log_integrals(inner, rate, -order, top)",
        RENYI,
    ),
)
