"""Keys and secrecy of tournaments: deals that follow from a key, and sessions that nobody else may look at."""

import json
import stat
from contextlib import closing
from hashlib import sha256
from hmac import new as new_hmac
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ActionLine, ChanceLine
from cardtable.engine.referee import ChancePosition
from cardtable.games import KEYS
from cardtable.records import review_worker
from cardtable.records.competition_results import count_drawn_outcomes
from cardtable.session.round_replay import SessionReplay
from cardtable.store import archive_index, paths, session_files, sessions, summaries, tournaments, visibility
from cardtable.store.errors import FileError
from cardtable.store.summaries import find_session_file, summarize
from cardtable.store.tournaments import KeyedRandom, TournamentDeal
from cardtable.wording import score_sheet
from cardtable.wording.export_formats import export_session
from tests.journal_lines import select_lines
from tests.store.playing import play_randomly
from tests.store.tournament_tables import KEY, begin, finish, play_rounds, store_tournament, tables

__all__ = ["tables"]


def list_outcomes(session, *, deals_only):
    lines = [line.outcome for line in select_lines(ChanceLine, session.journal())]
    return [line for line in lines if not deals_only or line.startswith(("deal", "first "))]


@pytest.mark.parametrize("key", KEYS)
def test_tables_have_the_same_deals(key):
    """In Bridge and Rummy the deals alone are the same; in the other games every outcome of chance is."""
    tournament, outcomes = store_tournament(key, **{"limit": 500} if key == "rummy" else {}), []
    for number in (0, 1):
        with closing(begin(tournament, number)) as session:
            play_rounds(session, Random(number), 2)
            assert len(session.referee.scores) == 2
            outcomes.append(list_outcomes(session, deals_only=key in ("bridge", "rummy")))
            assert count_drawn_outcomes(session.journal(), tournaments.create_randomness(KEY, 1)) >= 2
            with pytest.raises(ValueError, match="does not follow from the key"):
                count_drawn_outcomes(session.journal(), tournaments.create_randomness(KEY, 2))
    assert outcomes[0] == outcomes[1]
    assert len({line for line in outcomes[0] if line.startswith("deal")}) == 2, "each round has a deal of its own"


def test_void_round_is_dealt_anew_from_the_key():
    tournament, deals = store_tournament("gurka"), []
    for number in (0, 1):
        with closing(begin(tournament, number)) as session:
            play_randomly(session.referee, Random(number), 3)
            session.referee.void("clock")
            play_rounds(session, Random(1), 1)
            deals.append(list_outcomes(session, deals_only=True))
    assert deals[0] == deals[1]
    assert len(set(deals[0])) == len(deals[0])


def test_session_cut_at_any_line_goes_on_with_the_same_outcomes():
    tournament = store_tournament("gurka")
    with closing(begin(tournament, 0)) as session:
        play_rounds(session, Random(1), 2)
        whole, path = session.path.read_bytes(), session.path
        actions = [line.action for line in select_lines(ActionLine, session.journal())]
        expected = list_outcomes(session, deals_only=False)
    lines = whole.splitlines(keepends=True)
    for length in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:length]))
        with closing(sessions.resume_at_club(path)) as again:
            table = again.referee
            for action in actions[table.decisions :]:
                table.advance()
                table.play(table.turn, next(each for each in table.state.legal() if str(each) == action))
            assert list_outcomes(again, deals_only=False)[: len(expected)] == expected


def test_keyed_bits_are_the_documented_ones():
    message = b"cardtable tournament 1\0" + b"".join(number.to_bytes(8, "big") for number in (2, 3, 1, 4, 0))
    block = new_hmac(KEY, message, sha256).digest()
    random = KeyedRandom(KEY, 2, ChancePosition(3, 1, 4))
    assert random.getrandbits(12) == int.from_bytes(block[:2], "big") >> 4
    assert random.random() == (int.from_bytes(block[2:9], "big") >> 3) / 2**53
    later = new_hmac(KEY, message[:-1] + b"\1", sha256).digest()
    assert random.getrandbits(8 * 30) == int.from_bytes(block[9:] + later[:7], "big")


def test_small_numbers_are_unbiased():
    """Chi-squared test at about 10 to the -6, with 51 degrees of freedom."""
    counts = [0] * 52
    for number in range(200):
        random = KeyedRandom(KEY, 1, ChancePosition(number, 0, 0))
        for _ in range(100):
            counts[random.randrange(52)] += 1
    assert sum((count - 20_000 / 52) ** 2 / (20_000 / 52) for count in counts) < 110


