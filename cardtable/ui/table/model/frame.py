"""View state of the table screen: all data that is needed to paint it at one moment."""

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final, Self

import msgspec
from msgspec.structs import replace

from cardtable.engine.cards import NAME, Card, mask_of
from cardtable.engine.game import Action, AnyGame, Mark, Seat, Sides, View
from cardtable.engine.secret_choices import has_chosen, list_seats_to_act
from cardtable.session.session_events import SessionSnapshot, Stage
from cardtable.store.settings import HandOrder
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import AnyGameView
from cardtable.ui.game_view.hand_cursor import NO_CURSOR, CursorState, HandCursor
from cardtable.wording.formatting import NO_CARD_TEXT, format_clock
from cardtable.wording.players import Names, format_side, list_marks, sort_own_side_first

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.robots.hints import Advice, AdviceLine, DealSample
    from cardtable.wording.session_end import EndLines


SPEED_SECONDS: Final = (4.0, 2.0, 1.0, 0.4, 0.0)
"""Seconds per decision at each playback speed, slowest first; 0 plays as fast as the robots decide."""


class PlaybackControls(msgspec.Struct, frozen=True):
    """Speed and pause of a table at which only robots play."""

    speed: int
    """Index into ``SPEED_SECONDS``."""
    paused: bool = False
    steps: int = 0
    """Number of single steps (decisions or outcomes of chance) still to be made while paused."""

    @classmethod
    def from_pace(cls, pace: float, *, paused: bool) -> Self:
        """Return controls with the speed that is nearest to ``pace``, in seconds per decision."""
        return cls(min(range(len(SPEED_SECONDS)), key=lambda i: abs(SPEED_SECONDS[i] - pace)), paused)

    def pause(self) -> Self:
        return replace(self, paused=True)

    def toggle_pause(self) -> Self:
        return replace(self, paused=not self.paused, steps=0)

    def request_step(self) -> Self:
        return replace(self, paused=True, steps=self.steps + 1)

    def finish_step(self) -> Self:
        return replace(self, steps=max(self.steps - 1, 0))

    def cancel_steps(self) -> Self:
        return replace(self, steps=0)

    def change_speed(self, by: int) -> Self:
        return replace(self, speed=max(0, min(self.speed + by, len(SPEED_SECONDS) - 1)))

    def compute_seconds(self, decisions: float = 1, minimum: float = 0) -> float | None:
        """Return the seconds for ``decisions`` decisions, at least ``minimum``.

        While paused, ``None``, or 0 if a single step is to be made.
        """
        if self.paused:
            return 0 if self.steps else None
        return max(decisions * self.pace, minimum)

    @property
    def pace(self) -> float:
        """Seconds per decision while not paused."""
        return SPEED_SECONDS[self.speed]

    def format_label(self) -> str:
        return "Paused" if self.paused else f"Speed {self.speed + 1} of {len(SPEED_SECONDS)}"


class CardTexts(Enum):
    """Cards for which a line below the prompt tells what they do, while the cursor is on them."""

    NONE = "none"
    SPECIAL = "special"
    """Cards that do something special; shown by itself in a player's first sessions of a game."""
    ALL = "all"
    """All cards, as the player has asked for it."""


class HintState(msgspec.Struct, frozen=True):
    """Advice of the expert for a view, and what is selected of it."""

    view: View
    advice: "Advice"
    row: int = 0
    """Index of the selected choice."""
    deal_sample: "DealSample | None" = None
    """Deals in which the choices were played out; ``None`` if not requested, or not arrived yet."""


