# ruff: noqa: INP001 - a script, not a package; texts stand as they are in the source
"""Faults of batches, of threads, of engines that fail, and of ledgers under load."""

from fault import Fault

BATCHES = ("tests/query/test_batch.py",)
RESERVED = ("tests/core/test_reservation.py",)
ENGINES = ("tests/query/backends/test_engine_faults.py",)

BATCH: tuple[Fault, ...] = (
    Fault(
        "batch: rows under other conditions are taken for the same",
        "query/plan/same_relation.py",
        "        return bool(one == other) and repr(one) == repr(other)  # 0.0 equals -0.0, and is another number\n",
        "        return True\n",
        ("tests/query/plan/test_same_relation.py",),
    ),
    Fault(
        "batch: columns that changed places are taken for the same",
        "query/plan/same_relation.py",
        "            return self.columns[other] is one\n",
        "            return True\n",
        ("tests/query/plan/test_same_relation.py",),
    ),
    Fault(
        "batch: units that are counted hold other questions to few groups",
        "query/plan/merge.py",
        "        if one.keys and _counts_units(one) != _counts_units(other):",
        "        if one.keys and not one.keys:",
        BATCHES,
    ),
    Fault(
        "batch: an aggregate keeps the columns of its own statement",
        "query/plan/merge.py",
        "            found[column] = self._added(column, _of_columns(wanted, columns))",
        "            found[column] = self._added(column, wanted)",
        BATCHES,
    ),
    Fault(
        "batch: only the first statement is reserved",
        "query/answering/charge.py",
        "                quote.loss,\n                purpose=charge.purpose,\n",
        "                quote.stages[0].loss if quote.statement.parts else quote.loss,\n"
        "                purpose=charge.purpose,\n",
        BATCHES,
    ),
    Fault(
        "batch: what is shared is drawn again for every statement",
        "query/answering/run.py",
        "            if stage.source not in self._done:",
        "            if stage:",
        BATCHES,
    ),
    Fault(
        "batch: a statement alone is priced as the whole",
        "query/results/receipt.py",
        "    pure = rule.cost(loss, delta=options.delta)\n",
        "    pure = rule.cost(loss, promise=part.promise, delta=options.delta)\n",
        BATCHES,
    ),
    Fault(
        "batch: shared columns weigh as one",
        "query/pricing/quote.py",
        "            by_column[column] = by_column.get(column, Fraction(0)) + share / len(part.columns)",
        "            by_column[column] = share",
        BATCHES,
    ),
    Fault(
        "batch: the key forgets the weights",
        "query/session.py",
        'options.question("batch", batch.names, batch.texts, shares)',
        'options.question("batch", batch.names, batch.texts)',
        BATCHES,
    ),
    Fault(
        "threads: released tables are shared",
        "query/backends/duckdb/engine.py",
        "            connection = self._connection.cursor()\n",
        "            connection = self._connection\n",
        ("tests/query/test_threads.py",),
    ),
    Fault(
        "failing: the engine's words are passed on",
        "query/answering/failed_run.py",
        "    outcome = silently(run, passing=OF_THE_LEDGER)\n",
        "    return run()\n    outcome = silently(run, passing=OF_THE_LEDGER)\n",
        ENGINES,
    ),
    Fault(
        "failing: what cost nothing is said to be paid for",
        "query/answering/failed_run.py",
        "        raise InvalidParameter(UNREAD) from None\n",
        "        raise\n",
        ENGINES,
    ),
    Fault(
        "progress: Ctrl-C leaves the engine at work",
        "query/backends/progress.py",
        "                stop()\n",
        "",
        ("tests/query/backends/test_progress.py",),
    ),
    Fault(
        "spill: folders in use are removed",
        "query/backends/duckdb/spill_folder.py",
        "            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
        "",
        ("tests/query/backends/duckdb/test_spill_folder.py",),
    ),
    Fault(
        "reservation: what is ready is drawn without end",
        "core/reservation.py",
        "            self._ready[mechanism, loss] -= 1\n",
        "",
        RESERVED,
    ),
    Fault(
        "reservation: a forked child draws what is ready",
        "core/reservation.py",
        "            if os.getpid() != self._owner or self._ready[mechanism, loss] < 1:",
        "            if self._ready[mechanism, loss] < 1:",
        RESERVED,
    ),
    Fault(
        "reservation: draws beyond the plan are recorded with it",
        "core/reserved_loss.py",
        "    if any(times < 0 for times in left.values()):",
        "    if not left:",
        RESERVED,
    ),
    Fault(
        "ledger: a stored answer is recalled for another question",
        "core/journals/journal.py",
        '    if row.facts["request"] != facts["request"]:',
        '    if row.facts["analyst"] != facts["analyst"]:',
        RESERVED,
    ),
    Fault(
        "session: a stored answer is looked for after the engine is asked",
        "query/answering/charge.py",
        "    if charge.key is not None and not free:  # before",
        "    if charge.key == quote.loss.parts:  # before",
        ("tests/query/engines/test_postgres_faults.py",),
    ),
    Fault(
        "journal: draws are recorded across a checkpoint",
        "core/journals/handle.py",
        "        if any(self._checkpoint_due(plan.sequence + place) for place in range(1, len(draws) + 1)):",
        "        if not written:",
        RESERVED,
    ),
    Fault(
        "turns: who leaves takes the turn along",
        "core/journals/turns.py",
        "            if self._line:\n                self._line[0][1].set()\n",
        "            if self._line:\n                self._line[0][1].is_set()\n",
        ("tests/core/journals/test_turns.py",),
    ),
)
