"""Statistics: what sessions come to, reckoned from journals that lie in the archive."""

from itertools import pairwise

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.cards import PACK_52, iter_cards, names
from cardtable.engine.journal import Line, Origin, SessionResult
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.games.rikiki import rules as rikiki
from cardtable.records import aggregation, statistics
from cardtable.records.aggregation import aggregate
from cardtable.records.ratings import Player
from cardtable.records.statistics import BidCounts, NotableRound, RunningMean
from cardtable.scoring.score_table import ScoreTableLine as ScoreLine
from cardtable.store import archive_index, paths, session_files, sessions
from cardtable.store.file_cache import FileCache, compute_fingerprint
from cardtable.workers import client
from tests.every_game import WITH_A_SHEET
from tests.records.archived import header, put, write
from tests.scoring.tables import played, table

ANNA, BOB, RANDOM = Player("Anna"), Player("Bob"), Player("random", True)
WHO = {key: " ".join(["Anna", *["random"] * (about.usual_seats - 1)]) for key, about in ABOUT.items()}


def reckoned():
    """What all sessions come to."""
    return [told for told in aggregate() if told.records][-1].records


def figures(game, player=ANNA):
    return reckoned().statistics[player, game]


def deal(*hands, then):
    """A deal that begins with these hands, and the card after them."""
    first = [*" ".join(hands).split(), then]
    return Line(
        chance=" ".join(["deal", *first, *[card for card in names(iter_cards(PACK_52)).split() if card not in first]])
    )


def said(text):
    """Decisions, each as ``seat action``."""
    return [Line(seat=int(word[0]), action=word[2:]) for word in text.split(", ")]


@pytest.fixture
def by_hand(monkeypatch):
    """Two rounds of Rikiki: Anna makes her two tricks, then bids one and makes none; Cleo wins."""
    monkeypatch.setattr(rikiki, "FULL_SESSION", (2, 1))
    lines = [
        deal("AS KS", "2S 3S", "4S 5S", "6S 7S", then="2H"),
        *said("0 bid 2, 1 bid 0, 2 bid 0, 3 bid 0, 0 play AS, 1 play 2S, 2 play 4S, 3 play 6S"),
        deal("2C", "3C", "4C", "5C", then="2H"),
        *said("1 bid 1, 2 bid 0, 3 bid 0, 0 bid 1"),
        Line(end=SessionResult((12, 8, 20, 8), (2, 3, 1, 3), 0)),
    ]
    write(header("rikiki", "Anna Bob Cleo random"), lines)


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Statistics of players and robot levels cover sessions, places, averages, exact bids and points by contract.",
)
def test_two_rounds_told_by_hand(by_hand):
    records = reckoned()
    anna = records.statistics[ANNA, "rikiki"]
    assert (list(anna.totals), anna.places, anna.mean_place, anna.won_share) == ([12], {2: 1}, 2.0, 0.0)
    assert anna.bids == {2: BidCounts(1, 1, 0), 1: BidCounts(1, 0, 1)}
    assert anna.exact_share == 0.5
    assert (anna.best, anna.worst) == (NotableRound(14, 1, "s"), NotableRound(-2, 2, "s"))
    assert [points.points for points in anna.mean_course] == [14, 12]
    assert anna.rounds == RunningMean(2, 12)
    cleo = records.statistics[Player("Cleo"), "rikiki"]
    assert (cleo.exact_share, cleo.won_share) == (1.0, 1.0)
    assert next(player.name for player, _ in records.ratings["rikiki"].rank_players()) == "Cleo"


