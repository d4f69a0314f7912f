# ruff: noqa: INP001 - part of a script, not of a package
"""The reference: a page for each room, from the docstrings of what it names in `__all__`."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import griffe

ROOMS = {
    "": "privet",
    "stats": "Statistics of arrays",
    "query": "Queries",
    "learn": "Models",
    "local": "Local privacy",
    "loss": "Losses",
    "core": "Ledgers and releases",
    "mechanisms": "Mechanisms",
    "noise": "Noise",
    "audit": "Audits",
    "explain": "Explanation",
    "explain.theorems": "Theorems",
    "explain.shapes": "Shapes",
    "display": "Pictures",
    "server": "Server",
    "errors": "Errors",
}
SECTIONS = ("Args", "Returns", "Raises", "Attributes", "Privacy", "Proof", "Not covered", "Example", "Cost")
OF_ERRORS = ("Cause", "Charged", "What to do")
HEADING = re.compile(
    rf"^(?P<name>{'|'.join((*SECTIONS, *OF_ERRORS))}|Proof of the law|Proof of the rule):[ ]*(?P<rest>.*)$"
)
ARGUMENT = re.compile(r"^(?P<name>[*\w][\w, *]*):[ ]+(?P<said>.*)$")


@dataclass(frozen=True)
class Section:
    """One part of a docstring.

    Args:
        name: "" for what stands before all headings.
        text: its lines, without their indentation.
    """

    name: str
    text: str


def sections(docstring: str) -> list[Section]:
    """A docstring in its parts, in order."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in inspect.cleandoc(docstring).splitlines():
        heading = HEADING.match(line)
        if heading is None:
            found[-1][1].append(line)
        else:
            found.append((heading["name"], [heading["rest"]] if heading["rest"] else []))
    return [Section(name, _dedented(lines)) for name, lines in found if any(map(str.strip, lines))]


@cache
def loaded(source: Path) -> griffe.Object | griffe.Alias:
    """The package as it is written; nothing of it is run."""
    return griffe.load("privet", search_paths=[source], docstring_parser=None)


def reference_pages(source: Path) -> dict[str, str]:
    """A page for each room that is there, and one that lists them."""
    package = loaded(source)
    pages = {}
    for room, title in ROOMS.items():
        module = package if not room else _member(package, room)
        if module is not None:
            pages[f"reference/{_file(room)}.md"] = "\n".join(_page(module, title))
    lines = [
        f"* [{ROOMS[room]}]({_file(room)}.md): `{_module(room)}`"
        for room in ROOMS
        if f"reference/{_file(room)}.md" in pages
    ]
    words = "What each room offers, from the docstrings of its names; every example is run by the tests."
    pages["reference/index.md"] = "\n".join(["# Python reference", "", words, "", *lines, ""])
    return pages


def public_names(source: Path) -> Iterator[tuple[str, griffe.Object | griffe.Alias]]:
    """Every public name of every room, with what it is; names that a room only passes on come once."""
    package = loaded(source)
    seen: set[str] = set()
    for room in ROOMS:
        module = package if not room else _member(package, room)
        for name, found in [] if module is None else _exported(module):
            if found.canonical_path not in seen:
                seen.add(found.canonical_path)
                yield f"{_module(room)}.{name}", found


def _page(module: griffe.Object | griffe.Alias, title: str) -> Iterator[str]:
    yield f"# {title}"
    yield ""
    for section in sections(module.docstring.value if module.docstring else ""):
        yield _fenced_trees(section.text.partition("May import:")[0].strip())
        yield ""
    yield from _errors_at_a_glance(module)
    for name, found in _exported(module):
        yield from _entry(name, found)


def _fenced_trees(text: str) -> str:
    """A text whose drawn trees keep their lines."""
    parts = text.split("\n\n")
    return "\n\n".join(f"```text\n{part}\n```" if "├── " in part else part for part in parts)


def _errors_at_a_glance(module: griffe.Object | griffe.Alias) -> Iterator[str]:
    """A table of what causes each error, whether anything was charged and what to do; nothing for other rooms."""
    told = {
        name: {section.name: " ".join(section.text.split()) for section in sections(found.docstring.value)}
        for name, found in _exported(module)
        if found.docstring
    }
    rows = [
        f"| [`{name}`](#{name.lower()}) | {' | '.join(said[part] for part in OF_ERRORS)} |"
        for name, said in told.items()
        if set(OF_ERRORS) <= set(said)
    ]
    if rows:
        yield f"| error | {' | '.join(part.lower() for part in OF_ERRORS)} |"
        yield "|---" * (len(OF_ERRORS) + 1) + "|"
        yield from rows
        yield ""


