"""Ratings: what a session does to those who sat there, checked against the model written out by hand."""

from math import exp, sqrt

import pytest
from msgspec.structs import replace

from cardtable.engine.journal import Occupant
from cardtable.records.ratings import BETA, MU, SIGMA, TAU, KnownPlayers, Player, Ratings
from cardtable.store.profiles import Profile, ProfileStore
from tests.records.archived import session

ANNA, BOB, EXPERT, STEADY = Player("Anna"), Player("Bob"), Player("expert", True), Player("steady", True)


def rated(*sessions):
    ratings = Ratings()
    for each in sessions:
        ratings.add(each, KnownPlayers(ProfileStore()).find_players(each))
    return ratings


def mus(ratings):
    return {player: rating.mu for player, rating in ratings.players.items()}


def by_hand(mu, sigma, ranks):
    """The means after a session: algorithm 4 of Weng and Lin, for teams of one."""
    sigma2 = [s * s + TAU * TAU for s in sigma]
    c = sqrt(sum(s + BETA * BETA for s in sigma2))
    strength = [exp(m / c) for m in mu]
    after = []
    for i, own in enumerate(ranks):
        omega = 0.0
        for q, rank in enumerate(ranks):
            if rank <= own:
                others = sum(strength[s] for s, other in enumerate(ranks) if other >= rank)
                omega += ((i == q) - strength[i] / others) / ranks.count(rank)
        after.append(mu[i] + sigma2[i] / c * omega)
    return after


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Rankings use OpenSkill: one rating per game, 1000 ± 333 at first, beta 167, sorted by the mean.",
)
def test_who_is_new_has_the_mean_and_its_uncertainty():
    assert (MU, SIGMA, BETA) == (1000, 333, 167)


def test_two_players_the_first_gains_what_the_other_loses():
    after = mus(rated(session("Anna Bob", [1, 2])))
    assert [after[ANNA], after[BOB]] == pytest.approx(by_hand([MU, MU], [SIGMA, SIGMA], [1, 2]))
    assert after[ANNA] == pytest.approx(1105.25, abs=0.01)
    assert after[ANNA] - MU == pytest.approx(MU - after[BOB])


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Rankings use OpenSkill: one rating per game, 1000 ± 333 at first, beta 167, sorted by the mean.",
)
def test_a_second_session_begins_where_the_first_one_ended():
    first = rated(session("Anna Bob Cleo", [1, 2, 3]))
    mu = [rating.mu for rating in first.players.values()]
    sigma = [rating.sigma for rating in first.players.values()]
    both = rated(session("Anna Bob Cleo", [1, 2, 3]), session("Anna Bob Cleo", [3, 1, 2]))
    assert list(mus(both).values()) == pytest.approx(by_hand(mu, sigma, [3, 1, 2]))
    assert all(rating.sigma < SIGMA for rating in both.players.values())
    assert list(both.players[ANNA].mu_history) == pytest.approx([mu[0], both.players[ANNA].mu])


def test_places_that_are_shared_are_a_draw():
    after = mus(rated(session("Anna Bob Cleo", [1, 1, 3])))
    assert after[ANNA] == after[BOB] > after[Player("Cleo")]
    assert list(after.values()) == pytest.approx(by_hand([MU] * 3, [SIGMA] * 3, [1, 1, 3]))
    assert set(mus(rated(session("Anna Bob", [1, 1]))).values()) == {MU}


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Robots of one level at a table are rated as one player, by the mean of their changes; guests are not rated.",
)
def test_robots_of_one_level_are_one_player_changed_by_the_mean_of_their_changes():
    after = mus(rated(session("Anna steady steady expert", [2, 1, 4, 3])))
    anna, first, second, expert = by_hand([MU] * 4, [SIGMA] * 4, [2, 1, 4, 3])
    assert after == pytest.approx({ANNA: anna, STEADY: (first + second) / 2, EXPERT: expert})


def test_sessions_seats_and_first_places_are_counted():
    ratings = rated(session("Anna steady steady", [2, 1, 3]), session("Anna steady expert", [1, 1, 3]))
    steady, anna = ratings.players[STEADY], ratings.players[ANNA]
    assert (steady.sessions, steady.seats, steady.won) == (2, 3, 2)
    assert (anna.sessions, anna.seats, anna.won) == (2, 2, 1)
    assert list(steady.session_indices) == [0, 1]


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Robots of one level at a table are rated as one player, by the mean of their changes; guests are not rated.",
)
def test_a_guest_plays_as_somebody_new_and_is_forgotten():
    twice = [session("Anna Guest", [1, 2])] * 2
    after = rated(*twice)
    assert set(after.players) == {ANNA}
    first = by_hand([MU, MU], [SIGMA, SIGMA], [1, 2])[0]
    once = rated(twice[0])
    assert mus(once)[ANNA] == pytest.approx(first)
    second = by_hand([first, MU], [once.players[ANNA].sigma, SIGMA], [1, 2])[0]
    assert mus(after)[ANNA] == pytest.approx(second)


@pytest.mark.promise("Statistics, rankings and credits", "A player who abandons a session is rated last.")
def test_who_gives_up_is_last_and_robots_share_the_first_place():
    given_up = mus(rated(session("Anna steady expert Bob")))
    assert given_up == mus(rated(session("Anna steady expert Bob", [3, 1, 1, 3])))
    assert given_up[ANNA] == given_up[BOB] < MU < given_up[STEADY] == given_up[EXPERT]


