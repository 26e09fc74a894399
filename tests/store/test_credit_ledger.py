"""Stakes and credits of Ten Down."""

import errno
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.games.ten_down import rules as ten_down
from cardtable.store import credit_ledger, passwords, paths, profiles, sessions, summaries
from cardtable.store.session_setup import SessionSetup
from tests.records.archive_sessions import make_header
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import play_randomly

TEN_DOWN = GAMES["ten_down"]


@pytest.fixture(autouse=True)
def short_rounds(monkeypatch):
    """Rounds of two cards and of one."""
    monkeypatch.setattr(ten_down, "CARDS_BY_ROOM", dict.fromkeys(ten_down.CARDS_BY_ROOM, 2))


@pytest.fixture(autouse=True)
def registered_players():
    for nick in ("Anna", "Tom", "Zoe"):
        profiles.register(nick)


def make_setup(*nicks, room=50, seed=1):
    seats = tuple([Occupant(nick, "random" if nick in ("Ada", "Bo", "Cy") else None) for nick in nicks])
    return SessionSetup(TEN_DOWN, seats, TEN_DOWN.options(room=room), seed, random_seating=False)


def play_to_end(session, seed=1):
    """Play the session to its end and return the nick of the winner."""
    play_randomly(session.referee, Random(seed), 1000)
    session.referee.advance()
    session.close()
    return session.header.seats[session.referee.ranks.index(1)].name


def read_credits():
    return {player.nick: player.credits for player in profiles.read().players}


def list_transaction_reasons(nick):
    return [move.why for move in profiles.find(nick).ledger]


def set_credits(nick, number):
    profile = profiles.find(nick)
    move = profiles.Transaction(profiles.format_now(), "before", "lost", number - profile.credits)
    changed = replace(profile, ledger=(*profile.ledger, move))
    profiles.PROFILES.update(lambda store: store.with_profile(changed))


def test_winner_takes_three_stakes_of_50():
    """Example 6 of the rules: the winner gains 100, the others lose 50."""
    session = make_setup("Anna", "Tom", "Zoe").begin()
    assert read_credits() == {"Anna": 950, "Tom": 950, "Zoe": 950}, "taken when the session starts"
    winner = play_to_end(session)
    assert read_credits() == {nick: 1100 if nick == winner else 950 for nick in ("Anna", "Tom", "Zoe")}
    assert {move.session for player in profiles.read().players for move in player.ledger} == {session.header.id}


@pytest.mark.parametrize(("nicks", "room"), [(("Guest", "Ada"), "training"), (("Ada", "Bo"), 50)])
def test_training_and_robots_are_free(nicks, room):
    play_to_end(make_setup(*nicks, room=room).begin())
    assert not any(player.ledger for player in profiles.read().players)


@pytest.mark.parametrize("seed", range(6))
def test_robots_stake_and_win_without_accounts(seed):
    session = make_setup("Anna", "Ada", "Bo", "Cy", room=500, seed=seed).begin()
    winner = play_to_end(session, seed)
    assert read_credits()["Anna"] == (2500 if winner == "Anna" else 500)


@pytest.mark.parametrize("nick", ["Guest", "Paul"])
def test_stake_requires_a_profile(nick):
    with pytest.raises(CardtableError, match=f"{nick} has no credits"):
        make_setup("Anna", nick).begin()
    assert read_credits()["Anna"] == 1000, "all stakes are taken, or none"
    assert not summaries.list_unfinished()


def test_stake_requires_enough_credits():
    set_credits("Tom", 49)
    with pytest.raises(CardtableError, match="Tom has 49 credits, and the stake is 50"):
        make_setup("Anna", "Tom").begin()
    assert read_credits()["Anna"] == 1000
    assert not summaries.list_unfinished()
    set_credits("Tom", 50)
    make_setup("Anna", "Tom").begin().close()
    assert read_credits() == {"Anna": 950, "Tom": 0, "Zoe": 1000}


