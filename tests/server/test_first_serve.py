"""A server that begins without a catalog: what it opens, and what it leaves for the next time."""

import asyncio
from pathlib import Path

import httpx2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import InvalidParameter
from privet.server.first_serve import CONFIG, FirstServe
from privet.server.people import People
from privet.server.settings import Settings

CATALOG = """
name = "clinic"
unit = "person"
limit = { epsilon = "5" }
[tables.patient]
parquet = "patient.parquet"
unit_column = "pid"
columns.pid = { type = "integer" }
"""


def test_what_was_opened_is_opened_again_by_the_settings_that_it_wrote(tmp_path: Path) -> None:
    pq.write_table(pa.table({"pid": range(50)}), tmp_path / "patient.parquet")
    (tmp_path / "clinic.toml").write_text(CATALOG)
    first = FirstServe(Settings(agents=False), tmp_path)
    first.people.add("olga")
    assert first._begin(tmp_path / "clinic.toml") is not None
    first.close()
    settings = Settings.read(tmp_path / CONFIG)
    assert settings.catalog == tmp_path / "clinic.toml"
    people = People.open(settings.people)
    assert people.named("olga") is not None
    people.close()


def test_without_a_console_or_with_several_processes_there_is_no_first_run(tmp_path: Path) -> None:
    for settings in (Settings(console=False), Settings(workers=2)):
        with pytest.raises(InvalidParameter):
            FirstServe(settings, tmp_path)


def test_agents_may_come_as_soon_as_there_is_a_catalog(tmp_path: Path) -> None:
    pq.write_table(pa.table({"pid": range(50)}), tmp_path / "patient.parquet")
    (tmp_path / "clinic.toml").write_text(CATALOG)

    async def asked() -> httpx2.Response:
        first = FirstServe(Settings(), tmp_path)
        try:
            first.people.add("bob", agent=True)
            known = {
                "authorization": f"Bearer {first.people.make_token('bob', label='x')}",
                "accept": "application/json",
            }
            waiting = asyncio.create_task(first.open_doors(None))
            await first.app._ready(tmp_path / "clinic.toml")
            await asyncio.sleep(0)
            async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=first.app)) as http:
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
                return await http.post("http://localhost/mcp", json=message, headers=known)
        finally:
            waiting.cancel()
            await asyncio.wait({waiting})
            first.close()

    found = asyncio.run(asked())
    assert found.status_code == 200
    assert "price" in found.text
