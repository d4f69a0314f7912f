# ruff: noqa: INP001 - a script, not a package
"""The faults that are planted, one at a time. Add a row for every way a new mechanism could go wrong.

A row is (what goes wrong, file under src/privet, old text, new text, tests that must notice). The old text occurs
exactly once in its file, and the new text must be valid Python that runs; the tests are pytest arguments, fast
ones first.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    """One planted fault."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


LAPLACE = ("tests/mechanisms/test_laplace.py",)
GAUSSIAN = ("tests/mechanisms/test_gaussian.py",)
GEOMETRIC = ("tests/mechanisms/test_discrete_laplace.py",)
DISCRETE_GAUSSIAN = ("tests/mechanisms/test_discrete_gaussian.py",)
WHOLE = ("tests/mechanisms/test_whole_noise.py",)
NORMS = ("tests/mechanisms/test_norms.py",)
LEDGER = ("tests/core/test_ledger.py",)
COMPOSED = ("tests/mechanisms/test_composed.py",)
BERNSTEIN = (
    "tests/mechanisms/test_bernstein_function.py",
    "tests/golden/test_functions.py",
    "tests/mechanisms/test_bernstein.py",
)
BLOCKS = ("tests/golden/test_functions.py", "tests/mechanisms/test_sample_and_aggregate.py")

EXPONENTIAL = ("tests/mechanisms/test_exponential.py",)
FLIP = ("tests/mechanisms/test_permute_and_flip.py",)
NOISY_MAX = ("tests/mechanisms/test_noisy_max.py",)
SPARSE = ("tests/mechanisms/test_sparse_vector.py",)
PARTITIONS = ("tests/mechanisms/test_partition_selection.py",)
PARTITION_COUNTS = ("tests/mechanisms/test_partition_counts.py",)
RESPONSE = ("tests/mechanisms/test_randomized_response.py",)
KARY = ("tests/mechanisms/test_kary_randomized_response.py",)
TABLE = ("tests/mechanisms/test_finite_mechanism.py",)
SMOOTH_LAPLACE = ("tests/mechanisms/test_smooth_laplace.py",)
SMOOTH_CAUCHY = ("tests/mechanisms/test_smooth_cauchy.py",)
SMOOTH_GAUSSIAN = ("tests/mechanisms/test_smooth_gaussian.py",)
SMOOTH = ("tests/mechanisms/test_smooth_sensitivity.py",)
STAIRCASE = ("tests/mechanisms/test_staircase.py",)

