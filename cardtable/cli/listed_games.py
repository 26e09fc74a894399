"""The command ``games``: all games, and where they are from."""

import json

import click

from cardtable.cli import program
from cardtable.cli.commands import room
from cardtable.games import ABOUT, outside, packages


@room.command(name="games")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def games(as_json: bool) -> int:
    """List all games, those that come with the program first.

    Prints a line for each: KEY, title, seats, and the package that brings it. What a package names as a game and cannot
    be used is told on standard error.
    """
    brought = packages()
    if as_json:
        rows = [
            {"game": key, "title": about.title, "seats": list(about.seats), "package": brought[key]}
            for key, about in ABOUT.items()
        ]
        click.echo(json.dumps(rows, indent=1))
    else:
        lines = [(key, about.title, about.seats_in_words(), brought[key]) for key, about in ABOUT.items()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            click.echo("  ".join([f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)]).rstrip())
    for refused in outside().refused:
        program.complain(str(refused))
    return program.FAILED if outside().refused else 0