class TableFrame(SessionSnapshot, frozen=True, kw_only=True):
    """Snapshot of a session, with the cursor and all other state that the table screen shows."""

    game: AnyGame
    game_view: AnyGameView
    names: Names
    human_count: int = 1
    """Number of human players at this terminal."""
    thinking_robot: Seat | None = None
    """Seat of the robot that is choosing an action, or ``None``."""
    robot_failed: bool = False
    """True if a robot failed to choose; the key ``play`` asks the robot again."""
    spectator_reason: str = ""
    """Why no player can act at this terminal, in words; "" if one can."""
    is_predictable: bool = False
    """True if the player could foresee the prompt from their last key, so that the input guard need not delay it.

    The prompt is not predictable if another player has acted since, cards were dealt, the player has drawn a card
    unseen, or a decision box has opened.
    """
    can_take_back: bool = False
    """True if the only human player has a decision that can be taken back."""
    shows_trick: bool = False
    """True during the pause after a complete trick."""
    hand_order: HandOrder = "usual"
    """Order in which the hands are sorted, one of those that the game knows."""
    latest_hint: HintState | None = None
    """Last advice that has arrived, which may be for another view."""
    shows_open_hands: bool = False
    """True if the hands of other seats are shown where the view has them."""
    playback: PlaybackControls | None = None
    """Playback controls if only robots play, else ``None``."""
    is_local: bool = True
    """True if the session is played in this program, False if a host plays it."""
    has_same_deal: bool = True
    """True if another session with the same deals can be begun."""
    is_recorded: bool = True
    """True if the journal is on this machine."""
    aim: str = ""
    """Aim of the game, shown when it is played for the first time until a key is pressed; "" otherwise."""
    offers_lessons: bool = False
    """True if the footer offers the lessons of the game, together with the aim."""
    remarks: tuple[str, ...] = ()
    """Sentences on a finished session: its effect on credits, and why it is not rated; empty before its end."""
    end_lines: "EndLines | None" = None
    """Lines about the finished session, as far as they are known."""
    save_error: str | None = None
    """Why lines of the session could not be saved; ``None`` if all are."""
    notice: str = ""
    """Failure or offer; "" if there is none."""

    waiting: bool = False
    """True if the player at ``view.seat`` is asked for an action."""
    hand: HandCursor = HandCursor()
    decision: Decision | None = None
    option: int = 0
    """Index of the option under the cursor, in the decision box."""
    in_box: bool = False
    """True if the cursor is in the decision box, False if it is in the hand."""
    moved_by_player: bool = False
    """True if the player has moved the cursor to its position, False if the program has."""
    needs_confirmation: bool = False
    """True if the prompt asks the player to confirm the option under the cursor."""
    card_texts: CardTexts = CardTexts.NONE
    reason: str = ""
    """Message that replaces the prompt, such as the reason why a card cannot be played; "" if there is none."""
    shorter_reasons: tuple[str, ...] = ()
    """Shorter forms of ``reason``, the longest first, for screens on which it has no room."""

    @property
    def can_request_substitute(self) -> bool:
        """True if the player to act is disconnected, and a robot has still to be requested."""
        return self.human_count > 0 and self.absent_seat_to_act not in (None, *self.substitute_votes)

    @property
    def absent_seat_to_act(self) -> Seat | None:
        return next((seat for seat in list_seats_to_act(self.view) if seat in self.disconnected), None)

    @property
    def is_in_play(self) -> bool:
        return self.stage is Stage.PLAY

    @property
    def is_round_over(self) -> bool:
        return self.stage is Stage.ROUND_END

    @property
    def is_over(self) -> bool:
        return self.stage is Stage.SESSION_END

    @property
    def has_curtain(self) -> bool:
        return self.stage is Stage.CURTAIN

    @property
    def is_reading(self) -> bool:
        """True while the table shows a text of a lesson, until the pupil continues."""
        return self.prompt is not None and bool(self.prompt.text)

    @property
    def question(self) -> str:
        """Question of a lesson that the pupil is to answer now; "" if there is none."""
        return self.prompt.question if self.prompt and self.waiting else ""

    @property
    def own_cards(self) -> list[Card]:
        return self._sort_cards(self.view)

    def _sort_cards(self, view: View) -> list[Card]:
        return self.game_view.sort_cards(view, self.hand_order, self.game.card_order(view))

    @property
    def sides(self) -> Sides:
        """Sides in display order: the viewing seat's side first, then clockwise; likewise the seats within a side."""
        return sort_own_side_first(self.game.sides_of(self.view), self.seat)

    def format_side(self, side: Sequence[Seat]) -> str:
        return format_side(self.names, side)

    @property
    def facts(self) -> tuple[str, ...]:
        """Facts about the round for the header, in display order; empty before the first deal."""
        return self.game_view.header(self.view).all if self.view.round else ()

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Marks of the position, with texts that are safe to show."""
        return list_marks(self.game, self.view)

    @property
    def can_explain_card(self) -> bool:
        return self.waiting and not self.in_box and self.hand.at in self.hand.cards and self.game.has_card_texts

    @property
    def card_text(self) -> str:
        """Sentence on what the card under the cursor does, with cards in notation; "" if none is shown."""
        if self.card_texts is CardTexts.NONE or not self.can_explain_card or self.hand.at is None:
            return ""
        text = self.game.explain_card(self.view, self.hand.at)
        return text or (NO_CARD_TEXT.format(NAME[self.hand.at]) if self.card_texts is CardTexts.ALL else "")

    @property
    def has_suit_gaps(self) -> bool:
        return self.game_view.gaps if self.hand_order == "usual" else self.hand_order == "suit"

    @property
    def round_clock(self) -> str:
        return format_clock(self.round_left)

    @property
    def pointed(self) -> CursorState:
        """Action and cards that the player points at; ``NO_CURSOR`` unless asked."""
        if not self.waiting:
            return NO_CURSOR
        action = self.decision.options[self.option].action if self.decision else None
        return CursorState(action, self.in_box, self.hand.at, self.hand.chosen, mask_of(self.hand.table))

    @property
    def box(self) -> Decision | None:
        """Decision box that is shown, or ``None``; a decision made on the mat itself has no box."""
        return self.decision if self.waiting and self.decision and not self.decision.on_mat else None

    @property
    def box_on_mat(self) -> Decision | None:
        """Decision box for screens without a panel, where it covers part of the mat.

        It is ``None`` while the cursor is in the hand, if the decision's ``cards_first`` is True.
        """
        return self.box if self.box and (self.in_box or not self.box.cards_first) else None

    @property
    def box_actions(self) -> list[Action | None]:
        """Action of each option of the decision box, ``None`` for a forbidden option; empty without a decision."""
        return self.decision.actions if self.decision else []

    @property
    def hand_action(self) -> Action | None:
        """Action that Enter performs in the hand, or ``None``."""
        return self.hand.find_action(self.decision)

    @property
    def banner(self) -> str:
        """Message that replaces the keys in the footer; "" if there is none."""
        return self.notice or (f"{{save_elsewhere}} another folder  {self.save_error}" if self.save_error else "")

    @property
    def hint(self) -> HintState | None:
        """Hint for the current view; ``None`` if it was not requested or has not arrived."""
        return self.latest_hint if self.latest_hint and self.latest_hint.view is self.view else None

    @property
    def advice(self) -> "Advice | None":
        return self.hint.advice if self.hint else None

    @property
    def hint_row(self) -> int:
        return self.hint.row if self.hint else 0

    @property
    def deal_sample(self) -> "DealSample | None":
        return self.hint.deal_sample if self.hint else None

    @property
    def hint_line(self) -> "AdviceLine | None":
        """Selected choice of the hint; ``None`` if there is no advice, or if it has no choices."""
        return self.advice.lines[self.hint_row] if self.advice and self.advice.lines else None

    @property
    def hint_action(self) -> Action | None:
        """Action that Enter performs while the hint is open, or ``None``."""
        return self.hint_line.action if self.waiting and self.hint_line else None

    @property
    def can_request_hint(self) -> bool:
        """True on the player's turn, and on a robot's turn while playback is paused."""
        return self.waiting or bool(self.playback and self.playback.paused and self.view.legal)

    @property
    def active_robot(self) -> Seat | None:
        """Seat of the robot that the table waits for; ``None`` while playback is paused."""
        return None if self.playback and self.playback.paused else self.thinking_robot

    def format_seat_clock(self, seat: Seat) -> str:
        return format_clock(self.seats_left[seat]) if self.seats_left else ""

    def find_open_hand(self, seat: Seat) -> list[Card] | None:
        """Return the cards of another seat in display order; ``None`` if they are hidden."""
        if not self.shows_open_hands or seat not in self.others or has_chosen(self.view, seat):
            return None
        return self._sort_cards(self.others[seat])
