"""Duplicate matches: seatings, deals, contracts, figures, processes."""

import asyncio

import pytest

from cardtable.engine import options as house
from cardtable.games import GAMES, KEYS
from cardtable.robots import arena
from cardtable.robots.arena import DealResult, Match


def create_match(key, a="steady", b="novice", deals=2, **more):
    game = GAMES[key]
    seats = more.pop("seats", game.about.usual_seats)
    rules = house.read(game.options, {**game.single_deal_options, **more.pop("options", {})}, seats)
    field = more.pop("field", b)
    return Match(key, a, b, field, seats, rules, deals, more.pop("seed", 1), **more)


def play_match_deals(chosen):
    return [each for session in range(chosen.sessions) for each in arena.play_deals(chosen, session)]


def test_seatings_against_one_level():
    seatings = create_match("bridge", "steady", "random", seats=3).list_seatings()
    assert [seating.levels for seating in seatings] == [
        ("steady", "random", "random"),
        ("random", "steady", "random"),
        ("random", "random", "steady"),
    ]
    assert [(seating.a, seating.b) for seating in seatings] == [((0,), (1, 2)), ((1,), (0, 2)), ((2,), (0, 1))]


def test_seatings_in_field_of_third_level():
    seatings = create_match("bridge", "steady", "random", field="novice", seats=3).list_seatings()
    assert len(seatings) == 6
    assert {(*seating.a, *seating.b) for seating in seatings} == {(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)}
    for seating in seatings:
        assert sorted(seating.levels) == ["novice", "random", "steady"]
        assert (seating.levels[seating.a[0]], seating.levels[seating.b[0]]) == ("steady", "random")


@pytest.mark.parametrize("key", KEYS)
def test_equal_robots_have_no_lead(key):
    for each in play_match_deals(create_match(key, "steady", "steady", deals=3)):
        assert each.lead == 0
        assert each.win_share == pytest.approx(1 / GAMES[key].about.usual_seats)
        assert each.exact_shares is None or each.exact_shares[0] == pytest.approx(each.exact_shares[1])
        assert each.decisions > 0


def test_own_points_keep_sign_when_lowest_wins():
    best, worst = [
        arena.summarize_results(play_match_deals(create_match("gurka", a, "steady", deals=20)))
        for a in ("steady", "random")
    ]
    assert 0 < best.own_points < worst.own_points
    assert worst.mean < 0


@pytest.mark.parametrize("key", ["rikiki", "rifki", "ten_down"])
def test_deals_are_rounds_of_sessions(key):
    few, many = create_match(key, deals=2), create_match(key, deals=30)
    length = {"rikiki": 28, "rifki": 20, "ten_down": 10}[key]
    assert (few.rounds, few.sessions) == (length, 1)
    assert many.sessions == -(-30 // length)
    assert [each.number for each in play_match_deals(few)] == [0, 1]
    assert len(list(arena.play_deals(many, many.sessions - 1))) == 30 - length * (many.sessions - 1)


def test_whole_sessions_count_by_winner():
    for each in play_match_deals(create_match("gurka", "steady", "random", whole=True)):
        assert each.lead > 0
        assert 0.5 < each.win_share <= 1


def test_rejects_number_of_seats():
    with pytest.raises(ValueError, match="King has 4 seats, not 3"):
        Match("king", "steady", "steady", "steady", 3, GAMES["king"].options(), 1, 1)


def test_summary_of_results():
    summary = arena.summarize_results([
        DealResult(0, 1.0, 5.0, 0.25, (0.5, 0.25), 3, 0.010, 0.008),
        DealResult(1, 3.0, 6.0, 0.75, (1.0, 0.5), 1, 0.002, 0.002),
    ])  # fmt: skip
    assert (summary.deals, summary.mean, summary.error, summary.own_points, summary.win_share) == (
        2,
        2.0,
        pytest.approx(1.0),
        5.5,
        0.5,
    )
    assert summary.exact_shares == (0.75, 0.375)
    assert (summary.ms_mean, summary.ms_max) == (pytest.approx(3.0), pytest.approx(8.0))


def play_in_processes(chosen, workers):
    """Play a match in `workers` processes and return the results in order."""
    with arena.open_pool(chosen.game, workers, None) as pool:
        return sorted(
            (each.number, each.lead, each.win_share, each.exact_shares) for each in arena.play_match(chosen, pool)
        )


@pytest.mark.parametrize(("key", "deals"), [("rikiki", 30), ("rifki", 21), ("gurka", 3)])
def test_splitting_session_does_not_change_results(monkeypatch, key, deals):
    chosen = create_match(key, deals=deals)
    whole = play_in_processes(chosen, 1)
    monkeypatch.setattr(arena, "CHUNK_SECONDS", 0)
    assert play_in_processes(chosen, 1) == whole
    assert len(whole) == deals


def test_dead_process_raises_error(monkeypatch):
    start = asyncio.create_subprocess_exec

    async def start_and_kill(*command, **options):
        child = await start(*command, **options)
        child.kill()
        return child

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_and_kill)
    with pytest.raises(ChildProcessError, match="has died"):
        play_in_processes(create_match("ten_down", deals=10_000), 2)


def test_processes_ignore_modules_in_working_directory(tmp_path, monkeypatch):
    (tmp_path / "selectors.py").write_text("raise SystemExit('not the one that was meant')")
    monkeypatch.chdir(tmp_path)
    assert len(play_in_processes(create_match("ten_down", "random", deals=45), 2)) == 45