FAULTS: tuple[Fault, ...] = (
    # --- Laplace and what all continuous noise shares ---
    Fault(
        "Laplace: calibrated scale halved",
        "mechanisms/laplace.py",
        "sensitivity.l1 / promise.epsilon)",
        "sensitivity.l1 / promise.epsilon / 2)",
        LAPLACE,
    ),
    Fault("Laplace: noise halved", "mechanisms/laplace.py", "LaplaceLaw(steps)", "LaplaceLaw(steps / 2)", LAPLACE),
    Fault(
        "Laplace: loss halved",
        "mechanisms/laplace.py",
        "LaplaceCurve(self.l1_sensitivity / self.scale)",
        "LaplaceCurve(self.l1_sensitivity / self.scale / 2)",
        LAPLACE,
    ),
    Fault(
        "Laplace: covers twice the sensitivity",
        "mechanisms/laplace.py",
        "sensitivity.l1 <= self.l1_sensitivity",
        "sensitivity.l1 <= 2 * self.l1_sensitivity",
        LAPLACE,
    ),
    Fault(
        "Laplace: covers the largest move, not the sum",
        "mechanisms/laplace.py",
        "sensitivity.l1 <= self.l1_sensitivity",
        "sensitivity.linf <= self.l1_sensitivity",
        NORMS,
    ),
    Fault(
        "additive: clipped before the noise",
        "mechanisms/additive.py",
        "flat, answers = array.ravel(), np.empty(array.size)",
        "flat, answers = np.clip(array.ravel(), 0, 1), np.empty(array.size)",
        LAPLACE,
    ),
    Fault(
        "additive: sign of a whole number",
        "mechanisms/additive.py",
        "return (value << -exponent) + self._law.one(source)",
        "return -(value << -exponent) + self._law.one(source)",
        LAPLACE,
    ),
    Fault(
        "additive: NaN is let through",
        "mechanisms/additive.py",
        'if array.dtype.kind == "f" and not np.isfinite(array).all():',
        'if array.dtype.kind == "f" and np.isinf(array).all():',
        LAPLACE,
    ),
    # --- Gaussian ---
    Fault(
        "Gaussian: noise halved",
        "mechanisms/gaussian.py",
        "GaussianLaw(steps * ROOT)",
        "GaussianLaw(steps / 2)",
        GAUSSIAN,
    ),
    Fault(
        "Gaussian: calibrated scale halved",
        "mechanisms/gaussian.py",
        "sensitivity.l2 * Fraction(ratio), promise=promise",
        "sensitivity.l2 * Fraction(ratio) / 2, promise=promise",
        GAUSSIAN,
    ),
    Fault(
        "Gaussian: loss halved",
        "mechanisms/gaussian.py",
        "GaussianCurve(self.l2_sensitivity / self.scale)",
        "GaussianCurve(self.l2_sensitivity / self.scale / 2)",
        GAUSSIAN,
    ),
    Fault(
        "Gaussian: zCDP without its 2",
        "mechanisms/gaussian.py",
        "square = 1 / (2 * positive",
        "square = 1 / (4 * positive",
        GAUSSIAN,
    ),
    Fault(
        "Gaussian: covers twice the sensitivity",
        "mechanisms/gaussian.py",
        "sensitivity.l2 <= self._reach",
        "sensitivity.l2 <= 2 * self._reach",
        GAUSSIAN,
    ),
    Fault(
        "Gaussian: covers the largest move, not the length",
        "mechanisms/gaussian.py",
        "sensitivity.l2 <= self._reach",
        "sensitivity.linf <= self._reach",
        NORMS,
    ),
    Fault(
        "DiscreteLaplace: covers the length, not the sum",
        "mechanisms/discrete_laplace.py",
        "math.floor(sensitivity.l1) <= self.l1_sensitivity",
        "math.floor(sensitivity.l2) <= self.l1_sensitivity",
        NORMS,
    ),
    Fault(
        "a broken promise is not refused",
        "core/mechanism.py",
        "if self.promise is not None and not self.loss.meets(self.promise):",
        "if self.promise is not None and self.loss is None:",
        GAUSSIAN,
    ),
    # --- whole numbers ---
    Fault(
        "DiscreteLaplace: noise halved",
        "mechanisms/discrete_laplace.py",
        "DiscreteLaplaceLaw(self.scale)",
        "DiscreteLaplaceLaw(self.scale / 2)",
        GEOMETRIC,
    ),
    Fault(
        "DiscreteLaplace: calibrated scale halved",
        "mechanisms/discrete_laplace.py",
        'moved / positive(epsilon, "epsilon")',
        'moved / positive(epsilon, "epsilon") / 2',
        GEOMETRIC,
    ),
    Fault(
        "DiscreteLaplace: loss of half the move",
        "mechanisms/discrete_laplace.py",
        "DiscreteLaplaceCurve(self.scale, math.floor(self.l1_sensitivity))",
        "DiscreteLaplaceCurve(self.scale, max(1, math.floor(self.l1_sensitivity / 2)))",
        GEOMETRIC,
    ),
    Fault(
        "DiscreteLaplace: covers twice the sensitivity",
        "mechanisms/discrete_laplace.py",
        "math.floor(sensitivity.l1) <= self.l1_sensitivity",
        "math.floor(sensitivity.l1) <= 2 * self.l1_sensitivity",
        GEOMETRIC,
    ),
    Fault(
        "whole numbers: clipped before the noise",
        "mechanisms/whole_noise.py",
        "return int(value) + self.law.one(source)",
        "return max(int(value), 0) + self.law.one(source)",
        WHOLE,
    ),
    Fault(
        "whole numbers: sign of the value",
        "mechanisms/whole_noise.py",
        "Lattice.add(wide.ravel(),",
        "Lattice.add(-wide.ravel(),",
        WHOLE,
    ),
    Fault(
        "DiscreteGaussian: noise halved",
        "mechanisms/discrete_gaussian.py",
        "DiscreteGaussianLaw(self.scale)",
        "DiscreteGaussianLaw(self.scale / 2)",
        DISCRETE_GAUSSIAN,
    ),
    Fault(
        "DiscreteGaussian: one cell charged for many",
        "mechanisms/discrete_gaussian.py",
        "DiscreteGaussianCurve(scale, each), self.cells)",
        "DiscreteGaussianCurve(scale, each))",
        DISCRETE_GAUSSIAN,
    ),
    Fault(
        "DiscreteGaussian: zCDP without its 2",
        "mechanisms/discrete_gaussian.py",
        "length**2 / (2 * scale**2)",
        "length**2 / (4 * scale**2)",
        DISCRETE_GAUSSIAN,
    ),
    Fault(
        "DiscreteGaussian: covers more cells",
        "mechanisms/discrete_gaussian.py",
        "and sensitivity.cells <= self.cells and fits",
        "and fits",
        DISCRETE_GAUSSIAN,
    ),
    # --- the ledger ---
    Fault(
        "ledger: charges after sampling",
        "core/ledger.py",
        "        loss = self._pay(mechanism, purpose, delta)\n        value = self._run(secret, mechanism)\n",
        "        value = self._run(secret, mechanism)\n        loss = self._pay(mechanism, purpose, delta)\n",
        LEDGER,
    ),
    Fault(
        "ledger: refunds a failed run",
        "core/ledger.py",
        "        value = self._run(secret, mechanism)\n",
        "        try:\n            value = self._run(secret, mechanism)\n        except ReleaseFailed:\n"
        "            self._journal.__init__()\n            raise\n",
        LEDGER,
    ),
    Fault(
        "ledger: checks only deferred values before the charge",
        "core/ledger.py",
        "        if not secret.deferred:\n            mechanism.check(secret.reveal_to_ledger())",
        "        if secret.deferred:\n            mechanism.check(secret.reveal_to_ledger())",
        LEDGER,
    ),
    Fault(
        "ledger: does not ask what is covered",
        "core/ledger.py",
        "        refuse_uncovered(mechanism, secret.sensitivity)\n",
        "",
        LEDGER,
    ),
    Fault(
        "ledger: any unit will do",
        "core/ledger.py",
        "if secret.unit != self.unit:",
        "if secret.unit.name == '':",
        LEDGER,
    ),
    Fault(
        "reservation: draws again and again",
        "core/ledger.py",
        "            self._left.subtract(dict(loss.parts))\n",
        "",
        LEDGER,
    ),
    Fault(
        "ledger: an error tells its reason",
        "core/ledger.py",
        "        except Exception:  # noqa: BLE001, S110 - the reason could be one person's data\n            pass\n",
        "        except Exception as problem:\n            raise ReleaseFailed(str(problem)) from problem\n",
        LEDGER,
    ),
    Fault("amount: fits with <", "loss/amount.py", "mine <= most)", "mine < most)", LEDGER),
    Fault("amount: fits a little more", "loss/amount.py", "mine <= most)", "mine <= most * 2)", LEDGER),
    Fault(
        "rule: a promise is charged unchecked",
        "loss/rules.py",
        "and not promise.gamma and loss.meets(promise):",
        "and not promise.gamma:",
        ("tests/loss/test_rules.py", *LEDGER),
    ),
    # --- composed ---
    Fault(
        "then: sees the value",
        "core/mechanism.py",
        "return self.function(self.mechanism.sample(value, source))",
        "return self.function(value)",
        COMPOSED,
    ),
    Fault(
        "after: group of one",
        "core/mechanism.py",
        "self.mechanism.loss.preprocessed(self.stability)",
        "self.mechanism.loss.preprocessed(1)",
        COMPOSED,
    ),
    Fault(
        "after: keeps the promise made for one unit",
        "core/mechanism.py",
        "self.mechanism.promise if self.stability == 1 else None",
        "self.mechanism.promise",
        COMPOSED,
    ),
    Fault(
        "after: prepared values are not checked",
        "core/mechanism.py",
        "        self.mechanism.check(prepared)\n",
        "",
        COMPOSED,
    ),
    Fault(
        "repr: prints what a function holds",
        "core/mechanism.py",
        'return str(getattr(value, "__name__", type(value).__name__))',
        "return repr(value)",
        COMPOSED,
    ),
    # --- Bernstein ---
    Fault(
        "least noise: Laplace for Gaussian's deviation",
        "mechanisms/least_noise.py",
        "if 2 * laplace.scale**2 <= gaussian.scale**2",
        "if laplace.scale**2 <= gaussian.scale**2 / 2**20",
        BERNSTEIN,
    ),
    Fault(
        "cells: charged for one",
        "mechanisms/least_noise.py",
        "LaplaceCurve(noise.l1_sensitivity / cells / noise.scale), cells)",
        "LaplaceCurve(noise.l1_sensitivity / cells / noise.scale))",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: one dimension's cells",
        "mechanisms/bernstein.py",
        'cells = (whole(degree, "degree") + 1) ** whole(dimension, "dimension")',
        'cells = (whole(degree, "degree") + 1) * whole(dimension, "dimension")',
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: degree for degree + 1",
        "mechanisms/bernstein.py",
        'cells = (whole(degree, "degree") + 1) **',
        'cells = whole(degree, "degree") **',
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: one coefficient moves",
        "mechanisms/bernstein.py",
        "self.noise.covers(Sensitivity(sensitivity.linf, cells=self.cells))",
        "self.noise.covers(sensitivity)",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: clipped before the noise",
        "mechanisms/bernstein.py",
        "np.asarray(value).reshape(self.shape)",
        "np.clip(value, 0, 1).reshape(self.shape)",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: exact values released",
        "mechanisms/bernstein.py",
        "BernsteinFunction(np.asarray(noisy), self.order",
        "BernsteinFunction(np.asarray(value), self.order",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: order dropped",
        "mechanisms/bernstein.py",
        "BernsteinFunction(np.asarray(noisy), self.order",
        "BernsteinFunction(np.asarray(noisy), 1",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: factor of order 1",
        "mechanisms/bernstein.py",
        "math.fsum(most**power for power in range(self.order))",
        "math.fsum(most**power for power in range(1))",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: margin of one value",
        "mechanisms/bernstein.py",
        "BernsteinError(self.noise.uncertainty, self.cells,",
        "BernsteinError(self.noise.uncertainty, 1,",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: bias without its 4",
        "mechanisms/bernstein.py",
        "Fraction(0)) / (4 * self.degree)",
        "Fraction(0)) / (16 * self.degree)",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein: bias without its 8",
        "mechanisms/bernstein.py",
        "size * square / (8 * self.degree)",
        "size * square / (16 * self.degree)",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein function: sign of the iteration",
        "mechanisms/bernstein_function.py",
        "rest = rest - smooth",
        "rest = smooth - rest",
        BERNSTEIN,
    ),
    Fault(
        "Bernstein function: any point will do",
        "mechanisms/bernstein_function.py",
        "if not ((array >= low) & (array <= high)).all():",
        "if not ((array >= low - 1) & (array <= high + 1)).all():",
        BERNSTEIN,
    ),
    # --- sample and aggregate ---
    Fault(
        "blocks: noise for half the width",
        "mechanisms/sample_and_aggregate.py",
        "moved = Sensitivity(1, cells=len(pairs))",
        'moved = Sensitivity("1/2", cells=len(pairs))',
        BLOCKS,
    ),
    Fault(
        "blocks: numbers of an answer not counted",
        "mechanisms/sample_and_aggregate.py",
        "moved = Sensitivity(1, cells=len(pairs))",
        "moved = Sensitivity(1)",
        BLOCKS,
    ),
    Fault(
        "blocks: cut by position",
        "mechanisms/sample_and_aggregate.py",
        "place = UniformLaw(self.blocks).many(source, count)[units]",
        "place = units * self.blocks // max(count, 1)",
        BLOCKS,
    ),
    Fault(
        "blocks: dealt unevenly",
        "mechanisms/sample_and_aggregate.py",
        "place = UniformLaw(self.blocks).many(source, count)[units]",
        "place = UniformLaw(self.blocks + 1).many(source, count)[units] % self.blocks",
        BLOCKS,
    ),
    Fault(
        "blocks: rows of a unit dealt apart",
        "mechanisms/sample_and_aggregate.py",
        "units = owners_of(value.unit_ids) if isinstance(value, GroupedRows) else np.arange(len(rows))",
        "units = np.arange(len(rows))",
        BLOCKS,
    ),
    Fault(
        "blocks: each missing id a unit of its own",
        "mechanisms/sample_and_aggregate.py",
        "return owner if owner == owner and hash(owner) is not None else None",
        "return owner if owner == owner and hash(owner) is not None else object()",
        BLOCKS,
    ),
    Fault(
        "blocks: answers not clipped",
        "mechanisms/sample_and_aggregate.py",
        "if not low < number < high:",
        "if math.isinf(number):",
        BLOCKS,
    ),
    Fault(
        "blocks: an error escapes",
        "mechanisms/sample_and_aggregate.py",
        "except Exception:  # noqa: BLE001, S110 - an error",
        "except ZeroDivisionError:  # an error",
        BLOCKS,
    ),
    Fault(
        "blocks: nothing counts as 0, not the middle",
        "mechanisms/sample_and_aggregate.py",
        "return 1 << (SHARES - 1)",
        "return 0",
        BLOCKS,
    ),
    Fault(
        "blocks: covers two rows",
        "mechanisms/sample_and_aggregate.py",
        "return sensitivity.l1 <= 1",
        "return sensitivity.linf <= 2",
        BLOCKS,
    ),
    Fault(
        "blocks: sum for mean",
        "mechanisms/sample_and_aggregate.py",
        "low + (high - low) * share / self.blocks))",
        "low + (high - low) * share))",
        BLOCKS,
    ),
    Fault(
        "blocks: a warning is shown",
        "mechanisms/sample_and_aggregate.py",
        'warnings.simplefilter("ignore")',
        'warnings.simplefilter("always")',
        BLOCKS,
    ),
    # --- choosing, finite answers, smooth sensitivity and stairs ---
    Fault(
        "selection: missing /2",
        "mechanisms/selection.py",
        "self.epsilon / (2 * self.score_sensitivity * BINARY)",
        "self.epsilon / (self.score_sensitivity * BINARY)",
        EXPONENTIAL,
    ),
    Fault(
        "selection: covers twice the sensitivity",
        "mechanisms/selection.py",
        "sensitivity.linf <= self.score_sensitivity",
        "sensitivity.linf <= 2 * self.score_sensitivity",
        EXPONENTIAL,
    ),
    Fault(
        "Exponential: sign of the score",
        "mechanisms/exponential.py",
        "CategoricalLaw(score_row(scores), rate=self.rate)",
        "CategoricalLaw(-score_row(scores), rate=self.rate)",
        EXPONENTIAL,
    ),
    Fault(
        "Exponential: loss halved",
        "mechanisms/exponential.py",
        "ExponentialCurve(self.epsilon)",
        "ExponentialCurve(self.epsilon / 2)",
        EXPONENTIAL,
    ),
    Fault(
        "PermuteAndFlip: priced as the exponential mechanism",
        "mechanisms/permute_and_flip.py",
        "PrivacyLoss.of(PermuteAndFlipCurve(self.epsilon))",
        "PrivacyLoss.of(__import__('privet.loss').loss.ExponentialCurve(self.epsilon))",
        FLIP,
    ),
    Fault(
        "PermuteAndFlip: no permutation",
        "mechanisms/permute_and_flip.py",
        "orders = PermutationLaw(len(row)).many(source, count)",
        "orders = np.tile(np.arange(len(row)), (count, 1))",
        FLIP,
    ),
    Fault(
        "NoisyMax: missing 2",
        "mechanisms/noisy_max.py",
        "DiscreteLaplaceLaw(2 * self.lattice.widened",
        "DiscreteLaplaceLaw(self.lattice.widened",
        NOISY_MAX,
    ),
    Fault(
        "NoisyMax: value instead of index",
        "mechanisms/noisy_max.py",
        "        return chosen\n",
        "        return noisy.max(axis=1)  # type: ignore[no-any-return]\n",
        NOISY_MAX,
    ),
    Fault(
        "SparseVector: third variant, tells the noisy answer",
        "mechanisms/sparse_vector.py",
        "values = tuple(np.asarray(self.value_mechanism.sample(row[above], source)).tolist())",
        "values = tuple(float(x) for x in row[above])",
        SPARSE,
    ),
    Fault(
        "SparseVector: fourth variant, too little noise",
        "mechanisms/sparse_vector.py",
        "DiscreteLaplaceLaw(4 * self.count * self._moved / self.epsilon)",
        "DiscreteLaplaceLaw(self._moved / self.epsilon)",
        SPARSE,
    ),
    Fault(
        "SparseVector: fifth variant, no noise on answers",
        "mechanisms/sparse_vector.py",
        "noisy = self.lattice.add(self.lattice.to_steps(row), noise)",
        "noisy = self.lattice.add(self.lattice.to_steps(row), 0 * noise)",
        SPARSE,
    ),
    Fault(
        "SparseVector: sixth variant, never stops",
        "mechanisms/sparse_vector.py",
        "else len(row)\n        above = above[: self.count]",
        "else len(row)\n        asked = len(row)",
        SPARSE,
    ),
    Fault(
        "SparseVector: adaptive run never stops",
        "mechanisms/sparse_vector.py",
        "while sum(flags) < self.vector.count and (question",
        "while (question",
        SPARSE,
    ),
    Fault(
        "SparseVector: values come free",
        "mechanisms/sparse_vector.py",
        "flags + self.value_mechanism.loss * self.count",
        "flags",
        SPARSE,
    ),
    Fault(
        "SparseVector: threshold without noise",
        "mechanisms/sparse_vector.py",
        "self.lattice.to_step(self.threshold) + self._threshold_law.one(source)",
        "self.lattice.to_step(self.threshold)",
        SPARSE,
    ),
    Fault(
        "PartitionSelection: coin for one more unit",
        "mechanisms/partition_selection.py",
        "BernoulliLaw(self.probability(size))",
        "BernoulliLaw(self.probability(size + 1))",
        PARTITIONS,
    ),
    Fault(
        "PartitionSelection: grows too fast",
        "mechanisms/partition_selection.py",
        "table.append(min(kept * grown // GRID + jump, slower, one))",
        "table.append(min(kept * grown // GRID + jump, one))",
        PARTITIONS,
    ),
    Fault(
        "PartitionSelection: many partitions charged as one",
        "mechanisms/partition_selection.py",
        "_losses(self.epsilon, self.delta, self.partitions_per_unit)",
        "_losses(self.epsilon, self.delta, 1)",
        PARTITIONS,
    ),
    Fault(
        "PartitionCounts: >= for >",
        "mechanisms/partition_counts.py",
        "np.where(noisy > self.largest_error, noisy, 0)",
        "np.where(noisy >= self.largest_error, noisy, 0)",
        PARTITION_COUNTS,
    ),
    Fault(
        "PartitionCounts: noise halved",
        "mechanisms/partition_counts.py",
        "DiscreteLaplaceLaw(1 / min(",
        "DiscreteLaplaceLaw(Fraction(1, 2) / min(",
        PARTITION_COUNTS,
    ),
    Fault(
        "RandomizedResponse: ones never flip",
        "mechanisms/randomized_response.py",
        "np.where(flat, BernoulliLaw(self.flip_one).many(source, flat.size), flips)",
        "np.where(flat, np.zeros(flat.size, dtype=bool), flips)",
        RESPONSE,
    ),
    Fault(
        "RandomizedResponse: one bit charged for many",
        "mechanisms/randomized_response.py",
        "RandomizedResponseCurve(self.flip_zero, self.flip_one), self.cells)",
        "RandomizedResponseCurve(self.flip_zero, self.flip_one), 1)",
        RESPONSE,
    ),
    Fault(
        "RandomizedResponse: the lie may be true",
        "mechanisms/randomized_response.py",
        "reported = (flat ^ flips)",
        "reported = (flat ^ (flips & BernoulliLaw(Fraction(1, 2)).many(source, flat.size)))",
        RESPONSE,
    ),
    Fault(
        "KaryRandomizedResponse: odds squared",
        "mechanisms/kary_randomized_response.py",
        "FavoriteLaw(self.categories, self.epsilon)",
        "FavoriteLaw(self.categories, 2 * self.epsilon)",
        KARY,
    ),
    Fault(
        "KaryRandomizedResponse: covers any number of values",
        "mechanisms/kary_randomized_response.py",
        "changed_cells(sensitivity) <= self.cells",
        "changed_cells(sensitivity) >= 0",
        KARY,
    ),
    Fault(
        "FiniteMechanism: draws from the next row",
        "mechanisms/finite_mechanism.py",
        "self._laws[value].one(source)",
        "self._laws[value - 1].one(source)",
        TABLE,
    ),
    Fault(
        "FiniteMechanism: worst ratio upside down",
        "mechanisms/finite_mechanism.py",
        "least = min(near, key=entries.__getitem__)",
        "least = max(near, key=entries.__getitem__)",
        TABLE,
    ),
    Fault(
        "SmoothLaplace: noise halved",
        "mechanisms/smooth_laplace.py",
        "return 2 / self.epsilon",
        "return 1 / self.epsilon",
        SMOOTH_LAPLACE,
    ),
    Fault(
        "SmoothLaplace: textbook's smoothness for every ε",
        "mechanisms/smooth_laplace.py",
        "float_down(min(half / (Decimal(2) / chance).ln(), proven))",
        "float_down(half / (Decimal(2) / chance).ln())",
        SMOOTH_LAPLACE,
    ),
    Fault(
        "SmoothCauchy: spread halved",
        "mechanisms/smooth_cauchy.py",
        "Fraction(str(float_up(1 / (2 * min(far, _cosh(top) - 1)).sqrt())))",
        "Fraction(str(float_up(1 / (8 * min(far, _cosh(top) - 1)).sqrt())))",
        SMOOTH_CAUCHY,
    ),
    Fault(
        "SmoothGaussian: spread without its 5",
        "mechanisms/smooth_gaussian.py",
        "float_up(5 * root / decimal_of(self.epsilon))",
        "float_up(root / decimal_of(self.epsilon))",
        SMOOTH_GAUSSIAN,
    ),
    Fault(
        "smooth: half the smooth sensitivity",
        "mechanisms/smooth.py",
        "return max(scale, _NARROWEST)",
        "return max(scale / 2, _NARROWEST)",
        SMOOTH_LAPLACE,
    ),
    Fault(
        "Staircase: a stair too short",
        "mechanisms/staircase.py",
        "StaircaseLaw(self.epsilon, width=self.width, rise=self.rise)",
        "StaircaseLaw(self.epsilon, width=self.width // 2, rise=self.rise)",
        STAIRCASE,
    ),
    Fault(
        "Staircase: covers twice the sensitivity",
        "mechanisms/staircase.py",
        "sensitivity.linf <= self.sensitivity",
        "sensitivity.linf <= 2 * self.sensitivity",
        STAIRCASE,
    ),
)
