"""Laws of every game's rules: legality, copies, journals, totals, undo, void."""

from itertools import takewhile
from random import Random

import pytest

from cardtable.engine import options as house
from cardtable.engine.chance import First
from cardtable.engine.contract import CHANCE, Chance
from cardtable.engine.journal import Line
from tests.budgets import tried
from tests.laws import laws
from tests.laws.sessions import CASES, ENDLESS, LOOKED_AT, chosen, positions, share_of

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_options_come_back_from_a_header(case):
    chosen = case.options.items()
    assert house.read(case.game.options, chosen) == case.options
    assert house.read(case.game.options, {name: str(value) for name, value in chosen.items()}) == case.options
    assert laws.reloaded(case, []).options == case.options


@every_case
def test_states_and_copies(case):
    for seed in range(share_of(tried("states"), case)):
        look_at_states(case, seed)


def look_at_states(case, seed):
    rng = Random(f"states {case} {seed}")
    for position in positions(case, seed):
        state = position.state
        laws.legal_actions_are_told_apart(state)
        laws.outcomes_are_told_apart(state, rng)
        if rng.random() < 0.05:
            laws.copies_are_independent(state, rng)


@every_case
def test_robot_soak(case):
    """Whole sessions: checked after every event, reloaded after every tenth action, added up at the end."""
    for seed in range(share_of(tried("soak"), case)):
        soak(case, seed)


def soak(case, seed):
    lines, rng = [], Random(f"soak {case} {seed}")
    table = case.table(seed, lines.append)
    table.watch = lambda _event: table.check()
    shadow, taken = case.table(0, lines.append), 0
    while not table.ended:
        act(table, rng)
        if table.decisions % 10 == 0 or table.ended:
            again = [entry.line for entry in laws.journal.read(laws.written(case, lines[taken:])).entries]
            for line in again:
                shadow.take(line)
            taken = len(lines)
            assert laws.known(shadow) == laws.known(table), "the journal leads elsewhere"
        assert len(lines) < ENDLESS
    assert laws.known(laws.reloaded(case, lines)) == laws.known(table)
    laws.scores_add_up(case.game, table.scores, table.running)
    laws.places_are_those_of_the_results(table._state, case.game.lowest_wins)
    assert (table.totals, table.ranks) == (lines[-1].end.totals, lines[-1].end.ranks)


def act(table, rng):
    """One decision by lot, or what chance owes."""
    if table.turn >= 0:
        table.play(table.turn, chosen(table._state.legal(), rng))
    else:
        table.go_on()


@every_case
def test_only_what_is_legal_can_be_done(case):
    for seed in range(share_of(tried("illegal"), case)):
        try_what_is_not_legal(case, seed)


def try_what_is_not_legal(case, seed):
    rng, met = Random(f"illegal {case} {seed}"), []
    table = case.table(seed, lambda _line: None)
    while not table.ended:
        if rng.random() < 0.03:
            laws.only_what_is_legal_can_be_done(table, rng.sample(met, min(len(met), 4)))
        if table.turn >= 0:
            met = list(dict.fromkeys([*met, *table._state.legal()]))
        act(table, rng)
    laws.only_what_is_legal_can_be_done(table, met[:4])


@every_case
def test_undo_gives_the_state_before_and_never_passes_chance(case):
    for seed in range(share_of(tried("undo"), case)):
        take_back_now_and_then(case, seed)


def take_back_now_and_then(case, seed):
    """Play a session; from time to time take something back, and look whether all is as it was."""
    rng, table = Random(f"undo {case} {seed}"), case.table(seed, lambda _line: None)
    behind, chances = [], []
    table.watch = lambda event: chances.append(event) if isinstance(event, Chance) else None
    while not table.ended and table.decisions < LOOKED_AT:
        if behind and rng.random() < 0.1:
            number = rng.randint(1, len(behind))
            table.undo(number)
            assert (laws.facts(table._state), laws.told(table)) == behind[-number], "not what it was"
            del behind[-number:]
        elif rng.random() < 0.1:
            too_many = len(behind) + 1
            laws.refused(table, lambda number=too_many: table.undo(number))
        behind.append((laws.facts(table._state), laws.told(table)))
        chances.clear()
        act(table, rng)
        if chances:
            behind.clear()


@every_case
def test_nobody_comes_back_to_before_a_card_that_she_drew_unseen(case):
    for seed in range(share_of(tried("ways back"), case)):
        look_for_ways_back(case, seed)