@pytest.mark.parametrize("game", KEYS)
class TestEveryGame:
    def test_rounds_add_up_to_the_totals(self, game):
        table = put(game, WHO[game])
        found = figures(game)
        assert (found.sessions, found.given_up, found.rated) == (1, 0, 1)
        assert found.rounds.points == table.raw_totals[0]
        assert found.rounds.rounds == len(table.scores)
        assert list(found.totals) == [table.totals[0]]
        assert found.mean_total == table.totals[0]
        assert found.places == {table.ranks[0]: 1}
        assert [mark.points for mark in found.mean_course] == [score.totals[0] for score in table.scores]

    def test_the_best_and_the_worst_round_are_found_again(self, game):
        table = put(game, WHO[game])
        found, lowest_wins = figures(game), table.game.lowest_wins
        totals = [0, *[score.totals[0] for score in table.scores]]
        gains = [after - before for before, after in pairwise(totals)]
        assert found.best.points == (min if lowest_wins else max)(gains) == gains[found.best.number - 1]
        assert found.worst.points == (max if lowest_wins else min)(gains) == gains[found.worst.number - 1]
        assert found.best.session == "s"

    def test_robots_of_a_level_have_a_place_for_each_seat(self, game):
        table = put(game, WHO[game])
        found = figures(game, RANDOM)
        assert found.sessions == 1
        assert found.places.total() == table.seats - 1
        assert sorted(found.places.elements()) == sorted(table.ranks[1:])
        assert found.rounds.points == sum(table.raw_totals[1:])

    def test_of_a_session_that_was_given_up_finished_rounds_count(self, game):
        rounds = 1 if game != "rummy" else 0
        table = put(game, WHO[game], rounds=rounds)
        found = figures(game)
        assert (found.sessions, found.given_up) == (1, 1)
        assert found.rounds.points == table.raw_totals[0]
        assert found.places == {table.seats: 1}
        assert found.mean_total is None


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Statistics of players and robot levels cover sessions, places, averages, exact bids and points by contract.",
)
@pytest.mark.parametrize("game", [key for key in KEYS if GAMES[key].exact_bids])
def test_bids_are_counted_by_cards_dealt(game):
    table = put(game, "Anna random random random")
    found = figures(game)
    told = [(score.title.cards, *score.figures[0]) for score in table.scores]
    for cards, bids in found.bids.items():
        here = [(bid, won) for number, bid, won in told if number == cards]
        assert (bids.number, bids.exact) == (len(here), sum(bid == won for bid, won in here))
        assert bids.high == sum(bid > won for bid, won in here)
    assert sum(bids.number for bids in found.bids.values()) == len(table.scores)
    assert found.exact_share == sum(bid == won for _, bid, won in told) / len(told)
    assert found.contracts == {}


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Statistics of players and robot levels cover sessions, places, averages, exact bids and points by contract.",
)
@pytest.mark.parametrize("game", [key for key in KEYS if GAMES[key].has_contracts])
def test_points_by_contract_add_up_to_the_total(game):
    tables = [put(game, "Anna random random random", id_=f"s{seed}", seed=seed) for seed in (1, 2)]
    found = figures(game)
    assert sum(points.points for points in found.contracts.values()) == sum(table.totals[0] for table in tables)
    assert sum(points.rounds for points in found.contracts.values()) == sum(len(table.scores) for table in tables)
    assert set(found.contracts) == {str(score.title) for table in tables for score in table.scores}
    assert found.bids == {}


def test_sessions_come_in_the_order_in_which_they_ended_whatever_their_files_are_called():
    late = put("ten_down", "Anna Bob", id_="aaa", seed=1, ended=2_000_000, room=5)
    early = put("ten_down", "Anna Bob", id_="zzz", seed=2, ended=1_000_000, room=5)
    records = reckoned()
    assert list(records.statistics[ANNA, "ten_down"].totals) == [early.totals[0], late.totals[0]]
    assert list(records.ratings["ten_down"].end_times) == [1_000_000, 2_000_000]
    assert records.statistics[ANNA, "ten_down"].first_end == 1_000_000


def test_a_copied_session_does_not_count_twice():
    table = put("ten_down", "Anna Bob", room=5)
    write(msgspec.structs.replace(header("ten_down", "Anna Bob", "t", room=5), origin=Origin("s", 3)), [])
    assert figures("ten_down").sessions == 1
    assert figures("ten_down").rounds.rounds == len(table.scores)


def test_open_hands_count_here_but_are_not_rated():
    put("ten_down", "Anna Bob", room=5, open_hands="on")
    records = reckoned()
    assert records.statistics[ANNA, "ten_down"].sessions == 1
    assert records.statistics[ANNA, "ten_down"].rated == 0
    assert records.ratings["ten_down"].players == {}


@pytest.mark.promise(
    "Statistics, rankings and credits",
    "Records are computed in the background, once per session; a damaged session is left out.",
)
def test_a_damaged_session_is_left_out_everywhere():
    put("ten_down", "Anna Bob", room=5)
    path = write(header("ten_down", "Anna Bob", "false", seed=8, room=5), [Line(end=SessionResult((9, 8), (1, 2), 0))])
    assert path.exists()
    records = reckoned()
    assert records.statistics[ANNA, "ten_down"].sessions == 1
    assert len(records.ratings["ten_down"].end_times) == 1


