"""Command ``reset-password``: sets a player's password without asking for the old one."""

import click

from cardtable.cli.main import commands
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.plain import players
from cardtable.plain.console import QuitRequested, is_on_terminal
from cardtable.store import paths, profiles, seating
from cardtable.wording.players import PASSWORD_REMOVAL_WARNING

_MAX_NICK_LENGTH = 40


@commands.command(name="reset-password")
@click.argument("nick")
@click.option("--remove", is_flag=True, help="Remove the password, after a question.")
def reset_password(nick: str, *, remove: bool) -> None:
    """Set a player's password without the old one.

    Anyone who can change your files can do this.
    """
    profile = profiles.read().find(seating.normalize_nick(nick))
    if profile is None:
        raise CardtableError(f"there is no player {sanitize(nick, _MAX_NICK_LENGTH)}")
    if not is_on_terminal():
        raise CardtableError("a password cannot be typed unseen through a pipe; use a terminal")
    click.echo(f"The old password of {profile.nick} is not needed: you can change the files in {paths.home()}.")
    if remove:
        if not click.confirm(f"{PASSWORD_REMOVAL_WARNING.format(profile.nick)} Remove the password?"):
            raise CardtableError("nothing was changed")
        profiles.clear_password(profile.nick)
        click.echo(f"{profile.nick} now has no password.")
        return
    try:
        password, again = players.ask_new_password()
    except QuitRequested:
        raise click.Abort from None
    profiles.reset_password(profile.nick, password, again)
    click.echo(f"{profile.nick} now has a new password.")
