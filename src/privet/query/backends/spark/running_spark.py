"""RunningSpark: the Spark of this process. There is one at most, and whoever started it stops it."""

import contextlib
import os
import socket
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from privet.errors import InvalidParameter
from privet.query.backends.spark.java import java_home
from privet.query.catalog.spark_source import HERE, MASTER, OTHER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MISSING = 'Spark is not installed: pip install "privet[spark]"'
QUIET = """rootLogger.level = off
rootLogger.appenderRef.none.ref = none
appender.none.type = Null
appender.none.name = none
"""
PATIENCE = "60s"  # for workers that do not answer
SECONDS = 10  # for a master to answer

_lock = Lock()
_users = 0  # engines that use a Spark of our own


def master_of(source: str) -> str | None:
    """The master's address; None for the Spark that runs already.

    Example:
        >>> master_of("spark://host:7077"), master_of("spark+local[2]"), master_of("spark+yarn"), master_of("spark")
        ('spark://host:7077', 'local[2]', 'yarn', None)
    """
    if source == HERE:
        return None
    master = source.removeprefix(OTHER)
    if master.startswith("sc://"):
        raise InvalidParameter(
            "Spark Connect (sc://) cannot cancel or pin what Privet needs: name the cluster's master"
        )
    if not master:
        raise InvalidParameter('source: name a master, as in "spark://host:7077", "spark+local[2]" or "spark+yarn"')
    return master


def opened(source: str, *, memory: str | None) -> tuple["SparkSession", bool]:
    """A session of its own, and whether it runs on a Spark that we started.

    Raises:
        InvalidParameter: if there is no Spark, no Java, no such master, or another Spark runs in this process.
    """
    global _users  # noqa: PLW0603 - a process has one Spark
    with _lock, _quiet_import():
        try:
            from pyspark import SparkContext  # noqa: PLC0415 - an extra
        except ImportError:
            raise InvalidParameter(MISSING) from None
        master = master_of(source)
        context: Any = SparkContext._active_spark_context  # noqa: SLF001 - the way to ask without starting one
        ours = _users > 0
        if context is not None and is_gone(context):
            _forget(context)
            context = None
            _users = 0
            ours = False
        if context is None and master is None:
            raise InvalidParameter('source: no Spark runs in this process; name its master, as in "spark+local[2]"')
        if context is not None and master is not None and context.master != master:
            raise InvalidParameter(
                f'source: this process runs a Spark on {context.master} already; write source = "spark" to use it'
            )
        if context is None:
            _refuse_silent(str(master))
            ours = True
            session = _start(str(master), memory)
        else:
            session = _session_of(context)
        _users += ours
        return session.newSession(), ours


def is_gone(context: Any) -> bool:  # noqa: ANN401 - a SparkContext
    """Whether a Spark has ended: stopped, given up by its master, or its Java is no more."""
    try:
        return context._jsc is None or bool(context._jsc.sc().isStopped())  # noqa: SLF001 - it has no other name
    except Exception:  # noqa: BLE001 - nobody answers
        return True


def _forget(context: Any) -> None:  # noqa: ANN401 - a SparkContext
    """Make room for a new one: pyspark keeps a Java that is gone."""
    from pyspark import SparkContext  # noqa: PLC0415 - an extra

    with contextlib.suppress(Exception):
        context.stop()
    try:
        alive = context._gateway.jvm.System.currentTimeMillis() > 0  # noqa: SLF001 - as above
    except Exception:  # noqa: BLE001 - nobody answers
        alive = False
    if not alive:
        for word in ("_active_spark_context", "_gateway", "_jvm"):
            setattr(SparkContext, word, None)


def let_go() -> None:
    """Stop a Spark of our own that nobody uses any more."""
    global _users  # noqa: PLW0603 - as above
    from pyspark import SparkContext  # noqa: PLC0415 - an extra

    with _lock:
        _users = max(0, _users - 1)
        context = SparkContext._active_spark_context  # noqa: SLF001 - as above
        if _users == 0 and context is not None:
            with contextlib.suppress(Exception):  # it may be gone
                context.stop()


def _refuse_silent(master: str) -> None:
    """Raise if no master listens: Spark itself would wait for a minute."""
    places = [place.rpartition(":") for place in master.removeprefix(MASTER).split(",") if master.startswith(MASTER)]
    for host, _, port in places:
        with contextlib.suppress(OSError, ValueError), socket.create_connection((host, int(port)), timeout=SECONDS):
            return
    if places:
        raise InvalidParameter(f"no Spark master answers at {master}: start it, or correct the address")


def _session_of(context: Any) -> "SparkSession":  # noqa: ANN401 - a SparkContext
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    return SparkSession(context)


def _start(master: str, memory: str | None) -> "SparkSession":
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    home = java_home()
    with tempfile.TemporaryDirectory(prefix="privet-") as folder:
        quiet = Path(folder) / "log4j2.properties"
        quiet.write_text(QUIET, encoding="utf-8")
        builder = SparkSession.builder.master(master).appName("privet")
        settings = {  # a log, a page or a bar could show values of rows
            "spark.log.level": "OFF",
            "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{quiet}",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.eventLog.enabled": "false",
            "spark.network.timeout": PATIENCE,
            "spark.executor.heartbeatInterval": "5s",
        }
        if memory is not None:
            size = memory.upper().removesuffix("B").lower()  # 4GB is 4g
            settings |= {"spark.driver.memory": size, "spark.executor.memory": size}
        for word, setting in settings.items():
            builder = builder.config(word, setting)
        try:
            with _environment(home), _silence():
                return builder.getOrCreate()
        except Exception:  # noqa: BLE001 - Java's own words are a page long
            raise InvalidParameter(
                f"Spark cannot be started on {master}: see that the master runs, and that it can reach this machine"
            ) from None


@contextlib.contextmanager
def _quiet_import() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of versions of pandas, which we do not use
        yield


@contextlib.contextmanager
def _environment(home: str | None) -> Iterator[None]:
    before = os.environ.get("JAVA_HOME")
    if home is not None:
        os.environ["JAVA_HOME"] = home
    try:
        yield
    finally:
        if home is not None:
            os.environ.pop("JAVA_HOME", None)
            if before is not None:
                os.environ["JAVA_HOME"] = before


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Java inherits where errors go, and keeps writing there: nowhere."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