@pytest.mark.parametrize("game", WITH_A_SHEET)
def test_a_score_table_counts_here_but_is_not_rated(game):
    _, first, rounds = played(game, 3)
    scores = table(game, first=first)
    lines = [ScoreLine(round=entered) for entered in rounds]
    for line in lines:
        scores.apply(line)
    write(scores.header, [*lines, scores.create_end_line()])
    records, totals = reckoned(), [score.totals[0] for score in scores.sheet.scores]
    anna = records.statistics[ANNA, game]
    assert (anna.sessions, anna.rated, list(anna.totals)) == (1, 0, [scores.sheet.totals[0]])
    assert anna.places == {scores.sheet.ranks[0]: 1}
    assert [points.points for points in anna.mean_course] == totals
    assert sum(bids.number for bids in anna.bids.values()) == len(totals) * GAMES[game].exact_bids
    assert sum(points.points for points in anna.contracts.values()) == totals[-1] * GAMES[game].has_contracts
    assert records.ratings[game].players == {}


def test_an_unfinished_session_is_not_counted():
    put("ten_down", "Anna Bob", rounds=1, room=5)
    path = paths.archive_folder() / "s.jsonl"
    paths.create_folder(paths.sessions_folder())
    path.rename(paths.sessions_folder() / "s.jsonl")
    assert reckoned().statistics == {}


def test_players_are_people_by_their_sessions_then_robots_by_their_strength():
    put("ten_down", "Anna Bob", id_="a", room=5)
    put("ten_down", "Bob novice expert", id_="b", seed=8, room=5)
    assert [player.name for player, _ in reckoned().list_players()] == ["Bob", "Anna", "expert", "novice"]


