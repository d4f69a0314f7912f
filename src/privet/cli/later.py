"""Later: commands that are imported when they are run, so that `privet --help` does not wait for engines."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from privet.cli.exit_status import REFUSED, tell

WRONG_COMMAND_LINE = 2
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer gives it no public name


class LaterCommand(TyperCommand):
    """Stands for a command in the list of commands; whoever runs it gets the real one.

    Args:
        name: of the command.
        module: where it is, with a `typer.Typer` called `app`.
        words: one line, for the list.
    """

    def __init__(self, name: str, module: str, words: str) -> None:
        super().__init__(name, help=words)
        self._module = module

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:  # noqa: ANN401 - as typer has it
        """Import the command, and let it read its words itself."""
        try:
            found = typer.main.get_command(import_module(self._module).app)
        except ModuleNotFoundError as missing:
            if not str(missing).startswith("privet."):  # a room says which extra it needs; all else is a fault
                raise
            tell(str(missing))
            raise typer.Exit(code=REFUSED) from None
        found.name = self.name
        return found.make_context(info_name, args, parent=parent, **extra)


class LaterGroup(TyperGroup):
    """Commands, each imported when it is run; what is wrong with a command line is told in one sentence."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:  # noqa: ANN401 - as typer has it
        """Read the words before the command."""
        with _told_in_one_sentence():
            return super().make_context(info_name, args, parent=parent, **extra)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as typer has it
        """Run the command."""
        with _told_in_one_sentence():
            return super().invoke(ctx)


@contextmanager
def _told_in_one_sentence() -> Iterator[None]:
    """Print what is wrong with the command line like every other error."""
    try:
        yield
    except UsageError as wrong:
        said = (
            str(getattr(wrong, "format_message", wrong.__str__)()).strip().rstrip(".").removeprefix("Invalid value: ")
        )
        if not said or "\n" in said:  # nothing was typed, and it is the help
            raise
        context = getattr(wrong, "ctx", None)
        path = " ".join(["privet", *("" if context is None else context.command_path).split()[1:]])
        tell(said[:1].lower() + said[1:] + ("" if said.endswith("?") else f"; see `{path} --help`"))
        raise typer.Exit(code=WRONG_COMMAND_LINE) from None
