# ruff: noqa: INP001 - a script, not a package; old texts stand as they are in the source
"""The faults of charts and stories."""

from fault import Fault

STORIES = (
    Fault(
        "Chart: bars of margins half as long",
        "explain/layer.py",
        "(y - margin).tolist()",
        "(y - margin / 2).tolist()",
        ("tests/explain/test_chart.py",),
    ),
    Fault(
        "Chart: NaN is drawn",
        "explain/layer.py",
        "not np.isfinite(array).all()",
        "np.isinf(array).any()",
        ("tests/explain/test_chart.py",),
    ),
    Fault(
        "Chart: bars do not stand on zero",
        "explain/chart.py",
        "y=y.scale(zero=True)",
        "y=y.scale(zero=False)",
        ("tests/explain/test_chart.py",),
    ),
    Fault(
        "Chart: a page fetches from the network",
        "explain/chart.py",
        '{"inline": True}',
        "{}",
        ("tests/explain/test_chart.py",),
    ),
    Fault(
        "Chart: stairs drawn as lines",
        "explain/chart.py",
        'if kind == "step" else {}',
        "if False else {}",
        ("tests/explain/test_chart.py",),
    ),
    Fault(
        "Chart: a sum forgets its second chart",
        "explain/chart.py",
        "replace(self, layers=self.layers + other.layers)",
        "replace(self, layers=self.layers)",
        ("tests/explain/test_chart.py",),
    ),
    Fault(
        "Chart: zero on a logarithmic axis",
        "explain/layer.py",
        "default=1.0) <= 0:",
        "default=1.0) < 0:",
        ("tests/explain/test_chart.py",),
    ),
    Fault(
        "story: both answers of a difference at the full ε",
        "../../examples/differencing.py",
        "epsilon=EPSILON / 2, ",
        "epsilon=EPSILON, ",
        ("tests/golden/test_attacks.py",),
    ),
    Fault(
        "story: a member moves a site by one copy",
        "../../examples/membership.py",
        "MOVED = Sensitivity(2,",
        "MOVED = Sensitivity(1,",
        ("tests/golden/test_attacks.py",),
    ),
    Fault(
        "story: a replaced person moves only her own films",
        "../../examples/linkage.py",
        "cells=2 * EACH)",
        "cells=EACH)",
        ("tests/golden/test_attacks.py",),
    ),
    Fault(
        "story: reconstruction rounds at the wrong place",
        "../../examples/reconstruction.py",
        "np.asarray(found > 0.5)",
        "np.asarray(found > 0.9)",
        ("tests/golden/test_attacks.py",),
    ),
    Fault(
        "story: the local count is not corrected for flips",
        "../../examples/central_and_local.py",
        "(reports.sum() - len(bits) * flip)",
        "(reports.sum() - 0 * flip)",
        ("tests/golden/test_central_and_local.py",),
    ),
    Fault(
        "story: the thesis' noise without its ε",
        "../../examples/thesis_gaussian.py",
        "Fraction(TEXTBOOK) / epsilon",
        "Fraction(TEXTBOOK)",
        ("tests/golden/test_thesis.py",),
    ),
)