def test_key_is_hidden_until_the_end():
    tournament = store_tournament()
    path = paths.tournament_keys_file()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY.hex() not in paths.tournaments_file().read_text()
    ended = replace(tournament, state="ended", key=KEY.hex())
    tournaments.save(ended)
    assert tournaments.load() == (ended,)
    assert KEY.hex() not in path.read_text()
    assert tournaments.read_key(ended) == KEY


def test_lost_key_is_not_replaced_by_chance():
    tournament = store_tournament()
    paths.tournament_keys_file().unlink()
    with pytest.raises(CardtableError, match="missing or wrong"):
        begin(tournament, 0)


def test_two_tournaments_cannot_have_the_same_name():
    tournament = store_tournament()
    with pytest.raises(CardtableError, match="already a tournament"):
        tournaments.add(replace(tournament, name=tournament.name.upper()), KEY)


def change_deal(member, value):
    """Return a function that changes the first deal of a tournament whose only round has finished."""

    def change(tournament):
        tournament["rounds"][0]["tables"][0]["deals"][0][member] = value

    return change


IMPOSSIBLE = {
    "no round": (lambda cup: cup.update(rounds=[]), "no table"),
    "no table": (lambda cup: cup["rounds"][0].update(tables=[]), "no table"),
    "no seat": (lambda cup: cup["rounds"][0]["tables"][1].update(seats=[]), "different numbers of seats"),
    "points of one seat": (change_deal("points", [1]), "other seats"),
    "robot in a missing seat": (change_deal("robots", [4]), "other seats"),
    "huge number": (change_deal("points", [10**400, 0, 0, 0]), "points"),
    "stranger": (lambda cup: cup["rounds"][0]["tables"][0]["seats"][0].update(name="Zoe"), "does not take part"),
    "level": (lambda cup: cup.update(level="\x1b[31m"), "level"),
    "level at a table": (lambda cup: cup["rounds"][0]["tables"][0]["seats"][0].update(robot="best"), "level"),
    "key": (lambda cup: cup.update(key="secret"), "key"),
    "commitment": (lambda cup: cup.update(commitment="\x1b[31m"), "commitment"),
}


@pytest.mark.parametrize(("spoil", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_tournament_is_reported_in_one_line(tables, spoil, message):
    results = [replace(table, deals=(TournamentDeal((1, 2, 3, 4)),)) for table in tables.rounds[0].tables]
    finish(tables.replace_round(0, replace(tables.rounds[0], tables=tuple(results))))
    assert tournaments.load()[0].rounds[0].state == "finished"
    file = json.loads(paths.tournaments_file().read_bytes())
    del file["crc"]
    spoil(file["entries"][0])
    paths.tournaments_file().write_text(json.dumps(file))
    with pytest.raises(FileError, match=message) as raised:
        tournaments.load()
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) <= 200


def look_at(id_):
    """Return the ways in which a program at the host looks at a session of the club, by name."""
    path = find_session_file(id_)
    parsed = session_files.parse_session(path, session_files.read_session(path))
    return {
        "replay": lambda: SessionReplay(path),
        "export": lambda: export_session(path, "journal"),
        "score sheet": lambda: score_sheet.load(path),
        "review": lambda: review_worker.load_reviewable(path, 0),
        "finished rounds": lambda: visibility.extract_finished_part(parsed),
        "copy": lambda: sessions.fork(path, 1),
        "reveal": lambda: sessions.reveal_hands(path),
    }


def test_nobody_looks_at_a_table_before_all_have_finished(tables):
    for table in tables.rounds[0].tables:
        for name, look in look_at(table.session).items():
            with pytest.raises(CardtableError, match=r"until all tables have finished|the session is over"):
                pytest.fail(f"{name}: {look()}")
        assert summarize(find_session_file(table.session)).is_club_only
    assert not archive_index.list_summaries()
    assert not [*summaries.iter_unfinished()]
    finish(tables)
    assert {each.id for each in archive_index.list_summaries()} == {"gurka-0-0", "gurka-0-1"}
    assert SessionReplay(find_session_file("gurka-0-0")).rounds


def test_unreadable_tournaments_hide_all_sessions_of_the_club(tables):
    finish(tables)
    paths.tournaments_file().write_text("{")
    assert not archive_index.list_summaries()
    with pytest.raises(CardtableError):
        sessions.resume_at_club(find_session_file("gurka-0-1"))
