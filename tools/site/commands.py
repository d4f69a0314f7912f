# ruff: noqa: INP001 - part of a script, not of a package
"""The page of commands: what `--help` says of each, and with which status a command ends."""

from collections.abc import Iterator
from typing import Any

import typer

from privet.cli import app, exit_status


def commands_page() -> str:
    """Every command with its arguments and options."""
    top: Any = typer.main.get_command(app)
    context = top.make_context("privet", [], resilient_parsing=True)
    words = "Everything `privet` does in a terminal; the same is said by `privet COMMAND --help`."
    lines = ["# Commands", "", words, "", "A command ends with a status:", "", "| status | it means |", "|---|---|"]
    for line in (exit_status.__doc__ or "").splitlines():
        status, _, meaning = line.partition("  ")
        if status.isdigit():
            lines.append(f"| {status} | {meaning} |")
    for name in top.list_commands(context):
        later = top.get_command(context, name)
        lines += ["", *_told(later.make_context(name, [], parent=context, resilient_parsing=True), f"privet {name}")]
    return "\n".join([*lines, ""])


def _told(context: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - typer gives its contexts no public type
    command = context.command
    if hasattr(command, "list_commands"):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            yield from _told(inner.make_context(name, [], parent=context, resilient_parsing=True), f"{path} {name}")
        return
    asked = [each for each in command.params if each.name != "help" and not getattr(each, "hidden", False)]
    arguments = [each for each in asked if each.param_type_name == "argument"]
    usage = " ".join([path, *(each.name.upper() if each.required else f"[{each.name.upper()}]" for each in arguments)])
    yield f"## {path}"
    yield ""
    yield from ("```text", f"{usage} [OPTIONS]", "```", "")
    yield (command.help or "").replace("\b\n", "").strip()
    yield ""
    if asked:
        yield from ("| word | what it is |", "|---|---|")
        for each in asked:
            yield f"| {_name(each)} | {_meaning(each)} |"
        yield ""


def _name(asked: Any) -> str:  # noqa: ANN401 - of typer
    return f"`{asked.name.upper() if asked.param_type_name == 'argument' else ', '.join(asked.opts)}`"


def _meaning(asked: Any) -> str:  # noqa: ANN401 - of typer
    said = " ".join((getattr(asked, "help", None) or "").split()).replace("|", "\\|").replace("<", "&lt;")
    shown = (
        asked.default if isinstance(asked.default, str | int | float) and not isinstance(asked.default, bool) else ""
    )
    return f"{said} Default: `{shown}`." if shown != "" and getattr(asked, "show_default", False) else said