def test_where_all_are_people_who_give_up_nobody_has_won():
    given_up = session("Anna Bob Cleo")
    assert given_up.places == (3, 3, 3)
    assert [rating.won for rating in rated(given_up).players.values()] == [0, 0, 0]


@pytest.mark.promise(
    "Statistics, rankings and credits", "Sessions with open hands, moves taken back or copied deals are not rated."
)
@pytest.mark.parametrize(
    "uncounted",
    [
        session("Anna Bob", [1, 2], undone=1),
        session("Anna Bob", [1, 2], copied=True),
        session("Anna Bob", [1, 2], open_hands="on"),
        session("Anna Bob", undone=2),
        session("steady steady", [1, 2]),
        session("steady expert"),
    ],
    ids=["taken back", "copied", "open hands", "taken back, given up", "one level", "robots, given up"],
)
def test_what_does_not_count_changes_nothing(uncounted):
    ratings = rated(uncounted)
    assert ratings.players == {}
    assert len(ratings.end_times) == 0


def test_a_person_called_like_a_level_is_no_robot():
    ratings = rated(session("Anna expert", [2, 1]))
    assert Player("expert") not in ratings.players


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Rankings use OpenSkill: one rating per game, 1000 ± 333 at first, beta 167, sorted by the mean.",
)
def test_the_ranking_is_sorted_by_mean():
    ratings = rated(session("Anna Bob Cleo", [3, 1, 2]))
    assert [player.name for player, _ in ratings.rank_players()] == ["Bob", "Cleo", "Anna"]


# Who is who


def of_version_2(*seats, ranks, id_="s", left=()):
    each = session(" ".join(who.robot or who.name for who in seats), ranks, id_=id_)
    return replace(each, header=replace(each.header, cardtable=2, seats=seats), replaced_occupants=left)


def rated_by(book, *sessions):
    ratings, known = Ratings(), KnownPlayers(book)
    for each in sessions:
        ratings.add(each, known.find_players(each))
    return ratings


ID, OTHER = "0" * 16, "1" * 16
BO = Occupant("Bo", "expert")


@pytest.mark.promise(
    "Player profiles",
    "After a change of nick, ratings, credits and password stay with the player; old sessions show the old nick.",
)
def test_a_player_is_known_by_her_id_whatever_her_nick_was():
    book = ProfileStore(players=(Profile("Anne", id=ID, first_nick="Anna"),))
    old = session("Anna expert", [1, 2])
    new = of_version_2(Occupant("Anna", player=ID), BO, ranks=[1, 2])
    newest = of_version_2(Occupant("Anne", player=ID), BO, ranks=[2, 1])
    ratings = rated_by(book, old, new, newest)
    assert set(ratings.players) == {Player("Anne"), EXPERT}
    assert (ratings.players[Player("Anne")].sessions, ratings.players[Player("Anne")].won) == (3, 2)


def test_who_has_a_nick_that_was_another_player_s_is_not_that_player():
    book = ProfileStore(players=(Profile("Anne", id=ID, first_nick="Anna"), Profile("Anna", id=OTHER)))
    ratings = rated_by(
        book,
        session("Anna expert", [1, 2]),
        session("Anne expert", [2, 1]),
        of_version_2(Occupant("Anna", player=OTHER), BO, ranks=[2, 1]),
    )
    assert {player: rating.won for player, rating in ratings.players.items() if not player.robot} == {
        Player("Anne"): 1,
        Player("Anne", stranger="version 1"): 0,
        Player("Anna"): 0,
    }


def test_the_sessions_of_a_profile_that_is_gone_stay_together_and_are_nobody_else_s():
    book = ProfileStore(players=(Profile("Anna", id=OTHER),))
    ratings = rated_by(
        book,
        of_version_2(Occupant("Anna", player=ID), BO, ranks=[1, 2]),
        of_version_2(Occupant("Anne", player=ID), BO, ranks=[1, 2]),
    )
    assert ratings.players[Player("Anna", stranger=ID)].sessions == 2
    assert ANNA not in ratings.players


def test_in_version_2_who_has_no_profile_is_a_guest_whatever_her_name():
    guests = of_version_2(Occupant("Anna"), Occupant("Guest"), BO, ranks=[1, 2, 3])
    assert KnownPlayers(ProfileStore()).find_players(guests) == [
        Player("Anna", stranger="Guest"),
        Player("Guest"),
        EXPERT,
    ]
    assert set(rated_by(ProfileStore(), guests).players) == {EXPERT}
    assert set(rated_by(ProfileStore(), session("Anna Guest expert", [1, 2, 3])).players) == {ANNA, EXPERT}


def test_a_seat_that_changed_hands_counts_for_nobody_and_the_others_as_if_a_guest_had_sat_there():
    book = ProfileStore(players=(Profile("Anna", id=ID), Profile("Bob", id=OTHER)))
    anna, bob, max_ = Occupant("Anna", player=ID), Occupant("Bob", player=OTHER), Occupant("Max")
    changed = of_version_2(anna, max_, BO, ranks=[1, 2, 3], left=((1, bob),))
    ratings = rated_by(book, changed)
    assert set(ratings.players) == {ANNA, EXPERT}
    assert mus(ratings) == mus(rated_by(book, of_version_2(anna, Occupant("Guest"), BO, ranks=[1, 2, 3])))
