"""Commands at a local table other than actions."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat, View
from cardtable.plain import console
from cardtable.plain.console import QuitRequested, print_lines
from cardtable.plain.info_commands import ANOTHER_HELP, InfoCommands
from cardtable.plain.info_commands import WATCHING_HELP as WATCHING
from cardtable.plain.save_prompts import SessionSaver
from cardtable.plain.speech_text import to_sentence
from cardtable.plain.unread_messages import UnreadMessages
from cardtable.session.message_log import MAX_TALK_LENGTH
from cardtable.session.session_runner import SessionRunner
from cardtable.store.session_setup import SessionSetup, create_rematch
from cardtable.store.settings import Settings
from cardtable.wording.players import Names

HOW_TO_ACT: Final = (
    "Type the number of what you want to do, or as much of its words as is needed, such as seven of spades.",
    "A short form does as well: play 7S, or 7S alone. Ranks are 2 to 9, T, J, Q, K and A, suits C, D, H and S.",
    "An empty line tells all of how things stand. You can also type:",
)
HELP: Final = (
    *HOW_TO_ACT,
    "undo: take back your last decision, against robots only, and only while you have seen no new card.",
    "hint: what an expert would do, and why.",
    "deal: the last deal, all hands of the round before and what was done. why NUMBER: why it was done.",
    "previous: the previous trick. sheet: the score sheet. rules: the rules of the game.",
    "rest: play out the rest of the round at once, where every play gives the same points.",
    "talk TEXT: say something at the table. talk: what has been said.",
    ANOTHER_HELP,
    "quit: leave. Everything is kept, also at the end of input and after Ctrl+C.",
)
OTHER_DEAL_HELP: Final = "new: another session with the same seats and options."
"""Help line that replaces ``ANOTHER_HELP`` for a session whose deal cannot be repeated."""


class StartAnother(Exception):
    """Raised if the player starts another session, which ``setup`` describes."""

    def __init__(self, setup: SessionSetup) -> None:
        super().__init__()
        self.setup = setup


class TableCommands:
    """Commands at one local table: undo, claim, chat, another session, and those that only print information."""

    def __init__(
        self, runner: SessionRunner, settings: Settings, names: Names, messages: UnreadMessages, saving: SessionSaver
    ) -> None:
        self._runner, self._session, self._table = runner, runner.session, runner.referee
        self._settings, self._people = settings, runner.people
        self._messages, self._saving = messages, saving
        help_: tuple[str, ...] = HELP if self._people else WATCHING
        if not self._session.can_deal_again:
            help_ = tuple([OTHER_DEAL_HELP if line == ANOTHER_HELP else line for line in help_])
        self._info_commands = InfoCommands(runner, names, help_)
        self._commands: dict[str, Callable[[View], None]] = {
            "rest": self._play_rest,
            "undo": lambda _: self._undo(),
            "again": lambda _: self._begin_another(same_deal=True),
            "new": lambda _: self._begin_another(same_deal=False),
        }

    def execute(self, typed: str, view: View) -> bool:
        """Execute a command for the view's seat; return False if the input is no command.

        Raises ``QuitRequested`` if it is ``quit``, and ``StartAnother`` if another session begins.
        """
        word, rest = split_command(typed)
        if word == "quit" and not rest:
            raise QuitRequested
        if word == "talk" and rest:
            self._say(view.seat, rest)
        elif word == "save" and rest and self._session.save_error:
            self._saving.save_into(Path(rest))
        elif word in self._commands and not rest:
            self._commands[word](view)
        else:
            return self._info_commands.execute(word, rest, view)
        return True

    def execute_last_deal(self, typed: str) -> bool:
        """Execute ``deal`` or ``why`` for the last finished round; return False if the input is neither."""
        return self._info_commands.execute_last_deal(*split_command(typed))

    def print_hands(self, view: View) -> None:
        """Print the other players' hands if all hands are open; at a table of robots print all hands."""
        self._info_commands.print_hands(view)

    def _play_rest(self, view: View) -> None:
        """Play out the rest of the round if its points are decided (claim); else print why not."""
        if self._table.tricks is None:
            print_lines(f"There are no tricks in {self._table.game.about.title}.")
        elif len(self._people) != 1:
            print_lines("Nothing is played out where several people play.")
        else:
            verdict = self._table.check_claim(view.seat)()
            print_lines(to_sentence(verdict.value))
            if verdict is ClaimVerdict.DECIDED:  # [1:] leaves out the note about the player's own claim
                self._saving.change(lambda: self._runner.claim_rest()[1:])

    def _say(self, seat: Seat, text: str) -> None:
        if wrong := get_length_error(text):
            print_lines(wrong)
        else:
            self._saving.change(lambda: self._runner.say(text, seat))
            self._messages.print_unread(seat)

    def _undo(self) -> None:
        """Undo back to the last decision of the only human player, or print why this is impossible."""
        if len(self._people) != 1:
            print_lines(f"Nothing can be taken back where {'several people' if self._people else 'robots'} play.")
            return
        me, choices = self._people[0], self._settings.min_choices
        if self._runner.compute_undo_distance(choices):
            self._saving.change(lambda: self._runner.take_back(choices))
        else:
            print_lines(f"There is no way back: {self._table.explain_undo_refusal(me, choices)}.")

    def _begin_another(self, *, same_deal: bool) -> None:
        """Begin another session, after a confirmation if the settings require it. Raises ``StartAnother``.

        If the same deal must not be repeated, or the player does not confirm, this session continues.
        """
        try:
            following = create_rematch(self._session, same_deal=same_deal)
        except CardtableError as error:
            print_lines(to_sentence(f"{error}; new begins another session"))
            return
        if self._settings.confirm and not self._session.save_error:
            print_lines("This session is not over. It is kept, to be gone on with. Type yes to begin another one.")
            if console.read_line().lower() not in ("yes", "y"):
                print_lines("This session goes on.")
                return
        raise StartAnother(following)


def get_length_error(text: str) -> str:
    """Return an error message if chat text is longer than ``MAX_TALK_LENGTH``; empty if it is not."""
    return (
        f"At most {MAX_TALK_LENGTH} characters can be said at once; these are {len(text)}."
        if len(text) > MAX_TALK_LENGTH
        else ""
    )


def split_command(typed: str) -> tuple[str, str]:
    """Split typed text into its first word, in lower case, and the text after it."""
    word, _, rest = typed.partition(" ")
    return word.lower(), rest.strip()
