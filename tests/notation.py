"""Sessions told in notation: every text is a line of a journal, and a table judges it.

    game = Sitting("bridge", 3).deal("QH TS 9C 9S KD", "6H 6C KC 9D TH")
    game.do("play QH, done, play 6H")
    assert game.legal() == ["play 6C"]

After each line the state is checked, and every seat must be able to imagine it.
"""

from random import Random

from cardtable.engine import chance
from cardtable.engine import options as house
from cardtable.engine.cards import cards, iter_cards, mask_of, names
from cardtable.engine.journal import Line
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.wording.log_entries import format_note

CHANCES = ("deal", "shuffle", "first", "trump", "first-card")


class Sitting:
    """A table whose chance and choices are all told by the test."""

    def __init__(self, key, seats, totals=None, **options):
        """``totals`` stand for rounds that are not told."""
        self.game = GAMES[key]
        self.table = Referee(self.game, seats, house.read(self.game.options, options, seats), seed=1)
        self.pack = _pack(self.table._state.copy())
        self.notes = [()] * seats
        if totals:
            self.table._state.totals = totals

    def deal(self, *hands, then="", number=5):
        """Deal ``number`` cards each, then those of ``then``; cards not named fill up in their order."""
        seats = range(self.table.seats)
        told = [hands[seat].split() if seat < len(hands) else [] for seat in seats]
        spare = names(iter_cards(self.pack)).split()
        for card in [card for hand in told for card in hand] + then.split():
            spare.remove(card)
        order = []
        for hand in told:
            missing = number - len(hand)
            order += hand + spare[:missing]
            del spare[:missing]
        return self.do(" ".join(["deal", *order, *then.split(), *spare]))

    def do(self, texts, times=1):
        """Lines of a journal, separated by commas, by the seat that is to act or by chance."""
        for text in texts.split(", ") * times:
            before = [self.view(seat) for seat in range(self.table.seats)]
            if text.split(" ")[0] in CHANCES:
                self.table.apply_line(Line(chance=text))
                event = chance.read(text)
            else:
                seat = self.turn
                self.table.apply_line(Line(seat=seat, action=text))
                event = next(action for action in before[seat].legal if str(action) == text)
            self._hold_laws()
            after = [self.view(seat) for seat in range(self.table.seats)]
            self.notes = [self.game.narrate(event, *views) for views in zip(before, after, strict=True)]
        return self

    def _hold_laws(self):
        self.table.assert_invariants()
        for seat in range(self.table.seats):
            view = self.view(seat)
            imagined = self.game.imagine(view, Random(seat))
            imagined.assert_invariants()
            assert imagined.view(seat) == view

    @property
    def turn(self):
        """The seat to act."""
        return self.table.turn

    @property
    def score(self):
        """The round finished last."""
        return self.table.scores[-1]

    def legal(self):
        """The texts of what may be done, sorted."""
        return self.table.list_legal_texts()

    def view(self, seat=None):
        """What a seat may know, or else the seat to act."""
        return self.table.view(self.turn if seat is None else seat)

    def hand(self, seat):
        """The hand of a seat, in notation."""
        return names(iter_cards(self.view(seat).hand))

    def why_not(self, text=""):
        """Why the seat to act may not choose these cards."""
        return self.game.explain_illegal(self.view(), cards(text))

    def told(self, seat):
        """What the last line looked like to a seat."""
        return [(note.seat, format_note(note, you=False)) for note in self.notes[seat]]

    def imagined(self, seat, tries=40):
        """Worlds that a seat thinks possible."""
        return [self.game.imagine(self.view(seat), Random(number)) for number in range(tries)]


def _pack(state):
    """The cards of a game that has not begun: those of its first deal."""
    while not isinstance(event := state.draw_chance(Random(1)), chance.Deal):
        state.apply(event)
    return mask_of(event.order)
