"""Dialog at a table in plain text: what a local table and a table of a club have in common."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, Seat, View
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import TrickView
from cardtable.plain.action_menu import AmbiguousInput, choose_action, parse_cards
from cardtable.plain.commands import CommandRows, Commands, UnknownCommand, alone
from cardtable.plain.console import print_lines
from cardtable.plain.info_text import (
    VisibleScoreSheet,
    print_advice,
    print_chat,
    print_deal_sample,
    print_glossary,
    print_rules,
    print_score_sheet,
)
from cardtable.plain.position_text import (
    describe_card_effects,
    describe_legal_actions,
    describe_open_hands,
    describe_own_hand,
    describe_position,
    describe_previous_trick,
    describe_ranking,
    describe_turn,
    make_action_menu,
)
from cardtable.plain.replay import describe_round, explain_decision
from cardtable.plain.speech_text import describe_partnerships, format_by_side, to_sentence
from cardtable.robots import worker
from cardtable.robots.hints import NOTHING_TO_DECIDE, Advice
from cardtable.session.playable_session import PlayableSession, play_choice
from cardtable.session.round_replay import RoundReplay, replay_round
from cardtable.session.session_events import MAX_TALK_LENGTH, SessionEvent
from cardtable.store.club_tokens import wait_for_thinking_lock
from cardtable.store.settings import Settings
from cardtable.wording.formatting import join_or
from cardtable.wording.players import describe_payouts, describe_ties

HOW_TO_ACT: Final[CommandRows] = {
    "Type the number of your choice, or enough of its words, such as seven of spades.\n"
    "The short form works as well: play 7S, or just 7S. Ranks are 2 to 9, T, J, Q, K and A, suits C, D, H and S.\n"
    "An empty line describes the full position. You can also type:": {}
}
_EMPTY_LINE_NOTE: Final = "An empty line plays nothing: it describes the position."


def find_length_error(text: str) -> str | None:
    """Return an error message if chat text is longer than ``MAX_TALK_LENGTH``."""
    if len(text) <= MAX_TALK_LENGTH:
        return None
    return f"That has {len(text)} characters; at most {MAX_TALK_LENGTH} can be said at once."


class TableDialog:
    """Dialog at one table: prompts, actions, and the commands of every table."""

    commands: Commands
    """Set by subclasses."""
    _hint_help = "hint: what an expert would do, and why."
    _hands_help = "hands: all hands, if they are open."
    """Help of the two commands, which means something else to a spectator of robots."""

    def __init__(self, session: PlayableSession, settings: Settings, names: list[str]) -> None:
        """Create the dialog; ``names`` holds the name of each seat, and may be changed in place."""
        self._playable, self._settings, self._names = session, settings, names
        self._view: View
        """View of the seat for which a command is executed."""
        self._needs_full_position = session.progress[0] > 0
        """True if the complete position is printed before the next prompt."""
        self._hinted: tuple[View, Advice] | None = None
        """Last hint, with the view that it was for."""

    # Rows of commands

    def _create_commands(
        self, first: CommandRows, after_hint: CommandRows, after_hands: CommandRows, *last: CommandRows
    ) -> Commands:
        """Return the commands of the table of a session: those of all such tables, between those of its own kind."""
        card_row: CommandRows = {
            "what 8S: what this card of your hand does now. what: all cards that do something.": {
                "what": self._explain_cards
            }
        }
        return Commands(
            first,
            {
                f"{self._hint_help} more: in how many of the deals that are possible each choice is best or tied.": {
                    "hint": alone(self._print_hint),
                    "more": alone(self._print_deal_sample),
                }
            },
            after_hint,
            self._last_round_row,
            self._record_row,
            card_row if self._playable.game.has_card_texts else {},
            {self._hands_help: {"hands": alone(lambda: self._print_hands(self._view))}},
            after_hands,
            {"talk TEXT: say something at the table. talk: what has been said.": {"talk": self._talk}},
            *last,
        )

    @property
    def _last_round_row(self) -> CommandRows:
        return {
            "deal: the last deal, with all hands and moves of the round before. why NUMBER: the reason for a move.": {
                "deal": alone(self._print_last_round),
                "why": self._explain_decision,
            }
        }

    @property
    def _record_row(self) -> CommandRows:
        return {
            "previous: the previous trick. sheet: the score sheet. rules: the rules of the game. "
            "words: the words of card games.": {
                "previous": alone(self._print_previous_trick),
                "sheet": alone(self._print_sheet),
                "rules": alone(lambda: print_rules(self._playable.game.about.key, self._view.options)),
                "words": alone(print_glossary),
            }
        }

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        """Execute a change of the session; the events that it returns are printed before the next prompt."""
        raise NotImplementedError

    # Output

    def _print_seats(self, first: Seat) -> None:
        """Print the game, the names of the seats in order of play from ``first`` on, and the partnerships."""
        game, seats = self._playable.game, len(self._names)
        view = self._playable.snapshot(self._playable.initial_seat).view
        trick = game.trick(view)
        step = trick.step if trick else 1
        names = [self._names[(first + step * i) % seats] for i in range(seats)]
        direction = "clockwise" if step == 1 else "counter-clockwise"
        print_lines(f"{game.about.title}. Around the table, {direction}: {', '.join(names)}.")
        print_lines(*describe_partnerships(self._names, game.sides_of(view), first))

    def _print_prompt(self, view: View, *, whole: bool) -> None:
        """Print the prompt for a decision: clocks, open hands, the turn, the hand and the legal actions.

        If ``whole``, the complete position is printed before the turn.
        """
        self._print_clocks(view)
        if self._playable.hands_open:
            self._print_hands(view)
        if whole:
            print_lines(*describe_position(self._playable.game, view, self._names))
        self._print_choices(view)
        self._needs_full_position = False

    def _print_clocks(self, view: View) -> None:
        """Print the time left to the view's seat for the round and for the session, as far as there are clocks."""
        of_round, of_seats = self._playable.get_time_left()
        for period, left in (("this round", of_round), ("the session", of_seats[view.seat] if of_seats else None)):
            if left is not None:
                minutes, seconds = divmod(max(int(left), 0), 60)
                duration = f"{format_count(minutes, 'minute')} and {format_count(seconds, 'second')}"
                print_lines(f"Time left for {period}: {duration}.")

    def _print_choices(self, view: View) -> None:
        game = self._playable.game
        print_lines(
            *describe_turn(game, view, self._names),
            describe_own_hand(game, view),
            *describe_legal_actions(game, view, self._names),
        )

    def _print_totals(self, number: int, totals: Sequence[int]) -> None:
        """Print the totals after round ``number``."""
        sides = self._playable.game.sides_of(self._playable.snapshot(self._playable.initial_seat).view)
        print_lines(f"Round {number} is over. Totals: {format_by_side(self._names, totals, sides)}.")

    def _print_result(self) -> None:
        """Print the result of the finished session."""
        run, names = self._playable, self._names
        seen = run.snapshot(run.initial_seat)
        ranks, sides = seen.ranks or (), run.game.sides_of(seen.view)
        print_lines("The session is over.")
        print_lines(*describe_ranking(names, ranks, seen.results or (), seen.view.totals, sides))
        print_lines(*describe_ties(run.header, seen.view, ranks, names), *describe_payouts(run.header, ranks, names))

    # Commands and actions

    @property
    def _lists_cards(self) -> bool:
        """True if the cards that may be played are listed with numbers."""
        return True

    def _execute_action(self, typed: str, view: View) -> None:
        """Execute the action that ``typed`` identifies, or print why there is none."""
        game = self._playable.game
        try:
            menu = make_action_menu(game, view, lists_cards=self._lists_cards)
            action: Action = choose_action(typed, game, view, menu)
        except AmbiguousInput as error:
            print_lines(str(error))
        else:
            self._change(partial(play_choice, self._playable, action))

    def _execute_command(self, typed: str, view: View) -> bool:
        """Execute a command for the view's seat; return False if the input is none."""
        self._view = view
        try:
            self.commands.execute(typed)
        except UnknownCommand:
            return False
        return True

    def _print_hands(self, view: View) -> None:
        """Print the other players' hands if all hands are open; at a table of robots print all hands."""
        run = self._playable
        if not run.hands_open:
            print_lines("The other hands are hidden.")
            return
        seen = run.snapshot(view.seat)
        others = [*([] if run.people else [seen.view]), *seen.others.values()]
        print_lines(*describe_open_hands(run.game, sorted(others, key=lambda other: other.seat), self._names))

    def _print_hint(self) -> None:
        view = self._view
        if not view.legal:
            print_lines(NOTHING_TO_DECIDE)
            return
        with wait_for_thinking_lock():
            advice = worker.compute_hint(self._playable.create_hint_request(view))
        self._hinted = view, advice
        print_advice(advice)
        if self._playable.people:
            menu, best = make_action_menu(self._playable.game, view), advice.lines[0].action
            inputs = [menu.find_shortest_input(action) for action in menu.legal if action.steps[0] == best]
            print_lines(f"To do that, type {join_or(inputs)}. {_EMPTY_LINE_NOTE}")

    def _print_deal_sample(self) -> None:
        """Print the sample of deals behind the hint; the hint comes first if it has not been printed for this view."""
        if self._hinted is None or self._hinted[0] is not self._view:
            self._print_hint()
        if self._hinted and self._hinted[0] is self._view:
            _, advice = self._hinted
            hint = self._playable.create_hint_request(self._view)
            actions = tuple([line.action for line in advice.lines])
            with wait_for_thinking_lock():
                sample = worker.compute_deal_sample(worker.DealSampleRequest(hint, actions))
            print_deal_sample(advice, sample)

    def _explain_cards(self, typed: str) -> None:
        """Print what a card of the hand does, or, if none is given, what each card does that does something special.

        Raises ``UnknownCommand`` if ``typed`` is not a card.
        """
        chosen = parse_cards(typed)
        if typed and chosen.bit_count() != 1:
            raise UnknownCommand
        lines = describe_card_effects(self._playable.game, self._view, chosen)
        print_lines(
            *(lines or ["You do not hold that card." if typed else "No card of your hand does anything special now."])
        )

    def _print_previous_trick(self) -> None:
        game = self._playable.game
        lines = describe_previous_trick(game, self._view, self._names)
        if not isinstance(self._view, TrickView):
            lines = [f"There are no tricks in {game.about.title}."]
        print_lines(*(lines or ["No trick has been taken in this round yet."]))

    def _print_sheet(self) -> None:
        view, game = self._view, self._playable.game
        seen = self._playable.snapshot(view.seat)
        totals = seen.results or view.totals
        sheet = VisibleScoreSheet(
            game=game,
            seats=len(totals),
            sides=game.sides_of(view),
            columns=game.columns,
            scores=seen.scores,
            totals=totals,
            ranks=seen.ranks,
        )
        print_score_sheet(sheet, view, self._names, seen.former_players)

    def _talk(self, text: str) -> None:
        """Print the chat, or say ``text`` unless it is empty."""
        if not text:
            print_chat(self._playable.get_messages(self._view.seat), self._names)
        elif wrong := find_length_error(text):
            print_lines(wrong)
        else:
            self._change(partial(self._playable.say, text, self._view.seat))

    def _print_last_round(self) -> None:
        if finished := self._find_last_round():
            print_lines(*describe_round(finished, self._names))

    def _explain_decision(self, number: str) -> None:
        if number and not number.isdecimal():
            raise UnknownCommand
        if finished := self._find_last_round():
            print_lines(*explain_decision(finished, int(number[:5] or "0"), self._playable.header, self._names))

    def _find_last_round(self) -> RoundReplay | None:
        """Return the last finished round; if there is none or it cannot be read, print this and return ``None``."""
        run = self._playable
        try:
            finished = replay_round(run.journal(), len(run.snapshot(run.initial_seat).scores))
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
            return None
        if finished is None:
            print_lines("No round is over yet.")
        return finished
