# ruff: noqa: INP001 - a script, not a package
"""Faults in what leaves after the charge: one sentence, counted, and nothing else."""

from fault import Fault

SILENCE = ("tests/core/test_silence.py",)
FAILING = ("tests/query/test_failing.py",)

EXIT: tuple[Fault, ...] = (
    Fault(
        "silence: a SystemExit passes",
        "core/silence.py",
        "    except BaseException as problem:  # noqa: BLE001 - SystemExit",
        "    except (Exception, KeyboardInterrupt) as problem:  # noqa: BLE001 - SystemExit",
        SILENCE,
    ),
    Fault(
        "silence: an interrupt passes with its words",
        "core/silence.py",
        "    return type(problem) is KeyboardInterrupt and not problem.args and main",
        "    return type(problem) is KeyboardInterrupt and main",
        SILENCE,
    ),
    Fault(
        "silence: the context of an error is shown",
        "core/silence.py",
        "        return Failure(ReleaseFailed(FAILED), reason)\n",
        "        raise ReleaseFailed(FAILED) from problem\n",
        SILENCE,
    ),
    Fault(
        "silence: warnings become errors",
        "core/silence.py",
        '        warnings.simplefilter("ignore", Unheard)\n',
        "        pass\n",
        SILENCE,
    ),
    Fault(
        "silence: warnings are shown where a function wants them",
        "core/silence.py",
        '    (warnings, "_showwarnmsg"),',
        '    (warnings, "_showwarnmsg_of_nobody"),',
        SILENCE,
    ),
    Fault(
        "silence: the whole process is silent",
        "core/silence.py",
        "    return any(here not in before for before in tuple(_RUNNING.values()))\n",
        "    return here is not None\n",
        SILENCE,
    ),
    Fault(
        "silence: threads of a computation are heard",
        "core/silence.py",
        "    return any(here not in before for before in tuple(_RUNNING.values()))\n",
        "    return here is None\n",
        SILENCE,
    ),
    Fault(
        "silence: numpy raises what it likes",
        "core/silence.py",
        '        with np.errstate(all="ignore"):\n',
        "        with np.errstate():\n",
        SILENCE,
    ),
    Fault(
        "silence: a frame keeps the secret",
        "core/ledger.py",
        "        del secret  # what is raised from here on shows this frame\n",
        "",
        SILENCE,
    ),
    Fault(
        "silence: randomness fails in the words of a function",
        "core/ledger.py",
        "        raise EntropyError(NO_RANDOMNESS) from None\n",
        "        raise\n",
        SILENCE,
    ),
    Fault(
        "failing: the ledger's errors show a statement's frames",
        "query/failing.py",
        "    problem = KeyboardInterrupt(CANCELLED) if outcome.interrupted else outcome.problem\n",
        "    problem = KeyboardInterrupt(CANCELLED) if outcome.interrupted else outcome.problem\n"
        "    problem.__context__ = ValueError(outcome.reason)\n",
        FAILING,
    ),
    Fault(
        "failing: errors of our own pass with their words",
        "query/failing.py",
        "OF_THE_LEDGER = (AnswerLost,",
        "OF_THE_LEDGER = (InvalidParameter, AnswerLost,",
        FAILING,
    ),
)
