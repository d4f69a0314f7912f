# ruff: noqa: INP001 - a script, not a package
"""Faults in what an anchor remembers, and in what is believed without it."""

from fault import Fault

SQLITE = ("tests/core/journals/test_sqlite.py",)
TAMPER = ("tests/core/journals/test_tamper.py",)
FORGED = ("tests/core/journals/test_anchor_forged.py",)
LOST = ("tests/core/journals/test_anchor_lost.py",)
DAMAGED = ("tests/core/journals/test_anchor_damaged.py",)

ANCHOR: tuple[Fault, ...] = (
    Fault(
        "anchor: not compared with the end of the rows",
        "core/journals/handle.py",
        "                witness.ended(head)\n",
        "",
        SQLITE,
    ),
    Fault(
        "anchor: a cut journal is opened",
        "core/journals/opening.py",
        "        witness.ended(previous)\n",
        "",
        TAMPER,
    ),
    Fault(
        "anchor: overwrites its last mark",
        "core/journals/anchor.py",
        "_write(file, 1 - known.slot, mark)",
        "_write(file, known.slot, mark)",
        ("tests/core/journals/test_sqlite.py::test_an_anchor_slot_that_is_torn_leaves_the_other",),
    ),
    Fault(
        "anchor: rewritten rows are believed",
        "core/journals/witness.py",
        "        if row.sequence == self.sequence and not self.remembered.mark.is_of(row):",
        "        if False:",
        TAMPER,
    ),
    Fault(
        "anchor: owner's rows need no announcement",
        "core/journals/witness.py",
        "        if announced is None or not announced.is_of(row):",
        "        if False:",
        SQLITE,
    ),
    Fault(
        "anchor: owner's rows are not announced",
        "core/journals/journal.py",
        "                    self._announce(written[-1][0])\n",
        "                    pass\n",
        SQLITE,
    ),
    Fault(
        "anchor: an open handle believes forged rows",
        "core/journals/handle.py",
        "            witness.saw(row, facts)\n            self._add",
        "            self._add",
        FORGED,
    ),
    Fault(
        "anchor: forged rows are believed when it is opened",
        "core/journals/opening.py",
        "            witness.saw(row, facts)\n            if row",
        "            if row",
        FORGED,
    ),
    Fault(
        "anchor: the anchor of another journal is noticed after the write",
        "core/journals/handle.py",
        "            witness.first(self._first)\n",
        "            pass\n",
        DAMAGED,
    ),
    Fault(
        "anchor: anything with a state is a checkpoint",
        "core/journals/handle.py",
        "        if row.sequence and self._checkpoint_due",
        "        if False and self._checkpoint_due",
        FORGED,
    ),
    Fault(
        "anchor: a plan is drawn from by whoever has its key",
        "core/reservation.py",
        "        if self._repeat is not None:\n            raise",
        "        if False:\n            raise",
        FORGED,
    ),
    Fault(
        "anchor: old rows are added up unchecked",
        "core/journals/owner.py",
        "facts = row.facts_after(previous)",
        "facts = row.facts",
        FORGED,
    ),
    Fault(
        "anchor: an announcement forgets the one before",
        "core/journals/anchor.py",
        "            self._advance(file, Mark.of_row(journal, after))\n            _write",
        "            _write",
        FORGED,
    ),
    Fault(
        "anchor: the owner vouches for everything at once",
        "core/journals/anchored.py",
        "        if self.anchor is None or self._vouched is Vouched.ALL:",
        "        if self.anchor is None or self._vouched is not Vouched.NOTHING:",
        FORGED,
    ),
    Fault(
        "anchor: a new one is made before all rows are checked",
        "core/journals/anchored.py",
        "            self.open()\n            self.verify()\n",
        "            self.open()\n",
        LOST,
    ),
    Fault(
        "anchor: left out where the journal was made with one",
        "core/journals/opening.py",
        '        if facts.get("anchored") and not self._watched:',
        "        if False:",
        LOST,
    ),
    Fault(
        "anchor: a lost journal is made anew",
        "core/journals/anchored.py",
        "        if not found.begun:",
        "        if False:",
        LOST,
    ),
    Fault(
        "anchor: traces of a lost journal are overlooked",
        "core/journals/sqlite.py",
        "        if found:\n            raise",
        "        if False:\n            raise",
        LOST,
    ),
    Fault(
        "anchor: a new ledger is made without a word",
        "core/ledger.py",
        "        if create is None and self._journal.made",
        "        if create and self._journal.made",
        LOST,
    ),
    Fault(
        "anchor: a ledger is made though it must be there",
        "core/journals/opening.py",
        "        made_of = terms if create else None\n",
        "        made_of = terms\n",
        LOST,
    ),
    Fault(
        "anchor: fields are not looked at",
        "core/journals/mark.py",
        "        if not _is_mark(facts):",
        "        if False:",
        DAMAGED,
    ),
    Fault(
        "anchor: destroyed marks are taken for none",
        "core/journals/mark.py",
        " and slots[:ANNOUNCED] == [BLANK] * ANNOUNCED:",
        ":",
        DAMAGED,
    ),
    Fault(
        "anchor: its lock is waited for without end",
        "core/journals/anchor.py",
        "            if time.monotonic() >= end:",
        "            if False:",
        DAMAGED,
    ),
    Fault(
        "anchor: a newer version is guessed at",
        "core/journals/mark.py",
        'facts.pop("version", VERSION), known',
        'VERSION if facts.pop("version", None) else VERSION, known',
        DAMAGED,
    ),
    Fault(
        "version: older ones are told to upgrade",
        "core/journals/versions.py",
        "    if type(found) is int and found > known:",
        "    if found != known:",
        DAMAGED,
    ),
    Fault(
        "version: an open handle writes on in SQLite",
        "core/journals/sqlite.py",
        '                    self._refuse_version(*connection.execute("PRAGMA user_version").fetchone())\n',
        "",
        DAMAGED,
    ),
    Fault(
        "version: an open handle writes on in PostgreSQL",
        "core/journals/postgres.py",
        "                if begun.description:",
        "                if False:",
        DAMAGED,
    ),
)
