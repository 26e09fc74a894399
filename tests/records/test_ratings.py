"""Ratings, checked against values worked out by hand and against drawn leagues."""

from itertools import combinations
from math import exp, hypot, sqrt
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.game import no_partnerships
from cardtable.engine.journal import Occupant
from cardtable.records.ratings import MU, SIGMA, TAU, UNIT, KnownPlayers, Player, Rating, Ratings, compute_ratings
from cardtable.store import profiles
from cardtable.store.profiles import Profile, ProfileStore
from tests.records.archive_sessions import make_summary

ANNA, BOB, EXPERT, STEADY = Player("Anna"), Player("Bob"), Player("expert", True), Player("steady", True)


def rate_sessions(*sessions):
    return rate_with_profiles(profiles.load()[0], *sessions)


def get_means(ratings):
    return {player: rating.mu for player, rating in ratings.players.items()}


@pytest.mark.parametrize(
    ("players", "ranks", "sides", "surprise", "information"),
    [
        ("Anna Bob", [1, 2], (), 1 / 2, 1 / 4),
        ("Anna Bob Cleo", [3, 1, 2], (), -1 / 3 - 1 / 2, 2 / 9 + 1 / 4),
        ("Anna Bob Cleo", [1, 1, 3], (), 1 / 2 - 1 / 3, 2 / 9),
        ("steady steady Anna", [1, 3, 2], (), 1 - 2 / 3 - 1 / 2, 2 / 9 + 1 / 4),
        ("Anna Bob Cleo Dora", [1, 2, 1, 2], ((0, 2), (1, 3)), 1 / 2, 1 / 4),
        ("steady expert steady expert", [1, 2, 1, 2], ((0, 2), (1, 3)), 2 - 1, 1),
    ],
    ids=["won", "last of three", "shared first place", "two seats of a level", "partners", "partners of a level"],
)  # fmt: skip
def test_first_session(players, ranks, sides, surprise, information):
    """A new player who takes `surprise` more of the places than expected; `information` is the variance of that."""
    ratings, summary = Ratings(), make_summary(players, ranks)
    ratings.add(summary, KnownPlayers(profiles.load()[0]).find_players(summary), sides)
    variance = 1 / (1 / (SIGMA**2 + TAU**2) + information / UNIT**2)
    first = next(iter(ratings.players.values()))
    assert (first.mu, first.sigma) == pytest.approx((MU + variance / UNIT * surprise, sqrt(variance)))


def test_winner_gains_the_loss_of_the_other_player():
    after = get_means(rate_sessions(make_summary("Anna Bob", [1, 2])))
    assert after[ANNA] == pytest.approx(1086.5, abs=0.1)
    assert after[ANNA] - MU == pytest.approx(MU - after[BOB])


def test_player_100_points_ahead_wins_64_percent():
    wins = [make_summary("Anna Bob", [1, 2] if 16 * number % 25 < 16 else [2, 1]) for number in range(400)]
    after = get_means(rate_sessions(*wins))
    assert after[ANNA] - after[BOB] == pytest.approx(100, abs=10)


def test_stated_uncertainty_is_the_error_in_drawn_leagues():
    """Four levels of known strength play 70 sessions; each place is drawn as the model says."""
    rng, errors = Random(1), []
    for _ in range(40):
        strengths, ratings = [rng.gauss(0, 0.7) for _ in range(4)], [Rating() for _ in range(4)]
        for _ in range(70):
            levels = [*rng.sample(range(4), 2), *rng.choices(range(4), k=2)]
            finish = sorted(range(4), key=lambda seat: rng.expovariate(exp(strengths[levels[seat]])))
            ranks = [finish.index(seat) + 1 for seat in range(4)]
            held = [[seat for seat in range(4) if levels[seat] == level] for level in range(4)]
            ratings = [Rating(*after) for after in compute_ratings(ratings, held, ranks, no_partnerships(4))]
        for one, other in combinations(range(4), 2):
            difference = ratings[one].mu - ratings[other].mu
            error = difference - UNIT * (strengths[one] - strengths[other])
            errors.append(error / hypot(ratings[one].sigma, ratings[other].sigma))
        assert max(rating.sigma for rating in ratings) < 55
    assert 0.75 < hypot(*errors) / sqrt(len(errors)) < 1.1


def test_second_session_starts_from_updated_ratings():
    first = rate_sessions(make_summary("Anna Bob Cleo", [1, 2, 3]))
    both = rate_sessions(make_summary("Anna Bob Cleo", [1, 2, 3]), make_summary("Anna Bob Cleo", [3, 1, 2]))
    assert list(both.players[ANNA].mu_history) == [first.players[ANNA].mu, both.players[ANNA].mu]
    assert all(both.players[player].sigma < rating.sigma < SIGMA for player, rating in first.players.items())


def test_shared_places_are_a_draw():
    after = get_means(rate_sessions(make_summary("Anna Bob Cleo", [1, 1, 3])))
    assert after[ANNA] == after[BOB] > after[Player("Cleo")]
    assert set(get_means(rate_sessions(make_summary("Anna Bob", [1, 1]))).values()) == {MU}


def test_counts_of_sessions_seats_and_wins():
    ratings = rate_sessions(
        make_summary("Anna steady steady", [2, 1, 3]), make_summary("Anna steady expert", [1, 1, 3])
    )
    steady, anna = ratings.players[STEADY], ratings.players[ANNA]
    assert (steady.sessions, steady.seats, steady.won) == (2, 3, 2)
    assert (anna.sessions, anna.seats, anna.won) == (2, 2, 1)
    assert list(steady.session_indices) == [0, 1]


