"""The command ``learn``, which opens the lessons."""

import click

from cardtable.cli import launch
from cardtable.cli.main import commands, get_terminal_flags, has_flag
from cardtable.cli.params import GAME
from cardtable.engine.errors import CardtableError
from cardtable.games import ABOUT


@commands.command(epilog="You can leave a lesson at any time and continue it later.")
@click.argument("game", type=GAME, required=False)
@click.pass_context
def learn(context: click.Context, game: str | None) -> None:
    """Learn a game in short lessons.

    Without GAME, choose one.
    """
    from cardtable.session.lessons import load_course

    if game is not None:
        course = load_course(game)
        if not course.lessons:
            raise CardtableError(course.error or f"there are no lessons on {ABOUT[game].title}")
    if has_flag(context, "plain"):
        launch.open_plain(None, get_terminal_flags(context), lessons=game or "")
    else:
        launch.open_screen(None, get_terminal_flags(context), ("game_lessons", game) if game else ("learn",))
