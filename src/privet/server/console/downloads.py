"""Downloads: an answer as CSV, Arrow or a notebook; each carries the margins, the notes and the receipt."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from privet.query.results.answer import Answer
from privet.server.console.texts import Texts
from privet.server.console.views.amounts import amount_words
from privet.server.console.views.answer_view import answer_notes
from privet.server.console.views.times import time_words
from privet.server.desk import Asked
from privet.wording.printable import printable

FORMULA = "=+-@|%\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
UNSEEN = ("C", "Z")  # categories of letters that nobody sees
PLAIN = re.compile(r"[^a-z0-9]+")
LONGEST = 40  # letters of a file's name


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    media_type: str
    content: Callable[[Texts, Asked, str], bytes]


def file_name(asked: Asked, kind: str) -> str:
    """A name of plain letters alone, whatever the purpose says."""
    words = PLAIN.sub("-", asked.purpose.casefold()).strip("-")[:LONGEST].strip("-")
    return f"{words or 'answer'}-{asked.number[:8]}.{kind}"


def receipt_lines(t: Texts, asked: Asked, address: str) -> list[str]:
    """What every file says of the answer: what it cost, what for, where it is kept, and what to keep in mind."""
    answer = asked.answer
    return [
        f"{t.plain('answer.question')}: {printable(' '.join(asked.text.split()))}",
        f"{t.plain('answer.purpose')}: {printable(asked.purpose)}",
        f"{t.plain('answer.charged')}: {amount_words(answer.spent, up=True)}",
        f"{t.plain('answer.when')}: {time_words(asked.at)} UTC",
        f"{t.plain('answer.permalink')}: {address}/answers/{asked.number}",
        *map(_plain, answer_notes(t, answer)),
    ]


def _plain(note: object) -> str:
    text = getattr(note, "unescape", None)
    return printable(str(text() if callable(text) else note).replace("\N{NO-BREAK SPACE}", " "))


def safe_cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula; numbers stay numbers.

    Example:
        >>> safe_cell("=1+1"), safe_cell(-3), safe_cell("a-b"), safe_cell(" =1"), safe_cell(None)
        ("'=1+1", -3, 'a-b', "' =1", '')
    """
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return value
    text = str(value)
    seen = next((each for each in text if not unicodedata.category(each).startswith(UNSEEN)), "")
    return f"'{text}" if (seen and seen in FORMULA) or text.startswith(("\t", "\r", "\n")) else text


def csv_content(t: Texts, asked: Asked, address: str) -> bytes:
    """Rows for a spreadsheet, then the receipt in lines that begin with #."""
    table = asked.answer.table
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([safe_cell(name) for name in table.column_names])
    for row in table.to_pylist():
        writer.writerow([safe_cell(row[name]) for name in table.column_names])
    for line in receipt_lines(t, asked, address):
        writer.writerow([f"# {line}"])
    return out.getvalue().encode("utf-8", "backslashreplace")


def arrow_content(t: Texts, asked: Asked, address: str) -> bytes:
    """An Arrow IPC stream whose schema carries the receipt and the whole answer, as `Answer.from_json` reads it."""
    answer = asked.answer
    facts = {
        b"privet.receipt": "\n".join(receipt_lines(t, asked, address)).encode(),
        b"privet.answer": _without_table(answer),
    }
    table = answer.table.replace_schema_metadata({**(answer.table.schema.metadata or {}), **facts})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def _without_table(answer: Answer) -> bytes:
    facts = json.loads(answer.to_json())
    del facts["table"]
    return json.dumps(facts, ensure_ascii=False).encode("utf-8", "backslashreplace")


def notebook_content(t: Texts, asked: Asked, address: str) -> bytes:
    """A notebook that has the answer in it: opening or running it asks nothing anew."""
    words = [
        f"# {_markdown(asked.purpose)}",
        "",
        *(f"- {_markdown(line)}" for line in receipt_lines(t, asked, address)),
    ]
    code = [
        "from privet.query.results.answer import Answer",
        "",
        f"answer = Answer.from_json({_python(asked.answer.to_json())})",
        "answer",
    ]
    cells = [
        {"cell_type": "markdown", "id": "receipt", "metadata": {}, "source": "\n".join(words)},
        _code("answer", "\n".join(code)),
        _code("plot", "answer.plot()"),
        _code("frame", "frame = answer.to_pandas()\nframe"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1).encode()


def _code(name: str, source: str) -> dict[str, object]:
    return {"cell_type": "code", "id": name, "metadata": {}, "execution_count": None, "outputs": [], "source": source}


def _python(text: str) -> str:
    """A text as Python writes it: nothing in it can end the literal, whatever it says."""
    return ascii(text)


def _markdown(text: str) -> str:
    """A text in which nothing is markup: each sign is escaped, and so is HTML."""
    plain = printable(" ".join(text.split()))
    return "".join(f"&#{ord(each)};" if each in "\\`*_{}[]()<>#+-.!|&$~^@:/\"'=" else each for each in plain)


KINDS: Mapping[str, Kind] = {
    "csv": Kind("text/csv; charset=utf-8", csv_content),
    "arrow": Kind("application/vnd.apache.arrow.stream", arrow_content),
    "ipynb": Kind("application/x-ipynb+json", notebook_content),
}