def look_for_ways_back(case, seed):
    """Before each decision everybody can come back to her last one, unless chance or her own draw lies between."""
    rng, table = Random(f"back {case} {seed}"), case.table(seed, lambda _line: None)
    decided: list[tuple[int | None, set[int]]] = []
    table.watch = lambda event: decided.clear() if isinstance(event, Chance) else None
    while not table.ended and table.decisions < LOOKED_AT:
        for seat in range(case.seats):
            since = list(takewhile(lambda one, seat=seat: seat not in one[1], reversed(decided)))
            own = [number for number, (mover, _) in enumerate(since, start=1) if mover == seat]
            assert table.since(seat) == (own[0] if own else 0)
            assert (table.why_stays(seat) == "") == bool(own)
        before = [table.view(seat) for seat in range(case.seats)]
        mover = table.turn if table.turn >= 0 and not case.game.silent(before[table.turn]) else None
        decided.append((mover, set()))
        act(table, rng)
        for seat in range(case.seats) if decided else ():
            if laws.drawn_unseen(before[seat], table.view(seat)):
                decided[-1][1].add(seat)


@every_case
def test_a_void_round_changes_nothing_and_has_the_same_dealer(case):
    for seed in range(share_of(tried("void"), case)):
        make_rounds_void(case, seed)


def make_rounds_void(case, seed):
    """Each round is dealt, begun, void, dealt the same again, and played to its end."""
    rng, table = Random(f"void {case} {seed}"), case.table(seed, lambda _line: None)
    voids = 0
    while not table.ended:
        heard = []
        table.watch = heard.append
        table.go_on()
        if table.playing:
            dealt = laws.facts(table._state), laws.told(table)
            outcomes = [event for event in heard if not isinstance(event, First)]
            play_on(table, rng, rng.randrange(20))
            voids += void_and_deal_again(table, outcomes, dealt)
        play_on(table, rng, ENDLESS)
    assert voids


def play_on(table, rng, decisions):
    """So many decisions, if the round has as many."""
    for _ in range(decisions):
        if not table.playing:
            return
        act(table, rng)


def void_and_deal_again(table, outcomes, dealt):
    """The same outcomes after a void lead to the very state that they led to before."""
    if not table.playing:
        return False
    before = table.round, table.totals, len(table.scores)
    table.void("clock")
    table.check()
    assert (table.turn, table.playing) == (CHANCE, False)
    assert (table.round, table.totals, len(table.scores)) == before
    assert not any(table.tricks or ())
    for event in outcomes:
        table.take(Line(chance=str(event)))
    assert laws.told(table) == dealt[1], "the round dealt again is another"
    assert tells_once(table) or laws.facts(table._state) == dealt[0], "the round dealt again is another"
    return True


def tells_once(table):
    """Whether the first deal, and only that, tells where a card lies: its holder is the first declarer."""
    return table.round == 1 and table.options.items().get("first_declarer") == "2d"


@every_case
def test_no_deal_depends_on_play(case):
    for seed in range(tried("deals")):
        compare_deals(case, seed)


def compare_deals(case, seed):
    """Sessions of one seed have the same deals, as far as they go."""
    deals = [deals_of(case, seed, Random(f"{case} {seed} {players}")) for players in range(3)]
    rounds = min(map(len, deals))
    assert rounds
    assert deals[0][:rounds] == deals[1][:rounds] == deals[2][:rounds]


def deals_of(case, seed, rng):
    lines = []
    table = case.table(seed, lines.append)
    while not table.ended:
        act(table, rng)
        if table.playing and rng.random() < 0.05 and table.since(table.turn):
            table.undo(table.since(table.turn))
    return [line.chance for line in lines if (line.chance or "").startswith("deal ")]


@every_case
def test_a_session_is_lost_by_a_clock_where_the_rules_have_one_and_else_not(case):
    for seed in range(share_of(tried("clocks"), case)):
        let_the_time_run_out(case, seed)


def let_the_time_run_out(case, seed):
    """At some time a seat forfeits: the round in play does not count, and nothing but talk follows."""
    rng, lines = Random(f"forfeit {case} {seed}"), []
    table = case.table(seed, lines.append)
    for _ in range(rng.randrange(150)):
        act(table, rng)
    table.go_on()
    seat, running, scores = table.turn, table.running, list(table.scores)
    for other in set(range(case.seats)) - {seat}:
        laws.refused(table, lambda other=other: table.forfeit(other, "clock"))
    if case.options.items().get("clock", "off") == "off" or table.ended:
        laws.refused(table, lambda: table.forfeit(seat, "clock"))
        return
    table.forfeit(seat, "clock")
    table.check()
    assert table.ended
    assert (table.running, table.scores) == (running, scores)
    assert [place > 1 for place in table.ranks] == [one == seat for one in range(case.seats)]
    for undoing in (lambda: table.undo(1), lambda: table.void("clock"), lambda: table.forfeit(seat, "clock")):
        laws.refused(table, undoing)
    assert laws.known(laws.reloaded(case, lines)) == laws.known(table)
