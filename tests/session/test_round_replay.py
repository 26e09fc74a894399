"""Replay of a finished round: hands, tricks, turns, and nothing of the round in progress."""

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.cards import iter_cards, names
from cardtable.engine.game import OVER
from cardtable.engine.journal import ActionLine, ChanceLine, Header, Occupant
from cardtable.engine.log_entries import TAKEN_BACK, CustomLogEntry, Drew, MadePoints
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import Play
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.round_replay import replay_round, restrict_replay
from tests.every_game import TRICK_GAMES
from tests.journal_lines import select_lines
from tests.overriding import override

OTHER_RULES = {("bridge", 4): {"opening": "random"}, ("ten_down", 2): {"room": 5}}
TABLES = [(key, seats, OTHER_RULES.get((key, seats), {})) for key in KEYS for seats in ABOUT[key].seats]
every_table = pytest.mark.parametrize(("key", "seats", "options"), TABLES)


class RecordedSession:
    """Session in memory that robots of one level play, with its journal."""

    def __init__(self, key, seats, seed=1, level="random", **options):
        game = GAMES[key]
        chosen = game.options(**options).for_seats(seats)
        occupants = tuple([Occupant(f"R{seat}", level) for seat in range(seats)])
        self.header = Header(
            cardtable=3,
            id="a",
            game=key,
            created="2026-11-20T08:37:28Z",
            seed=seed,
            options=chosen.to_dict(),
            seats=occupants,
        )
        self.lines = []
        self.table = Referee(game, seats, chosen, seed, self.lines.append)
        self.robot, self.seed = make_robot(level, key), seed

    def advance_or_play(self):
        table = self.table
        if table.turn < 0:
            table.advance()
        else:
            table.play(table.turn, decide(self.robot, table.view(table.turn), self.seed, table.decisions))

    def play_through_round(self, number):
        """Play until `number` rounds are finished, or to the end."""
        while len(self.table.scores) < number and self.table.turn != OVER:
            self.advance_or_play()
        return self

    def play_steps(self, steps):
        for _ in range(steps):
            self.advance_or_play()
        return self

    def replay(self, number=None):
        data = journal.encode(self.header, self.lines)
        return replay_round(journal.read(data), number or len(self.table.scores))


def strip_positions(replayed):
    """Return the replay without the journal lines of its steps and without the entries between them."""
    return replace(replayed, steps=tuple([replace(step, line=0, asides=()) for step in replayed.steps]))


@every_table
def test_hands_match_deal_and_plays(key, seats, options):
    played = RecordedSession(key, seats, **options).play_through_round(2)
    number = len(played.table.scores)
    replayed = played.replay()
    deal = [line.outcome for line in select_lines(ChanceLine, played.lines) if line.is_deal][-1]
    each_hand = [replayed.get_hand(seat, 0) for seat in replayed.seats]
    cards, at = deal.split()[1:], 0
    for hand in each_hand:
        size = hand.bit_count()
        assert size
        assert sorted(names(iter_cards(hand)).split()) == sorted(cards[at : at + size])
        at += size
    for i, step in enumerate(replayed.steps):
        if step.seat is not None:
            assert step.view.turn == step.view.seat == step.seat
            assert step.used_cards & ~replayed.get_hand(step.seat, i) == 0
            assert step.event in step.view.legal
            if isinstance(step.event, Play):
                assert names(iter_cards(step.used_cards)) == str(step.event).removeprefix("play ")
    assert replayed.number == number
    assert replayed.score == played.table.scores[-1]
    decided = [str(step.event) for step in replayed.steps if step.seat is not None]
    assert decided == [line.action for line in select_lines(ActionLine, played.lines)][-len(decided) :]
    for row in range(len(replayed.rows)):
        for seat in replayed.seats:
            hand = replayed.get_hand(seat, replayed.count_steps_before(row))
            assert replayed.get_used_cards(seat, row) & ~hand == 0 or not replayed.has_tricks
            assert hand & ~replayed.get_cards_held(seat, replayed.count_steps_before(row)) == 0