def test_guest_counts_as_average_and_is_not_stored():
    twice = [make_summary("Anna Guest", [1, 2])] * 2
    once, both = rate_sessions(twice[0]).players, rate_sessions(*twice).players
    assert set(both) == {ANNA}
    assert once[ANNA].mu == get_means(rate_sessions(make_summary("Anna Bob", [1, 2])))[ANNA]
    assert 0 < both[ANNA].mu - once[ANNA].mu < once[ANNA].mu - MU


def test_abandoned_session_ranks_people_last():
    means = get_means(rate_sessions(make_summary("Anna steady expert Bob")))
    assert means == get_means(rate_sessions(make_summary("Anna steady expert Bob", [3, 1, 1, 3])))
    assert means[ANNA] == means[BOB] < MU < means[STEADY] == means[EXPERT]


def test_abandoned_session_of_people_has_no_winner():
    summary = make_summary("Anna Bob Cleo")
    assert summary.places == (3, 3, 3)
    assert [rating.won for rating in rate_sessions(summary).players.values()] == [0, 0, 0]


@pytest.mark.parametrize(
    "make_uncounted",
    [
        lambda: make_summary("Anna Bob", [1, 2], undone=1),
        lambda: make_summary("Anna Bob", [1, 2], coached=True),
        lambda: make_summary("Anna Bob", [1, 2], copied=True),
        lambda: make_summary("Anna Bob", [1, 2], open_hands="on"),
        lambda: make_summary("Anna Bob", undone=2),
        lambda: make_summary("steady steady", [1, 2]),
        lambda: make_summary("steady expert"),
    ],
    ids=["taken back", "coached", "copied", "open hands", "taken back, given up", "one level", "robots, given up"],
)  # fmt: skip
def test_unrated_sessions_change_nothing(make_uncounted):
    ratings = rate_sessions(make_uncounted())
    assert ratings.players == {}
    assert len(ratings.end_times) == 0


def test_person_named_like_a_robot_level():
    ratings = rate_sessions(make_summary("Anna expert", [2, 1]))
    assert Player("expert") not in ratings.players


# Who is who


def make_summary_of(*seats, ranks, id_="s", left=()):
    each = make_summary(" ".join(occupant.robot or occupant.name for occupant in seats), ranks, id_=id_)
    return replace(each, header=replace(each.header, seats=seats), replaced_occupants=left)


def rate_with_profiles(store, *sessions):
    ratings, known = Ratings(), KnownPlayers(store)
    for each in sessions:
        ratings.add(each, known.find_players(each))
    return ratings


ID, OTHER = "0" * 16, "1" * 16
BO = Occupant("Bo", "expert")


def test_player_is_matched_by_id_after_nick_change():
    store = ProfileStore(players=(Profile("Anne", id=ID, first_nick="Anna"),))
    new = make_summary_of(Occupant("Anna", player=ID), BO, ranks=[1, 2])
    newest = make_summary_of(Occupant("Anne", player=ID), BO, ranks=[2, 1])
    ratings = rate_with_profiles(store, new, newest)
    assert set(ratings.players) == {Player("Anne"), EXPERT}
    assert (ratings.players[Player("Anne")].sessions, ratings.players[Player("Anne")].won) == (2, 1)


def test_reused_nick_is_a_different_player():
    store = ProfileStore(players=(Profile("Anne", id=ID, first_nick="Anna"), Profile("Anna", id=OTHER)))
    ratings = rate_with_profiles(
        store,
        make_summary_of(Occupant("Anna", player=ID), BO, ranks=[1, 2]),
        make_summary_of(Occupant("Anna", player=OTHER), BO, ranks=[2, 1]),
    )
    assert {player: rating.won for player, rating in ratings.players.items() if not player.robot} == {
        Player("Anne"): 1,
        Player("Anna"): 0,
    }


def test_sessions_of_a_removed_profile_stay_together():
    store = ProfileStore(players=(Profile("Anna", id=OTHER),))
    ratings = rate_with_profiles(
        store,
        make_summary_of(Occupant("Anna", player=ID), BO, ranks=[1, 2]),
        make_summary_of(Occupant("Anne", player=ID), BO, ranks=[1, 2]),
    )
    assert ratings.players[Player("Anna", stranger=ID)].sessions == 2
    assert ANNA not in ratings.players


def test_seat_without_profile_is_a_guest():
    guests = make_summary_of(Occupant("Anna"), Occupant("Guest"), BO, ranks=[1, 2, 3])
    assert KnownPlayers(ProfileStore()).find_players(guests) == [
        Player("Anna", stranger="Guest"),
        Player("Guest"),
        EXPERT,
    ]
    assert set(rate_with_profiles(ProfileStore(), guests).players) == {EXPERT}
    assert set(rate_with_profiles(ProfileStore(), make_summary("Guest expert", [1, 2])).players) == {EXPERT}


def test_changed_seat_is_rated_as_a_guest():
    store = ProfileStore(players=(Profile("Anna", id=ID), Profile("Bob", id=OTHER)))
    anna, bob, max_ = Occupant("Anna", player=ID), Occupant("Bob", player=OTHER), Occupant("Max")
    changed = make_summary_of(anna, max_, BO, ranks=[1, 2, 3], left=((1, bob),))
    ratings = rate_with_profiles(store, changed)
    assert set(ratings.players) == {ANNA, EXPERT}
    assert get_means(ratings) == get_means(
        rate_with_profiles(store, make_summary_of(anna, Occupant("Guest"), BO, ranks=[1, 2, 3]))
    )