def test_stake_requires_the_password(monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.set_password("Anna", "", "sesame77", "sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    setup = make_setup("Anna", "Tom")
    assert credit_ledger.list_nicks_requiring_password(setup.seats, 50) == ["Anna"]
    assert credit_ledger.list_nicks_requiring_password(setup.seats, 0) == []
    with pytest.raises(CardtableError, match="Anna must enter the password first"):
        setup.begin()
    profiles.verify_password("Anna", "sesame77")
    assert credit_ledger.list_nicks_requiring_password(setup.seats, 50) == []
    setup.begin().close()
    assert read_credits()["Anna"] == 950


def test_no_stakes_with_unreadable_profiles_file():
    path = paths.profiles_file()
    path.write_bytes(b"{")
    with pytest.raises(CardtableError, match=r"profiles\.json"):
        make_setup("Anna", "Tom").begin()
    assert path.read_bytes() == b"{"
    assert not summaries.list_unfinished()


def test_no_session_if_stakes_cannot_be_saved(monkeypatch):
    disk = FaultyDisk(monkeypatch)
    with disk.failing(0, errno.ENOSPC, lasting=True), pytest.raises(CardtableError, match="cannot be saved"):
        make_setup("Anna", "Tom").begin()
    assert read_credits()["Anna"] == 1000
    assert not summaries.list_unfinished()


def test_unfinished_session_holds_the_stakes():
    session = make_setup("Anna", "Tom").begin()
    play_randomly(session.referee, Random(1), 3)
    session.close()
    credit_ledger.pay_out()
    assert read_credits()["Anna"] == 950
    winner = play_to_end(sessions.resume(session.path))
    assert read_credits()[winner] == 1050


def test_abandon_loses_stakes_and_restore_returns_them():
    session = make_setup("Anna", "Tom").begin()
    session.close()
    archived = sessions.abandon(session.path)
    assert read_credits() == {"Anna": 950, "Tom": 950, "Zoe": 1000}
    assert list_transaction_reasons("Anna") == ["stake", "given up"]
    back = sessions.restore(archived)
    assert list_transaction_reasons("Anna") == ["stake", "given up", "taken back"]
    winner = play_to_end(sessions.resume(back))
    assert read_credits()[winner] == 1050, "the pot is there again"


def test_gift_up_to_100_below_5_credits():
    set_credits("Anna", 52)
    session = make_setup("Anna", "Ada", seed=3).begin()
    assert read_credits()["Anna"] == 2, "not while the session goes on"
    winner = play_to_end(session, 2)
    assert read_credits()["Anna"] == (102 if winner == "Anna" else 100)
    assert winner == "Ada"
    assert list_transaction_reasons("Anna")[-2:] == ["lost", "gift"]


def test_gift_after_abandon_is_revoked_by_restore():
    set_credits("Anna", 50)
    session = make_setup("Anna", "Tom").begin()
    session.close()
    path = sessions.abandon(session.path)
    assert read_credits()["Anna"] == 100
    path = sessions.restore(path)
    assert read_credits()["Anna"] == 0
    path = sessions.abandon(path)
    assert read_credits()["Anna"] == 100
    make_setup("Anna", "Tom").begin().close()
    sessions.restore(path)
    assert read_credits()["Anna"] == 0, "what is spent cannot go"


def test_pending_transactions_are_recorded_exactly_once():
    """A crash between the end of a session and its payment, and between the stake and the start of a session."""
    session = make_setup("Anna", "Tom").begin()
    path = session.path
    before = paths.profiles_file().read_bytes()
    winner = play_to_end(session)
    paths.profiles_file().write_bytes(before)
    for _ in range(3):
        credit_ledger.pay_out()
        assert read_credits() == {"Anna": 950, "Tom": 950, "Zoe": 1000, winner: 1050}
    credit_ledger.take_stakes("20260101-000000-ten_down-0000", [Occupant("Zoe")], 500)
    assert read_credits()["Zoe"] == 500
    for _ in range(2):
        credit_ledger.pay_out()
        assert read_credits()["Zoe"] == 1000
        assert list_transaction_reasons("Zoe") == ["stake", "returned"]
    assert not path.exists()


def test_pot_of_session_saved_into_another_folder(tmp_path):
    session = make_setup("Anna", "Tom").begin()
    session.save_into(tmp_path)
    winner = play_to_end(session)
    assert read_credits()[winner] == 1050
    credit_ledger.pay_out()
    assert read_credits()[winner] == 1050
    assert summaries.summarize_fast(session.path).state == "over"


def test_copied_session_has_no_stakes():
    session = make_setup("Anna", "Tom").begin()
    play_randomly(session.referee, Random(1), 2)
    session.close()
    play_to_end(sessions.fork(session.path))
    assert read_credits() == {"Anna": 950, "Tom": 950, "Zoe": 1000}


def test_damaged_session_pays_nothing():
    session = make_setup("Anna", "Tom").begin()
    play_to_end(session)
    saved = profiles.read()
    archived = paths.archive_folder() / session.path.name
    archived.write_bytes(archived.read_bytes().replace(b'"ranks":[', b'"ranks":[9'))
    staked = replace(saved.find("Anna"), ledger=saved.find("Anna").ledger[:1])
    profiles.PROFILES.update(lambda store: store.with_profile(staked))
    credit_ledger.pay_out()
    assert read_credits()["Anna"] == 950


def test_unreadable_folders_return_no_stakes(monkeypatch):
    session = make_setup("Anna", "Tom").begin()
    session.close()
    exists = Path.exists

    def refuse_journals(path, **options):
        if path.suffix == ".jsonl":
            raise PermissionError
        return exists(path, **options)

    monkeypatch.setattr(Path, "exists", refuse_journals)
    credit_ledger.pay_out()
    assert read_credits()["Anna"] == 950


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_pot_is_paid_once_after_failing_write(monkeypatch, tmp_path, lasting):
    disk = FaultyDisk(monkeypatch)
    for fails in disk.iter_call_indexes(20):
        monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / str(fails)))  # in one home the archive would grow
        profiles.register("Anna")
        profiles.register("Tom")
        session = make_setup("Anna", "Tom", room=5).begin()
        before = read_credits()
        with disk.failing(fails, errno.ENOSPC, lasting=lasting):
            winner = play_to_end(session)
        summaries.list_unfinished()
        credit_ledger.pay_out()
        after = read_credits()
        paid = {nick for nick in before if after[nick] != before[nick]}
        assert paid <= {winner}
        assert after[winner] in (before[winner], before[winner] + 10)
        assert lasting or paid


def test_settled_session_is_not_read_again(monkeypatch):
    session = make_setup("Anna", "Tom").begin()
    read = []

    def pay_out_and_record_reads():
        with monkeypatch.context() as patch:
            patch.setattr(credit_ledger, "_find_status", lambda id_, _path: read.append(id_))
            credit_ledger.pay_out()

    pay_out_and_record_reads()
    assert read == [session.header.id]
    play_to_end(session)
    pay_out_and_record_reads()
    assert read == [session.header.id]


@pytest.mark.parametrize(
    ("game", "options", "stake"),
    [("ten_down", {"room": 50}, 50), ("ten_down", {"room": "attic"}, 0), ("hearts", {"room": 50}, 0)],
)
def test_stake_of_a_game_or_an_option_that_is_unknown(game, options, stake):
    header = replace(make_header("ten_down", "Anna Tom"), game=game, options=options)
    assert credit_ledger.get_stake(header) == stake
