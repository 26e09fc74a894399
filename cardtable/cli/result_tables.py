"""Parts that the commands ``club season`` and ``club tournament`` share: the list, and the export to a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar

import click

from cardtable.cli.json_output import format_json
from cardtable.cli.params import FILE_TO_WRITE, write_output
from cardtable.engine.text_format import sanitize

TableFormat: TypeAlias = Literal["markdown", "csv"]
_SUFFIXES: Final[Mapping[str, TableFormat]] = {".md": "markdown", ".csv": "csv"}
_Command = TypeVar("_Command", bound=Callable[..., None])

json_list_option = click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")


def print_list(rows: Sequence[Any] | None, lines: Sequence[tuple[str, str]], hint: str) -> None:
    """Print ``rows`` as a JSON array if they are given, otherwise a line for each name and what is said about it.

    ``hint`` is printed if there are no lines.
    """
    if rows is not None:
        click.echo(format_json(list(rows), indent=1))
        return
    for name, about in lines:
        click.echo(f"{sanitize(name)}: {about}")
    if not lines:
        click.echo(hint)


def export_parameters(command: _Command) -> _Command:
    """Give a command the parameters ``file`` and ``form`` of ``choose_format``; ``-`` stands for no file."""
    option = click.option(
        "--format",
        "form",
        type=click.Choice([*_SUFFIXES.values()]),
        help="Format, if FILE does not end with .md or .csv.",
    )
    file = click.argument(
        "file",
        required=False,
        type=FILE_TO_WRITE,
        callback=lambda _context, _argument, file: None if str(file) == "-" else file,
    )
    return file(option(command))


def choose_format(file: Path | None, form: TableFormat | None) -> TableFormat:
    """Return ``form`` or else the format that the name of ``file`` stands for, Markdown without a file.

    Raises ``click.UsageError`` if the name stands for none.
    """
    table_format = form or (_SUFFIXES.get(file.suffix.lower()) if file else "markdown")
    if table_format is None:
        raise click.UsageError("the name of FILE must end with .md or .csv, or --format must be given")
    return table_format


def write_export(name: str, text: str, file: Path | None, form: TableFormat) -> None:
    """Write the tables called ``name`` into a new ``file``, or print them if it is ``None``.

    Raises ``FileError`` if the file exists or cannot be written.
    """
    write_output(file, text.encode("utf-8-sig" if file and form == "csv" else "utf-8"))  # Excel needs the mark
    if file:
        click.echo(f"{sanitize(name)} is written to {sanitize(str(file))}.")
