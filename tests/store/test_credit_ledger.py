"""Stakes and credits of Ten Down, as its rules have them."""

from pathlib import Path
from random import Random

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.games.ten_down import rules as ten_down
from cardtable.store import (
    credit_ledger,
    passwords,
    paths,
    profiles,
    session_setup,
    sessions,
    summaries,
)
from cardtable.store.session_setup import SessionSetup
from tests.store.disk_faults import Disk
from tests.store.playing import play

TEN_DOWN = GAMES["ten_down"]


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Rounds of two cards and of one."""
    monkeypatch.setattr(ten_down, "CARDS_BY_ROOM", dict.fromkeys(ten_down.CARDS_BY_ROOM, 2))


@pytest.fixture(autouse=True)
def three():
    for nick in ("Anna", "Tom", "Zoe"):
        profiles.register(nick)


def table(*who, room=50, seed=1):
    seats = tuple([Occupant(nick, "random" if nick in ("Ada", "Bo", "Cy") else None) for nick in who])
    return SessionSetup(TEN_DOWN, seats, TEN_DOWN.options(room=room), seed, random_seating=False)


def play_out(session, seed=1):
    """To the end; the nick of the winner."""
    play(session.referee, Random(seed), 1000)
    session.referee.advance()
    session.close()
    return session.header.seats[session.referee.ranks.index(1)].name


def credits_():
    return {player.nick: player.credits for player in profiles.read().players}


def whys(nick):
    return [move.why for move in profiles.find(nick).ledger]


def set_credits(nick, number):
    profile = profiles.find(nick)
    move = profiles.Transaction(profiles.format_now(), "before", "lost", number - profile.credits)
    profiles.change(lambda book: credit_ledger._add_transactions(book, profile, [move]))


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "In a room of Ten Down each person stakes credits and the winner takes stake × seats; robots win nothing.",
)
def test_three_people_in_the_50_room():
    """Example 6 of the rules: the winner +100 net, the others -50."""
    session = table("Anna", "Tom", "Zoe").begin()
    assert credits_() == {"Anna": 950, "Tom": 950, "Zoe": 950}, "taken when the session starts"
    winner = play_out(session)
    assert credits_() == {nick: 1100 if nick == winner else 950 for nick in ("Anna", "Tom", "Zoe")}
    assert {move.session for player in profiles.read().players for move in player.ledger} == {session.header.id}


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "In a room of Ten Down each person stakes credits and the winner takes stake × seats; robots win nothing.",
)
def test_training_costs_nothing_and_guests_may_play_it():
    session = table("Guest", "Ada", room="training").begin()
    play_out(session)
    assert not any(player.ledger for player in profiles.read().players)


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "In a room of Ten Down each person stakes credits and the winner takes stake × seats; robots win nothing.",
)
@pytest.mark.parametrize("seed", range(6))
def test_a_robot_s_stake_comes_from_nowhere_and_its_pot_is_gone(seed):
    session = table("Anna", "Ada", "Bo", "Cy", room=500, seed=seed).begin()
    winner = play_out(session, seed)
    assert credits_()["Anna"] == (2500 if winner == "Anna" else 500)


def test_robots_among_themselves_stake_nothing():
    play_out(table("Ada", "Bo").begin())
    assert not any(player.ledger for player in profiles.read().players)


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "No session with stakes starts if a player lacks credits, is a guest or has not entered their password.",
)
@pytest.mark.parametrize("nick", ["Guest", "Paul"])
def test_who_has_no_profile_cannot_stake(nick):
    with pytest.raises(CardtableError, match=f"{nick} has no credits"):
        table("Anna", nick).begin()
    assert credits_()["Anna"] == 1000, "all stakes are taken, or none"
    assert not sessions.list_unfinished()


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "No session with stakes starts if a player lacks credits, is a guest or has not entered their password.",
)
def test_who_cannot_pay_cannot_stake():
    set_credits("Tom", 49)
    with pytest.raises(CardtableError, match="Tom has 49 credits, and the stake is 50"):
        table("Anna", "Tom").begin()
    assert credits_()["Anna"] == 1000
    assert not sessions.list_unfinished()
    set_credits("Tom", 50)
    table("Anna", "Tom").begin().close()
    assert credits_() == {"Anna": 950, "Tom": 0, "Zoe": 1000}


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "No session with stakes starts if a player lacks credits, is a guest or has not entered their password.",
)
def test_nobody_stakes_another_s_credits_without_her_password(monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.set_password("Anna", "", "sesame77", "sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    how = table("Anna", "Tom")
    assert credit_ledger.list_nicks_requiring_password(how.seats, 50) == ["Anna"]
    assert credit_ledger.list_nicks_requiring_password(how.seats, 0) == []
    with pytest.raises(CardtableError, match="Anna has to give the password first"):
        how.begin()
    profiles.verify_password("Anna", "sesame77")
    assert credit_ledger.list_nicks_requiring_password(how.seats, 50) == []
    how.begin().close()
    assert credits_()["Anna"] == 950


def test_where_the_ledger_cannot_be_read_no_stakes_are_played_for():
    path = paths.profiles_file()
    path.write_bytes(b"{")
    with pytest.raises(CardtableError, match=r"profiles\.json"):
        table("Anna", "Tom").begin()
    assert path.read_bytes() == b"{"
    assert not sessions.list_unfinished()


def test_where_the_stakes_cannot_be_written_the_session_does_not_start(monkeypatch):
    disk, number = Disk(monkeypatch), 28
    with disk.failing(0, number, lasting=True), pytest.raises(CardtableError, match="cannot be saved"):
        table("Anna", "Tom").begin()
    assert credits_()["Anna"] == 1000
    assert not sessions.list_unfinished()


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "An unfinished session holds the stakes; abandoning it loses them, restoring it brings them back.",
)
def test_an_unfinished_session_keeps_the_stakes():
    session = table("Anna", "Tom").begin()
    play(session.referee, Random(1), 3)
    session.close()
    credit_ledger.pay_out()
    assert credits_()["Anna"] == 950
    winner = play_out(sessions.resume(session.path))
    assert credits_()[winner] == 1050


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "An unfinished session holds the stakes; abandoning it loses them, restoring it brings them back.",
)
def test_giving_up_loses_the_stakes_and_taking_that_back_brings_them_back():
    session = table("Anna", "Tom").begin()
    session.close()
    there = sessions.abandon(session.path)
    assert credits_() == {"Anna": 950, "Tom": 950, "Zoe": 1000}
    assert whys("Anna") == ["stake", "given up"]
    back = sessions.restore(there)
    assert whys("Anna") == ["stake", "given up", "taken back"]
    winner = play_out(sessions.resume(back))
    assert credits_()[winner] == 1050, "the pot is there again"


@pytest.mark.promise(
    "Statistics, rankings and credits", "A player with fewer than 5 credits after a session is given credits up to 100."
)
def test_who_is_left_with_fewer_than_5_gets_100():
    set_credits("Anna", 52)
    session = table("Anna", "Ada", seed=3).begin()
    assert credits_()["Anna"] == 2, "not while the session goes on"
    winner = play_out(session, 2)
    assert credits_()["Anna"] == (102 if winner == "Anna" else 100)
    assert winner == "Ada"
    assert whys("Anna")[-2:] == ["lost", "gift"]


@pytest.mark.promise(
    "Statistics, rankings and credits", "A player with fewer than 5 credits after a session is given credits up to 100."
)
def test_with_5_there_is_no_gift():
    set_credits("Anna", 55)
    assert play_out(table("Anna", "Ada", seed=3).begin(), 2) == "Ada"
    assert credits_()["Anna"] == 5


def test_the_gift_for_a_session_given_up_goes_when_that_is_taken_back():
    set_credits("Anna", 50)
    session = table("Anna", "Tom").begin()
    session.close()
    there = sessions.abandon(session.path)
    assert credits_()["Anna"] == 100
    there = sessions.restore(there)
    assert credits_()["Anna"] == 0
    there = sessions.abandon(there)
    assert credits_()["Anna"] == 100
    table("Anna", "Tom").begin().close()
    sessions.restore(there)
    assert credits_()["Anna"] == 0, "what is spent cannot go"


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Every credit transaction is recorded exactly once, even if a write fails or the program crashes.",
)
def test_all_that_was_left_to_do_is_done_once_by_the_next_look():
    """A crash between the session's end and the credit, and between the stake and the session's start."""
    session = table("Anna", "Tom").begin()
    path = session.path
    before = paths.profiles_file().read_bytes()
    winner = play_out(session)
    paths.profiles_file().write_bytes(before)
    for _ in range(3):
        credit_ledger.pay_out()
        assert credits_() == {"Anna": 950, "Tom": 950, "Zoe": 1000, winner: 1050}
    credit_ledger.take_stakes("20260101-000000-ten_down-0000", [Occupant("Zoe")], 500)
    assert credits_()["Zoe"] == 500
    for _ in range(2):
        credit_ledger.pay_out()
        assert credits_()["Zoe"] == 1000
        assert whys("Zoe") == ["stake", "returned"]
    assert not path.exists()


def test_the_pot_of_a_session_that_was_over_when_the_program_was_killed_comes_at_the_next_look():
    session = table("Anna", "Tom").begin()
    path, before = session.path, paths.profiles_file().read_bytes()
    winner = play_out(session)
    there = paths.archive_folder() / path.name
    there.rename(path)
    paths.profiles_file().write_bytes(before)
    credit_ledger.pay_out()
    assert credits_()[winner] == 1050
    assert not sessions.list_unfinished(), "it is moved to the archive"
    credit_ledger.pay_out()
    assert credits_()[winner] == 1050


def test_a_session_that_was_saved_elsewhere_pays_its_pot(tmp_path):
    session = table("Anna", "Tom").begin()
    session.save_into(tmp_path)
    winner = play_out(session)
    assert credits_()[winner] == 1050
    credit_ledger.pay_out()
    assert credits_()[winner] == 1050
    assert summaries.summarize_fast(session.path).state == "over"


def test_a_copy_plays_for_nothing():
    session = table("Anna", "Tom").begin()
    play(session.referee, Random(1), 2)
    session.close()
    play_out(sessions.fork(session.path))
    assert credits_() == {"Anna": 950, "Tom": 950, "Zoe": 1000}


def test_a_session_whose_file_is_damaged_changes_nothing():
    session = table("Anna", "Tom").begin()
    play_out(session)
    held = profiles.read()
    there = paths.archive_folder() / session.path.name
    there.write_bytes(there.read_bytes().replace(b'"ranks":[', b'"ranks":[9'))
    profiles.change(lambda book: book.with_profile(profiles.Profile("Anna", ledger=held.find("Anna").ledger[:1])))
    credit_ledger.pay_out()
    assert credits_()["Anna"] == 950


def test_where_the_folders_cannot_be_searched_stakes_stay_where_they_are(monkeypatch):
    session = table("Anna", "Tom").begin()
    session.close()
    exists = Path.exists

    def forbidden(path, **how):
        if path.suffix == ".jsonl":
            raise PermissionError
        return exists(path, **how)

    monkeypatch.setattr(Path, "exists", forbidden)
    credit_ledger.pay_out()
    assert credits_()["Anna"] == 950


@pytest.mark.parametrize("again", [True, False])
def test_another_session_stakes_anew(again):
    session = table("Anna", "Tom").begin()
    session.close()
    session_setup.create_rematch(session, same_deal=again).begin().close()
    assert credits_()["Anna"] == 900


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Every credit transaction is recorded exactly once, even if a write fails or the program crashes.",
)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_whatever_write_fails_at_the_end_the_next_look_pays_once(monkeypatch, lasting):
    disk, fails = Disk(monkeypatch), 0
    while fails == 0 or disk.failed:
        session = table("Anna", "Tom", room=5).begin()
        before = credits_()
        with disk.failing(fails, 28, lasting=lasting):
            winner = play_out(session)
        session = None
        sessions.list_unfinished()
        credit_ledger.pay_out()
        after = credits_()
        paid = {nick for nick in before if after[nick] != before[nick]}
        assert paid <= {winner}
        assert after[winner] in (before[winner], before[winner] + 10)
        assert lasting or paid
        fails += 1
    assert fails > 20