def _entry(name: str, found: griffe.Object | griffe.Alias) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    if found.is_function or found.is_class:
        yield "```python"
        yield _signature(name, found)
        yield "```"
        yield ""
    yield from _told(found)
    if found.is_class:
        for member, what in found.members.items():
            if member.startswith("_") or not (what.is_function or what.is_attribute) or not what.docstring:
                continue
            yield f"### {name}.{member}"
            yield ""
            if what.is_function:
                yield "```python"
                yield _signature(member, what)
                yield "```"
                yield ""
            yield from _told(what)


def _told(found: griffe.Object | griffe.Alias) -> Iterator[str]:
    for section in sections(found.docstring.value) if found.docstring else []:
        if not section.name:
            yield section.text
        elif section.name in {"Args", "Attributes", "Raises"}:
            yield f"**{section.name}**"
            yield ""
            yield from _arguments(section.text)
        elif section.name == "Example":
            yield "**Example**"
            yield ""
            yield "```pycon"
            yield section.text
            yield "```"
        else:
            yield f"**{section.name}.** {section.text}"
        yield ""


def _arguments(text: str) -> Iterator[str]:
    for line in text.splitlines():
        found = ARGUMENT.match(line)
        if found and not line.startswith(" "):
            yield f"* `{found['name']}`: {found['said']}"
        else:
            yield f"  {line.strip()}" if line.strip() else ""


def _signature(name: str, found: griffe.Object | griffe.Alias) -> str:
    """As one would read it: each parameter on a line of its own, if they are many."""
    if found.is_class:
        made = found.all_members.get("__init__")
        parameters = list(made.parameters)[1:] if made is not None and made.is_function else _fields(found)
        returns = ""
    else:
        parameters = [each for each in found.parameters if each.name not in {"self", "cls"}]
        returns = f" -> {found.returns}" if found.returns is not None else ""
    said = list(_parameters(parameters))
    short = f"{name}({', '.join(said)}){returns}"
    inner = ",\n".join(f"    {each}" for each in said)
    return short if len(short) <= 100 else f"{name}(\n{inner},\n){returns}"  # noqa: PLR2004 - a line


def _parameters(parameters: list[griffe.Parameter]) -> Iterator[str]:
    starred = False
    for each in parameters:
        kind = each.kind.value if each.kind else ""
        if kind == "keyword-only" and not starred:
            yield "*"
            starred = True
        prefix = "**" if kind == "variadic keyword" else "*" if kind == "variadic positional" else ""
        starred = starred or kind == "variadic positional"
        typed = f": {each.annotation}" if each.annotation is not None else ""
        default = f" = {each.default}" if each.default is not None and not prefix else ""
        yield f"{prefix}{each.name}{typed}{default}"


def _fields(found: griffe.Object | griffe.Alias) -> list[griffe.Parameter]:
    """Those of a dataclass, which has no written constructor; of other classes none."""
    if not any("dataclass" in str(each.value) for each in found.decorators):
        return []
    kind = griffe.ParameterKind.positional_or_keyword
    return [
        griffe.Parameter(name, annotation=each.annotation, kind=kind, default=each.value)
        for name, each in found.members.items()
        if each.is_attribute
        and not name.startswith("_")
        and each.annotation is not None
        and "instance-attribute" in each.labels
        and "ClassVar" not in str(each.annotation)
    ]


def _exported(module: griffe.Object | griffe.Alias) -> Iterator[tuple[str, griffe.Object | griffe.Alias]]:
    names = sorted(
        map(str, module.exports or [n for n, m in module.members.items() if m.is_class and not n.startswith("_")])
    )
    for name in names:
        found = module.members.get(name)
        if found is None:
            continue
        target = found.final_target if found.is_alias else found
        if not target.is_module:
            yield name, target


def _member(package: griffe.Object | griffe.Alias, room: str) -> griffe.Object | griffe.Alias | None:
    try:
        return package[room]
    except KeyError:
        return None


def _module(room: str) -> str:
    return f"privet.{room}" if room else "privet"


def _file(room: str) -> str:
    return room.replace(".", "-") or "privet"


def _dedented(lines: list[str]) -> str:
    first, *rest = lines
    gap = "\n\n" if rest and not rest[0].strip() else "\n"
    return (first.strip() + gap + inspect.cleandoc("\n" + "\n".join(rest))).strip() if rest else first.strip()