@pytest.mark.parametrize(("key", "seats", "options"), [table for table in TABLES if table[0] in TRICK_GAMES])
def test_tricks_have_cards_of_all_seats_and_takers(key, seats, options):
    replayed = RecordedSession(key, seats, **options).play_through_round(3).replay()
    tricks = [row for row in replayed.rows if row.trick]
    assert [row.trick for row in tricks] == list(range(1, len(tricks) + 1))
    won = [0] * seats
    for row in tricks:
        assert len({seat for seat, _ in row.cards}) == len(row.cards)
        if len(row.cards) == seats:
            won[row.taker] += 1
    final = replayed.steps[-1].after[0]
    assert tuple(won) == tuple(final.won)
    for seat in replayed.seats:
        dealt, out = replayed.get_hand(seat, 0), [c for row in tricks for s, c in row.cards if s == seat]
        played = 0
        for row in range(len(replayed.rows)):
            assert not played & replayed.get_used_cards(seat, row), "a card is played once"
            played |= replayed.get_used_cards(seat, row)
        assert sorted(names(iter_cards(played)).split()) == sorted(names(out).split())
        assert played & ~dealt == 0


@every_table
def test_replay_shows_all_drawn_cards(key, seats, options):
    replayed = RecordedSession(key, seats, **options).play_through_round(1).replay()
    assert not any(isinstance(note, MadePoints) for step in replayed.steps for note in step.notes)
    drawn = [note for step in replayed.steps for note in step.notes if isinstance(note, Drew)]
    assert all(len(note.cards) == note.number for note in drawn), "everybody may know what was drawn"
    assert drawn or key not in ("bridge", "rummy")


@every_table
def test_replay_excludes_round_in_progress(key, seats, options):
    played = RecordedSession(key, seats, **options).play_through_round(1)
    before = played.replay()
    played.play_steps(7)
    assert len(played.table.scores) == 1
    assert played.table.playing or played.table.turn == OVER
    assert played.replay() == before
    assert played.replay(2) is None
    assert played.replay(1).steps[-1].after[0].finished == 1


def test_replay_omits_undone_decisions():
    played = RecordedSession("gurka", 4).play_steps(15)
    played.table.undo(4)
    replayed = played.play_through_round(1).replay()
    assert [step.decisions for step in replayed.steps] == list(range(len(replayed.steps)))
    plain = RecordedSession("gurka", 4).play_through_round(1).replay()
    assert strip_positions(replayed) == strip_positions(plain), "the robots choose the same again"
    assert [note for step in replayed.steps for note in step.asides] == [TAKEN_BACK]


def test_replay_after_undo_of_round_end():
    played = RecordedSession("gurka", 4).play_through_round(1)
    whole = played.replay()
    played.table.undo(3)
    assert played.replay(1) is None
    assert strip_positions(played.play_through_round(1).replay()) == strip_positions(whole)


def test_replay_skips_void_round():
    played = RecordedSession("rikiki", 4).play_through_round(1)
    first = played.replay()
    played.play_steps(4)
    played.table.void("clock")
    assert played.replay() == first
    replayed = played.play_through_round(2).replay()
    assert replayed.number == 2
    again = select_lines(ChanceLine, played.lines)[2].outcome
    assert names(iter_cards(replayed.get_hand(0, 0))).split() == sorted(
        again.split()[1:3], key=lambda c: ("CDHS".index(c[1]), c)
    )


def test_replay_merges_private_entries_of_all_seats(monkeypatch):
    def narrate(event, before, after):
        alone = Drew(after.seat, after.seat) if after.seat else None
        return tuple(filter(None, [CustomLogEntry(before.turn, "acts", "act"), alone]))

    played = RecordedSession("gurka", 4).play_through_round(1)
    gurka = override(GAMES["gurka"], narrate=narrate)
    monkeypatch.setattr("cardtable.session.round_replay.GAMES", {"gurka": gurka})
    step = played.replay().steps[0]
    assert step.notes == (CustomLogEntry(step.seat, "acts", "act"), Drew(1, 1), Drew(2, 2), Drew(3, 3))
    alone = restrict_replay(played.replay(), 2).steps[0]
    assert alone.notes == (CustomLogEntry(step.seat, "acts", "act"), Drew(2, 2))
