"""Cursor of the table screen, in the player's hand, among the cards on the table and in the decision box."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from cardtable.engine.cards import BIT, QUEEN, RANK, Card, Cards, lowest, mask_of
from cardtable.engine.game import Action, AnyGame, View
from cardtable.engine.presentation import SEAT_NAMES, explain_refusal
from cardtable.session.session_events import SessionEvent, SessionPrompt
from cardtable.ui.game_view.decision import Decision, Option, create_list_decision
from cardtable.ui.game_view.game_view import AnyGameView
from cardtable.ui.game_view.hand_cursor import HandCursor, find_table_cards
from cardtable.ui.game_view.registry import get_game_view
from cardtable.wording.formatting import format_card
from cardtable.wording.players import Names

Change: TypeAlias = Callable[[], Sequence[SessionEvent]]
"""Function that changes the session and returns the events that this caused."""
CursorPosition: TypeAlias = tuple[HandCursor, int, bool]
"""Cursor in the hand, index of the option under the cursor, and True if the cursor is in the decision box."""
LEAVING_NOTE: Final = "{leave} leaves the table"
DIGIT_RANKS: Final = {digit: rank for rank, digit in enumerate("234567890")}
"""Rank (0 to 8) by digit key, for cards; "0" selects the ten."""


class Cursor:
    """Cursor and selection of the player, with the message in the prompt.

    Only ``confirm`` chooses an action; all other methods move the cursor or mark cards. ``show`` is called after each
    change of the picture. All methods run in the event loop.
    """

    def __init__(self, game: AnyGame, show: Callable[[], None], game_view: AnyGameView | None = None) -> None:
        """``game_view`` is that of a game which is not installed; ``None`` to look it up."""
        self._game, self._game_view = game, game_view or get_game_view(game.about.key)
        self._show = show
        self._view: View
        """View on the screen, set by ``update_hand``."""
        self._typed_number = ""
        """Number that the last keys have typed in the box; empty if the last key was no digit."""
        self._is_number_refused = False
        """True if the last key was a digit of a number that cannot be chosen; Enter then chooses nothing.

        In a box without numbers a digit means no option, and Enter chooses the one under the cursor.
        """
        self.waiting = False
        self._question: SessionPrompt | None = None
        """Question that the decision answers."""
        self.hand = HandCursor()
        self.decision: Decision | None = None
        self._names: Names = SEAT_NAMES
        self._game_decision: Decision | None = None
        """Decision of the game, which a choice among actions with the same cards interrupts."""
        self._interrupted = False
        """True while the box has such a choice in place of the game's decision."""
        self.option = 0
        self.in_box = self.moved_by_player = False
        self.proposed_change: Change | None = None
        """Change of the session for which the message asks; Enter makes it."""
        self._set_message()

    def update_hand(self, view: View, cards: Iterable[Card], legal: Sequence[Action]) -> None:
        """Adopt another view, with its hand in display order and its legal actions; clears the message in the prompt.

        Both are empty while the hand is hidden, and ``legal`` is empty while no action can be chosen. The cursor stays
        on its card if possible. It moves to the card that has to be used, if there is one and it can be selected, and
        begins on a card that was drawn, or that the game can spare. In a game with a bar, Enter acts on no card before
        the player has chosen one, unless one has to be used or nothing else can be done: a turn has several actions,
        and Enter pressed twice would end it. The cursor moves to a card that can be used as the last one was, but what
        Enter then does is open again. Cards stay selected only if another seat has chosen, of several that
        choose at once.
        """
        self._view = view
        selected = self.hand.chosen if any(view.choosing) and legal and legal == self.hand.legal else 0
        drawn = self._game_view.drawn_card(view) if self.hand.at is None else None
        bar, melds = tuple(self._game_view.bar(view)), self._game_view.melds(view) if legal else ()
        hand = replace(self.hand, bar=bar, sets=tuple(map(mask_of, melds)))
        hand = hand.with_hand(cards, legal, find_table_cards(self._game, view) if legal else ())
        spare = self._game_view.spare_card(view) if legal and hand.at != self.hand.at else None
        self.hand = replace(hand if spare is None else hand.move_to(spare), chosen=selected)
        mandatory = self._game.mandatory_card(view) if legal else None
        focus = drawn if mandatory is None else mandatory
        if focus is not None and self.hand.can_select(focus):
            self.hand = self.hand.move_to(focus)
        armed = not bar or mandatory is not None or len(legal) < 2
        self.hand = replace(self.hand, kind="", armed=armed, stepped=False)
        self.moved_by_player = False
        self._set_message()

    def reorder_hand(self, cards: Iterable[Card]) -> None:
        """Adopt a new order of the same cards; the cursor stays on its card."""
        if self.hand.cards:
            self.hand = replace(self.hand, cards=tuple(cards))

    def begin_decision(self, decision: Decision | None, names: Names = SEAT_NAMES) -> None:
        """Begin a decision of the player.

        The cursor starts in the decision box; in the hand if ``decision`` is ``None`` or its ``cards_first`` is True.
        """
        self.waiting, self.decision, self._names = True, decision, names
        self._interrupted = self._is_number_refused = False
        self._typed_number = ""
        self._game_decision, self._question = decision, None
        self.option = decision.start if decision else 0
        self.in_box = decision is not None and not decision.cards_first

    def begin_question(self, question: SessionPrompt) -> None:
        """Make the decision that has begun the answer to a question.

        The cursor starts on the right answer if it has been told, and else on no right action.
        """
        self._question = question
        self.hand = replace(self.hand, kind="")
        if question.answer is None:
            self._avoid(question.right_actions)
        else:
            self.point_at(question.answer)

    def _avoid(self, actions: Collection[Action]) -> None:
        """Move from an option or card of ``actions`` to the first one of another legal action, if there is one."""
        others = [action for action in self._view.legal if action not in actions]
        pointed = self.decision.actions[self.option] if self.in_box and self.decision else self.hand.find_action(None)
        is_offered = any(action.cards_used() == self.hand.offer != 0 for action in actions)
        if not (pointed in actions or is_offered) or not others:
            return
        boxed = self.decision.actions if self.decision else []
        if self.in_box:
            self.option = next((i for i, action in enumerate(boxed) if action in others), self.option)
        else:
            cards = [card for card in self.hand.cards if self.hand.move_to(card).find_action(None) in others]
            self.hand = self.hand.move_to(next(iter(cards), self.hand.at))

    def end_decision(self) -> None:
        self.waiting, self.decision, self.in_box, self._interrupted = False, None, False, False

    def point_at(self, action: Action) -> None:
        """Move the cursor to the cards or the option of ``action``, as a move of the program and not of the player."""
        boxed = [option and option.steps[0] for option in self.decision.actions] if self.decision else []
        self._set_message()
        self.in_box, self.moved_by_player = action in boxed, False
        if self.in_box:
            self.option = boxed.index(action)
        elif uses := action.cards_used():
            chosen = uses if uses & (uses - 1) else 0
            target = action if self.hand.bar and not chosen else None
            self.hand = replace(self.hand, chosen=chosen, at=lowest(uses), target=target, armed=True)

    @property
    def position(self) -> CursorPosition:
        return self.hand, self.option, self.in_box

    def return_to(self, position: CursorPosition) -> None:
        hand, self.option, self.in_box = position
        self.hand = replace(hand, cards=self.hand.cards)

    def point_at_returned_cards(self, returned: Cards) -> None:
        """Move the cursor to the cards that a decision which was taken back has returned to the hand, if any."""
        again = [action for action in self._view.legal if 0 != action.cards_used() == action.cards_used() & returned]
        if again:
            self.point_at(max(again, key=lambda action: action.cards_used().bit_count()))

    def go_to_card(self, card: Card) -> None:
        self.in_box, self._is_number_refused, self.hand = False, False, self.hand.move_to(card)

    def go_to_option(self, index: int) -> None:
        self.in_box, self._is_number_refused, self.option = True, False, index

    def add_card(self, card: Card) -> None:
        """Move the cursor to a card; if cards are chosen, choose this one, too."""
        self.go_to_card(card)
        if self.hand.chosen:
            self.hand = replace(self.hand, chosen=self.hand.chosen | BIT[card])

    def choose_kind(self, kind: str) -> None:
        self.hand = self.hand.choose_kind(kind)

    def add_cards(self, cards: Cards) -> None:
        self.hand = replace(self.hand, chosen=self.hand.chosen | cards)

    def move(self, step: int) -> None:
        """Move left (-1) or right (1): among the playable cards, or in the grid of the decision box.

        At the right edge of the grid the cursor changes to the hand.
        """
        if self.in_box and self.decision:
            neighbour = self.decision.move_horizontal(self.option, step)
            if neighbour is not None:
                self.option = neighbour
            elif self.hand.selectable and step > 0:
                self.in_box = False
        else:
            self.hand = self.hand.move(step)
        self.register_move()

    def move_any(self, step: int) -> None:
        """Move left (-1) or right (1) among all cards of the hand, wrapping around.

        If the card cannot be played, the reason is shown.
        """
        if self.reject_hand_play(self.hand.cards):
            return
        self.in_box, self.hand = False, self.hand.move(step, any_card=True)
        self.register_move(self._explain_selection())

    def move_by_wheel(self, steps: int) -> None:
        """Move by notches of the mouse wheel among all cards of the hand, stopping at its ends."""
        hand = self.hand
        index = hand.distinct_cards.index(hand.at) if hand.at in hand.distinct_cards else 0
        self.move_any(max(-index, min(steps, len(hand.distinct_cards) - 1 - index)))

    def move_to_end(self, step: int) -> None:
        """Move to the first (-1) or the last (1) option of the box, or playable card of the hand."""
        if self.in_box and self.decision:
            self.option = 0 if step < 0 else len(self.decision.options) - 1
        else:
            self.hand = self.hand.move_to_end(step)
        self.register_move()

    def move_vertical(self, step: int) -> None:
        """Move up (-1) or down (1) in the decision box; elsewhere to the action to which the game leads this key.

        If there is none, move in the bar above the hand, or from the hand to the cards on the table, or back.
        """
        action = self._game_view.shortcut(self._view, self.hand.cards, step)
        if self.in_box and self.decision and not (self.decision.is_single(self.option) and action):
            self.option = self.decision.move_vertical(self.option, step)
            self.register_move()
        elif self.waiting and action is not None:
            self.point_at(action)
            self.register_move()
        elif self.waiting and not self.in_box:
            self.hand = self.hand.switch_row(step) or self.hand.step_kind(step)
            self.register_move()

    def switch_area(self) -> None:
        """Move between the decision box and the hand, if both can be used.

        In the box the cursor goes to an option about the card it was on, if there is one.
        """
        if self.waiting and self.decision and self.hand.selectable:
            self.in_box = not self.in_box
            if self.in_box and self.hand.at is not None:
                bit = BIT[self.hand.at]
                actions = enumerate(self.decision.actions)
                matching = [i for i, action in actions if action is not None and action.cards_used() == bit]
                self.option = matching[0] if matching else self.option
            self.register_move()

    def handle_digit(self, digit: str) -> None:
        """Move to the numbered option in the decision box, or else to a card of the rank of the digit.

        Digits typed one after another form one number, if an option has it. If it is forbidden, the reason is shown.
        """
        decision = self.decision
        if not (self.in_box and decision):
            self._go_to_digit_rank(digit)
            return
        number = self._move_to_number(decision, self._typed_number + digit) or self._move_to_number(decision, digit)
        if number and decision.actions[self.option]:
            self.register_move()
        elif decision.digits_go_to_cards:
            self._go_to_digit_rank(digit)
        else:
            self.register_move(decision.explain_invalid_number(number or digit))
            # a number that the box has, but forbids, is under the cursor
            self._is_number_refused = not number and any(option.number is not None for option in decision.options)
        self._typed_number = number

    def _go_to_digit_rank(self, digit: str) -> None:
        if digit in DIGIT_RANKS:
            self.go_to_rank(DIGIT_RANKS[digit])

    def _move_to_number(self, decision: Decision, number: str) -> str:
        """Move to the option with this number; return the number, or "" if no option has it."""
        index = decision.find_number(number, self.option)
        if index is None:
            return ""
        self.option = index
        return number

    def go_to_rank(self, rank: int) -> None:
        """Move to a card of ``rank``; if no such card can be selected, show why the first one is forbidden.

        Without such a card, show that; for the queen also how to leave, since her key closes other pages.
        """
        cards = [card for card in self.hand.cards if RANK[card] == rank]
        if hand := self.hand.move_to_rank(rank):
            self.hand, self.in_box = hand, False
            self.register_move()
        elif not self.reject_hand_play(cards) and cards:
            self.go_to_card(cards[0])
            self.register_move(self._explain_selection())
        elif not cards:
            leaving = f". {LEAVING_NOTE}" if rank == QUEEN else ""
            self.show_message(f"You hold no {self._game.about.faces.ranks[rank].one}{leaving}")

    def toggle_card(self) -> None:
        """Mark the card under the cursor or undo its mark; if nothing can be marked, name the key that chooses."""
        chosen = None if self.in_box else self.hand.toggle_card()
        action = self.hand.find_action(self.decision)
        if chosen and self.hand.selects_cards:
            self.hand = chosen
            self.register_move()
        elif self.in_box and self.decision:
            self.show_message(f"Press {{play}} to {self.decision.commit}")
        elif self.hand.bar and self.hand.at is not None:
            self.show_message(f"{format_card(self.hand.at)} fits no meld now")
        elif action is not None:
            self.show_message(f"Press {{play}} to {action.verb}")
        else:
            self.show_selection_error()

    def clear_selection(self) -> None:
        self.hand = replace(self.hand, chosen=0)
        self.register_move()

    def confirm(self) -> Action | None:
        """Choose the option under the cursor or the action with the chosen cards; if it is forbidden, show the reason.

        An option with a confirmation text shows it first, and is chosen at the second call. So is the option under
        the cursor after a number that cannot be chosen, since the player meant another one.
        """
        if not self.waiting:
            return None
        if self._is_number_refused:
            self.register_move(self.reason)
            return None
        if self.in_box and self.decision:
            option = self.decision.options[self.option]
            if option.action is None:
                self.show_message(option.note)
            elif option.confirmation and not self.needs_confirmation:
                self.show_message(option.confirmation, needs_confirmation=True)
            else:
                return option.action
            return None
        boxed = self._game_decision.actions if self._game_decision else []
        if len(same := [action for action in self.hand.list_actions() if action not in boxed]) > 1:
            self._begin_choice(same)
            return None
        action = self.hand.find_action(self.decision)
        if action is None and len(self._view.legal) == 1 and not self.hand.selectable:
            action = self._view.legal[0]
        if action is not None:
            self.hand = replace(self.hand, kind=action.kind if self.hand.bar else "")
        elif offer := self.hand.offer:
            self.hand = replace(self.hand, chosen=offer)
            self.register_move()
        else:
            self.show_selection_error()
        return action

    def _begin_choice(self, actions: Sequence[Action]) -> None:
        """Show a box with several actions that use the same cards; it closes when the cursor leaves it."""
        from cardtable.robots.kit.hint_spec import YOURSELF, format_action  # noqa: PLC0415 - lazy: startup, rare

        pronouns = YOURSELF._replace(names=self._names)
        options = tuple([Option(format_action(action, pronouns), action) for action in actions])
        answer = self._question.answer if self._question else None
        self.decision = create_list_decision("Your choice", options, cards_first=True)
        self.option = actions.index(answer) if answer in actions else 0
        self.in_box = self._interrupted = True
        self.register_move()

    def reject_hand_play(self, cards: Sequence[Card]) -> bool:
        """Return True if cards cannot be played because an option of the decision box has to be chosen first.

        The reason is then shown for the first of ``cards``.
        """
        if not (self.waiting and self.decision and cards) or self.hand.selectable:
            return False
        self.show_cards_error(BIT[cards[0]])
        return True

    def show_selection_error(self) -> None:
        """Show why the chosen cards cannot be played, unless they can."""
        if reason := self._explain_selection():
            self.show_message(reason)

    def show_message(self, text: str, *shorter_texts: str, needs_confirmation: bool = False) -> None:
        """Show ``text`` in the prompt until the cursor moves; if it has no room, one of ``shorter_texts``, in order.

        With ``needs_confirmation`` the text asks the player to press Enter again.
        """
        self._set_message(text, shorter_texts, needs_confirmation=needs_confirmation)
        self._show()

    def propose(self, question: str, change: Change) -> None:
        """Show a question; Enter then makes ``change``, which no action in the hand or the decision box stands for."""
        self.show_message(question, needs_confirmation=True)
        self.proposed_change = change

    def _set_message(
        self, text: str = "", shorter_texts: tuple[str, ...] = (), *, needs_confirmation: bool = False
    ) -> None:
        self.reason, self.shorter_reasons, self.needs_confirmation = text, shorter_texts, needs_confirmation
        self.proposed_change = None

    def _explain_selection(self) -> str:
        """Return why the chosen cards, or the card under the cursor, cannot be played; "" if they can."""
        hand = self.hand
        if not self.waiting or hand.at is None or hand.list_actions() or hand.offer:
            return ""
        if not (hand.armed or hand.chosen):
            return "Choose a card: {down} this one, {left}{right} another"
        return self._game.explain_illegal(self._view, hand.chosen or BIT[hand.at])

    def show_cards_error(self, cards: Cards) -> None:
        self.show_message(explain_refusal(self._game, self._view, cards))

    def register_move(self, message: str = "") -> None:
        """Register that the player has moved the cursor, and replace the message in the prompt."""
        self.moved_by_player, self._is_number_refused, self._typed_number = True, False, ""
        if self._interrupted and not self.in_box:
            self.decision, self.option, self._interrupted = self._game_decision, 0, False
        self.show_message(message)
