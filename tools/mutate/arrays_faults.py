# ruff: noqa: INP001 - a script, not a package; old texts stand as they are in the source
"""The faults of arrays: what one row could change of how others are read, and of what is seen."""

from fault import Fault

ROW = ("tests/stats/test_one_row.py",)
PLAYS = ("tests/stats/test_one_row.py", "tests/stats/test_neighbor_columns.py")
WHOLE = ("tests/mechanisms/test_whole_noise.py",)
KEYS = ("tests/mechanisms/test_partition_selection.py",)
SCORES = ("tests/mechanisms/test_exponential.py",)

ARRAYS = (
    Fault(
        "arrays: a null makes floats of an arrow column",
        "asking/arrow_column.py",
        "if missing.any() else array\n",
        "if not missing.any() else array\n",
        PLAYS,
    ),
    Fault(
        "arrays: a dictionary is read by numpy",
        "asking/arrow_column.py",
        "    if pa.types.is_dictionary(dtype) or pa.types.is_run_end_encoded(dtype):\n",
        "    if pa.types.is_run_end_encoded(dtype):\n",
        PLAYS,
    ),
    Fault(
        "arrays: broken texts stop everything",
        "asking/arrow_column.py",
        'errors="surrogateescape"',
        'errors="strict"',
        ROW,
    ),
    Fault(
        "arrays: broken texts are one",
        "asking/arrow_column.py",
        'errors="surrogateescape"',
        'errors="replace"',
        ROW,
    ),
    Fault(
        "arrays: pandas' integers are read as they are",
        "asking/pandas_column.py",
        'return nothing_missing(found if found.dtype.kind == "b" else found.astype(np.float64, copy=False))',
        "return nothing_missing(found)",
        PLAYS,
    ),
    Fault(
        "arrays: pandas' owners beyond 2^53 are merged",
        "asking/pandas_column.py",
        "np.where(np.abs(found) <= EXACT, ",
        "np.where(np.abs(found) <= np.inf, ",
        ROW,
    ),
    Fault(
        "arrays: a pandas type without gaps is believed",
        "asking/pandas_column.py",
        'return Stored(len(values), "any", plain.dtype, True, read, code, peek, mixed=True, rounded=True)',
        'return Stored(len(values), "any", plain.dtype, plain.nullable, read, code, peek, mixed=True, rounded=True)',
        ROW,
    ),
    Fault(
        "arrays: pandas' truths and objects are counted in two ways",
        "stats/sums/count.py",
        "but_false=of is None and column.mixed",
        "but_false=False",
        ROW,
    ),
    Fault(
        "arrays: large labels are looked up among floats",
        "stats/cells/labeled.py",
        "if column.rounded and any(",
        "if column.rounded and column.kind == 'whole' and any(",
        ROW,
    ),
    Fault(
        "arrays: texts are taken for missing numbers",
        "asking/column.py",
        "            wrong = only_texts(self.peek())\n",
        "            wrong = False\n",
        ROW,
    ),
    Fault(
        "arrays: one text refuses a column",
        "asking/elements.py",
        "            some = True\n",
        "            return True\n",
        PLAYS,
    ),
    Fault(
        "arrays: a signalling NaN raises an error",
        "asking/elements.py",
        "    except Exception:  # noqa: BLE001 - a signalling NaN and NA do not compare, and neither do arrays\n",
        "    except (TypeError, ValueError):\n",
        ("tests/stats/test_neighbor_columns.py",),
    ),
    Fault(
        "arrays: a gap of one column stays in the rows of another",
        "asking/question.py",
        "gaps = [mask for mask in masks if anything_missing(mask)]",
        "gaps = [mask for mask in masks[:1] if anything_missing(mask)]",
        ROW,
    ),
    Fault(
        "arrays: only the last column has the length of the first",
        "asking/question.py",
        '(("values", each) for each in columns)',
        '(("values", each) for each in columns[-1:])',
        ROW,
    ),
    Fault(
        "arrays: a window is charged to persons",
        "asking/protected_unit.py",
        "    unit = named if window is None else",
        "    unit = named if window is None or ledger is not None else",
        ROW,
    ),
    Fault(
        "arrays: a window of another length is believed",
        "asking/protected_unit.py",
        'rf"\'s {length} consecutive \\S"',
        'r"consecutive \\S"',
        ("tests/asking/test_asking.py",),
    ),
    Fault(
        "arrays: a function that fails is told",
        "mechanisms/quietly.py",
        "    except BaseException:  # noqa: BLE001 - it would tell something about the data\n",
        "    except Exception:  # noqa: BLE001 - it would tell something about the data\n",
        ROW,
    ),
    Fault(
        "arrays: an answer that is no number is told",
        "stats/functions/total_function.py",
        "return known if math.isfinite(known) else 0.0",
        "return known",
        ROW,
    ),
    Fault(
        "arrays: sensitivities that fail are told",
        "stats/functions/smooth_sensitivity.py",
        "return quietly(found, mechanism.largest_bound if overall is None else overall)",
        "return found()",
        ROW,
    ),
    Fault(
        "arrays: a row of another width stops the others",
        "asking/table.py",
        "return numbers if len(numbers) == width else [np.nan] * width",
        "return numbers",
        ROW,
    ),
    Fault(
        "arrays: with_total forgets the other's γ",
        "postprocessing/labeled_counts.py",
        "gamma = self.gamma + other.gamma",
        "gamma = self.gamma",
        ROW,
    ),
    Fault(
        "arrays: the type of whole answers tells their size",
        "mechanisms/whole_noise.py",
        "wide = array.dtype == np.uint64 or self.law.scale > WIDE",
        "wide = array.dtype == np.uint64 or bool((np.abs(array.astype(np.float64)) > 2.0**62).any())",
        WHOLE,
    ),
    Fault(
        "arrays: whole answers wrap around",
        "mechanisms/whole_noise.py",
        "return np.where(beyond, ",
        "return np.where(beyond & False, ",
        WHOLE,
    ),
    Fault(
        "arrays: kept keys stay as they came",
        "mechanisms/key_order.py",
        "for _, number, key in sorted(placed, key=lambda each: each[:2])]",
        "for _, number, key in placed]",
        KEYS,
    ),
    Fault(
        "arrays: a set stands where its members were added",
        "mechanisms/key_order.py",
        "(frozenset, lambda members: sorted(map(place_of, members))),",
        "(frozenset, lambda members: (len(members),)),",
        KEYS,
    ),
    Fault(
        "arrays: a key shows the sign of zero",
        "mechanisms/key_order.py",
        "        return type(key)(0.0)\n",
        "        return key\n",
        KEYS,
    ),
    Fault(
        "arrays: a float among scores rounds the others",
        "mechanisms/selection.py",
        "row = finite_numbers(value, exact_lists=True)",
        "row = finite_numbers(value)",
        SCORES,
    ),
)
