"""Sessions written in notation: every text is a line of a journal, judged by a referee.

    game = ScriptedGame("bridge", 3).deal("QH TS 9C 9S KD", "6H 6C KC 9D TH")
    game.do("play QH, done, play 6H")
    assert game.legal() == ["play 6C"]

After each line the invariants of the state are checked, and each seat's view is determinized; in rounds that only lead
to a situation, once at the end (`checked_at_end`).
"""

from contextlib import contextmanager
from random import Random

from cardtable.engine import chance
from cardtable.engine import options as house
from cardtable.engine.cards import cards, iter_cards, mask_of, names
from cardtable.engine.journal import ActionLine, ChanceLine
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.wording.log_entries import format_note

CHANCE_WORDS = ("deal", "shuffle", "first", "trump", "first-card")


class ScriptedGame:
    """Game whose chance and actions are all given by the test."""

    def __init__(self, key, seats, totals=None, **options):
        """Start a game; ``totals`` are those of earlier rounds that are not played."""
        self.game = GAMES[key]
        self.table = Referee(self.game, seats, house.read(self.game.options, options, seats), seed=1)
        self.pack = _find_dealt_cards(self.table.state.copy())
        self.notes = [()] * seats
        self._checks_lines = True
        if totals:
            self.table.state.totals = totals

    def deal(self, *hands, then="", number=5):
        """Deal ``number`` cards to each hand, then the cards of ``then``; cards that are not named follow in pack
        order.
        """
        seats = range(self.table.seats)
        named_cards = [hands[seat].split() if seat < len(hands) else [] for seat in seats]
        spare = names(iter_cards(self.pack)).split()
        for card in [card for hand in named_cards for card in hand] + then.split():
            spare.remove(card)
        order = []
        for hand in named_cards:
            missing = number - len(hand)
            order += hand + spare[:missing]
            del spare[:missing]
        return self.do(" ".join(["deal", *order, *then.split(), *spare]))

    def do(self, texts, times=1):
        """Apply journal lines, separated by commas: chance, or actions of the seat on turn."""
        for text in texts.split(", ") * times:
            if not self._checks_lines:
                is_chance = text.split(" ")[0] in CHANCE_WORDS
                self.table.apply_line(ChanceLine(text) if is_chance else ActionLine(self.turn, text))
                continue
            before = [self.view(seat) for seat in range(self.table.seats)]
            if text.split(" ")[0] in CHANCE_WORDS:
                self.table.apply_line(ChanceLine(text))
                event = chance.read(text)
            else:
                seat = self.turn
                self.table.apply_line(ActionLine(seat, text))
                allowed = (*before[seat].legal, *before[seat].practice_actions)
                event = next(action for action in allowed if str(action) == text)
            self._check_invariants()
            after = [self.view(seat) for seat in range(self.table.seats)]
            self.notes = [self.game.narrate(event, *views) for views in zip(before, after, strict=True)]
        return self

    @contextmanager
    def checked_at_end(self):
        """Apply lines without checks and notes, and check the state once at the end."""
        self._checks_lines = False
        yield
        self._checks_lines = True
        self._check_invariants()

    def _check_invariants(self):
        self.table.state.assert_invariants()
        for seat in range(self.table.seats):
            view = self.view(seat)
            imagined = self.game.imagine(view, Random(seat))
            imagined.assert_invariants()
            assert imagined.view(seat) == view

    @property
    def turn(self):
        """Seat on turn."""
        return self.table.turn

    @property
    def score(self):
        """Score of the last finished round."""
        return self.table.scores[-1]

    def legal(self):
        """Return the legal actions as sorted texts."""
        return self.table.list_legal_texts()

    def view(self, seat=None):
        """Return the view of a seat, by default of the seat on turn."""
        return self.table.view(self.turn if seat is None else seat)

    def hand(self, seat):
        """Return the hand of a seat in notation."""
        return names(iter_cards(self.view(seat).hand))

    def explain_illegal(self, text=""):
        """Return the reason why the seat on turn may not choose these cards."""
        return self.game.explain_illegal(self.view(), cards(text))

    def format_notes(self, seat):
        """Return seat and text of each log entry that a seat got for the last line."""
        return [(note.seat, format_note(note, you=False)) for note in self.notes[seat]]

    def sample_states(self, seat, tries=40):
        """Return determinizations of a seat's view."""
        return [self.game.imagine(self.view(seat), Random(number)) for number in range(tries)]


def _find_dealt_cards(state):
    """Return the cards of a game that has not begun, from its first deal."""
    while not isinstance(event := state.draw_chance(Random(1)), chance.Deal):
        state.apply(event)
    return mask_of(event.order)