class TestKept:
    @pytest.fixture
    def extracted(self, monkeypatch):
        """The journals that are replayed from now on."""
        put("ten_down", "Anna Bob", room=5)
        reckoned()
        done, original = [], statistics.extract_facts
        monkeypatch.setattr(statistics, "extract_facts", lambda path: done.append(path.stem) or original(path))
        return done

    @pytest.mark.promise(
        "Statistics, rankings and credits",
        "Records are computed in the background, once per session; a damaged session is left out.",
    )
    def test_facts_are_extracted_once(self, extracted):
        assert figures("ten_down").rounds.rounds == 5
        assert extracted == []

    def test_a_new_session_is_read_and_no_other(self, extracted):
        put("ten_down", "Anna Bob", id_="new", seed=8, room=5)
        assert figures("ten_down").rounds.rounds == 10
        assert extracted == ["new"]

    def test_a_changed_session_is_read_again(self, extracted):
        put("ten_down", "Anna Bob", seed=8, ended=1_000_001, room=5)
        reckoned()
        assert extracted == ["s"]

    def test_that_a_session_is_damaged_is_kept_too(self, extracted):
        write(header("ten_down", "Anna Bob", "false", seed=8, room=5), [Line(end=SessionResult((9, 8), (1, 2), 0))])
        reckoned()
        assert figures("ten_down").sessions == 1
        assert extracted == ["false"]

    @pytest.mark.parametrize(
        "damage", [lambda data: data[: len(data) // 2], lambda _: b"", lambda _: b"\xff\0[" * 99, None]
    )
    def test_a_file_of_facts_that_is_damaged_or_gone_is_made_anew(self, extracted, damage):
        before = figures("ten_down")
        if damage is None:
            paths.statistics_file().unlink()
        else:
            paths.statistics_file().write_bytes(damage(paths.statistics_file().read_bytes()))
        assert figures("ten_down") == before
        assert extracted == ["s"]

    @pytest.mark.parametrize(
        "false",
        [
            statistics.SessionFacts(True, ("5C",), (1, 2, 3), ()),
            statistics.SessionFacts(True, ("5C",), (1, 2), (1, 2, 3)),
        ],
    )
    def test_facts_that_cannot_be_are_extracted_again(self, extracted, false):
        cache = FileCache(paths.statistics_file(), statistics.SessionFacts, statistics.VERSION)
        cache.put("archive/s.jsonl", compute_fingerprint((paths.archive_folder() / "s.jsonl").stat()), false)
        cache.save()
        assert figures("ten_down").rounds.rounds == 5
        assert extracted == ["s"]

    def test_what_was_read_is_kept_when_the_reckoning_is_left(self, extracted):
        put("ten_down", "Anna Bob", id_="new", seed=8, room=5)
        reckoning = aggregate()
        next(reckoning)
        next(reckoning)
        reckoning.close()
        extracted.clear()
        reckoned()
        assert extracted == []

    def test_the_file_of_facts_is_no_session(self, extracted):
        assert paths.statistics_file().exists()
        assert "figures" not in sessions.list_ids()


class TestMany:
    """Sessions so many that the count takes long, which is interrupted and told of."""

    @pytest.fixture
    def many(self, monkeypatch):
        """Thirty sessions, as many as two processes are started for; all times are over at once."""
        for number in range(30):
            put("ten_down", "Anna Bob", id_=f"s{number}", seed=number, ended=1_000_000 + number, room=5)
        for name, value in {
            "MIN_PARALLEL_SESSIONS": 20,
            "BATCH_SIZE": 4,
            "PROGRESS_INTERVAL": -1,
            "SAVE_INTERVAL": -1,
            "FIRST_RESULTS_DELAY": -1,
        }.items():
            monkeypatch.setattr(aggregation, name, value)
        monkeypatch.setattr(archive_index, "SAVE_INTERVAL", -1)

    def test_progress_comes_with_a_first_table(self, many):
        told = list(aggregate())
        found, read = [each for each in told if each.stage == "found"], [each for each in told if each.stage == "read"]
        assert [each.read for each in found] == sorted(range(1, 30))
        assert found[0].records is not None
        assert [each.records for each in found[1:]] == [None] * 28
        assert [each.read for each in read[:-1]] == [*range(31)]
        assert {each.sessions for each in told} == {30}
        assert told[-1].records.statistics[ANNA, "ten_down"].rounds.rounds == 150

    def test_two_processes_find_the_same_as_this_one(self, many, monkeypatch):
        both = reckoned()
        paths.statistics_file().unlink()
        monkeypatch.setattr(aggregation, "MIN_PARALLEL_SESSIONS", 1000)
        assert reckoned() == both

    @pytest.mark.parametrize("stage", ["found", "read"])
    def test_an_interrupted_count_goes_on_where_it_was(self, many, stage):
        coming = aggregate()
        next(told for told in coming if told.stage == stage and told.read >= 10)
        state = (
            paths.index_file().read_bytes(),
            paths.statistics_file().exists() and paths.statistics_file().read_bytes(),
        )
        kept = state[stage == "read"].count(b"\n") - 1
        assert kept >= 9, "as it is when the program is killed now"
        coming.close()
        first = next(told for told in aggregate() if told.stage == stage)
        assert first.read >= 10

    def test_processes_that_die_are_done_without(self, many, monkeypatch):
        start = client._start_process

        async def ill_fated(module):
            child = await start(module)
            child.kill()
            return child

        monkeypatch.setattr(client, "_start_process", ill_fated)
        assert reckoned().statistics[ANNA, "ten_down"].rounds.rounds == 150

    def test_processes_that_cannot_be_started_are_done_without(self, many, monkeypatch):
        def started(_module):
            raise OSError("no more processes")

        monkeypatch.setattr(client, "_start_process", started)
        assert reckoned().statistics[ANNA, "ten_down"].rounds.rounds == 150


@pytest.mark.parametrize("game", KEYS)
def test_facts_are_those_of_the_table_that_keeps_its_history(game):
    path = paths.archive_folder() / "s.jsonl"
    table = put(game, WHO[game])
    read = session_files.parse_session(path, session_files.read_session(path))
    for loaded in (
        session_files.replay_journal(path, read),
        session_files.replay_journal(path, read, without_undo=True),
    ):
        assert (loaded.scores, loaded.totals, loaded.ranks) == (table.scores, table.totals, table.ranks)


def test_facts_of_a_session_with_moves_taken_back():
    put("ten_down", "Anna Bob", room=5)
    path = paths.archive_folder() / "s.jsonl"
    read = session_files.parse_session(path, session_files.read_session(path))
    lines = [entry.line for entry in read.entries]
    decided = next(number for number, line in enumerate(lines) if line.action)
    with_undo = [
        *lines[: decided + 1],
        Line(undo=1),
        *lines[decided:-1],
        Line(end=msgspec.structs.replace(lines[-1].end, undone=1)),
    ]
    before = statistics.extract_facts(path)
    path.write_bytes(journal.encode([read.header, *with_undo]))
    assert statistics.extract_facts(path) == before
