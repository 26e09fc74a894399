"""Statistics of archived sessions, and the cache of their facts."""

from itertools import pairwise

import msgspec
import pytest
from msgspec import structs

from cardtable.engine import journal
from cardtable.engine.cards import PACK_52, iter_cards, names
from cardtable.engine.journal import ActionLine, ChanceLine, Origin, ResultLine, SessionResult, UndoLine
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.games.rikiki import rules as rikiki
from cardtable.records import aggregation, review_worker, statistics
from cardtable.records.aggregation import aggregate
from cardtable.records.ratings import Player
from cardtable.records.result_rows import BidRow, PointsRow, RoundPoints
from cardtable.records.review import Alternative, DecisionEvaluation, Review
from cardtable.scoring.score_table import ScoreTableLine as ScoreLine
from cardtable.store import archive_index, paths, profiles, session_files
from cardtable.store.archive_index import FileCache, compute_fingerprint
from cardtable.workers import client
from tests.every_game import GAMES_WITH_SCORE_SHEET
from tests.records.archive_sessions import aggregate_records, archive_journal, archive_random_session, make_header
from tests.scoring.tables import create_table, encode_table, play_session_with_entries

ANNA, BOB, RANDOM = Player("Anna"), Player("Bob"), Player("random", True)
PLAYERS_BY_GAME = {key: " ".join(["Anna", *["random"] * (about.usual_seats - 1)]) for key, about in ABOUT.items()}


def get_statistics(game, player=ANNA):
    return aggregate_records().statistics[player, game]


def make_deal(*hands, then):
    """Return a deal that begins with these hands, followed by the card `then`."""
    first = [*" ".join(hands).split(), then]
    return ChanceLine(
        outcome=" ".join(["deal", *first, *[card for card in names(iter_cards(PACK_52)).split() if card not in first]])
    )


def parse_actions(text):
    """Return the lines of decisions written as `seat action`, separated by commas."""
    return [ActionLine(int(word[0]), word[2:]) for word in text.split(", ")]


@pytest.fixture
def two_rounds(monkeypatch):
    """Two rounds of Rikiki: Anna makes her two tricks, then bids one and makes none; Cleo wins."""
    monkeypatch.setattr(rikiki, "FULL_SESSION", (2, 1))
    lines = [
        make_deal("AS KS", "2S 3S", "4S 5S", "6S 7S", then="2H"),
        *parse_actions("0 bid 2, 1 bid 0, 2 bid 0, 3 bid 0, 0 play AS, 1 play 2S, 2 play 4S, 3 play 6S"),
        make_deal("2C", "3C", "4C", "5C", then="2H"),
        *parse_actions("1 bid 1, 2 bid 0, 3 bid 0, 0 bid 1"),
        ResultLine(SessionResult((12, 8, 20, 8), (2, 3, 1, 3), 0)),
    ]
    archive_journal(make_header("rikiki", "Anna Bob Cleo random"), lines)


def test_statistics_of_two_rounds(two_rounds):
    records = aggregate_records()
    anna = records.statistics[ANNA, "rikiki"]
    assert (list(anna.totals), anna.places, anna.mean_place, anna.won_share) == ([12], {2: 1}, 2.0, 0.0)
    assert anna.bids == {2: BidRow(1, 1, 0), 1: BidRow(1, 0, 1)}
    assert anna.exact_share == 0.5
    assert (anna.best, anna.worst) == (RoundPoints(14, 1, "s"), RoundPoints(-2, 2, "s"))
    assert [points.points for points in anna.mean_course] == [14, 12]
    assert anna.rounds == PointsRow(2, 12)
    cleo = records.statistics[Player("Cleo"), "rikiki"]
    assert (cleo.exact_share, cleo.won_share) == (1.0, 1.0)
    assert next(player.name for player, _ in records.ratings["rikiki"].rank_players()) == "Cleo"


@pytest.mark.parametrize("game", KEYS)
def test_statistics_agree_with_the_session(game):
    table = archive_random_session(game, PLAYERS_BY_GAME[game])
    everybody = aggregate_records().statistics
    anna, robots = everybody[ANNA, game], everybody[RANDOM, game]
    assert (anna.sessions, anna.abandoned, anna.rated) == (1, 0, 1)
    assert anna.rounds == PointsRow(len(table.scores), table.raw_totals[0])
    assert (list(anna.totals), anna.mean_total) == ([table.totals[0]], table.totals[0])
    assert anna.places == {table.ranks[0]: 1}
    assert [mark.points for mark in anna.mean_course] == [score.totals[0] for score in table.scores]
    gains = [after - before for before, after in pairwise([0, *[score.totals[0] for score in table.scores]])]
    best, worst = (min, max) if table.game.lowest_wins else (max, min)
    assert anna.best.points == best(gains) == gains[anna.best.round - 1]
    assert anna.worst.points == worst(gains) == gains[anna.worst.round - 1]
    # a level of robots has a place for each of its seats
    assert (robots.sessions, sorted(robots.places.elements())) == (1, sorted(table.ranks[1:]))
    assert robots.rounds.points == sum(table.raw_totals[1:])


@pytest.mark.parametrize("game", KEYS)
def test_abandoned_session_counts_finished_rounds(game):
    table = archive_random_session(game, PLAYERS_BY_GAME[game], rounds=1 if game != "rummy" else 0)
    anna = get_statistics(game)
    assert (anna.sessions, anna.abandoned, anna.mean_total) == (1, 1, None)
    assert (anna.rounds.points, anna.places) == (table.raw_totals[0], {table.seats: 1})


@pytest.mark.parametrize("game", [key for key in KEYS if GAMES[key].exact_bids])
def test_bids_are_counted_by_cards_dealt(game):
    table = archive_random_session(game, "Anna random random random")
    statistics = get_statistics(game)
    figures = [(score.title.cards, *score.figures[0]) for score in table.scores]
    for cards, bids in statistics.bids.items():
        results = [(bid, won) for number, bid, won in figures if number == cards]
        assert (bids.number, bids.exact) == (len(results), sum(bid == won for bid, won in results))
        assert bids.high == sum(bid > won for bid, won in results)
    assert sum(bids.number for bids in statistics.bids.values()) == len(table.scores)
    assert statistics.exact_share == sum(bid == won for _, bid, won in figures) / len(figures)
    assert statistics.contracts == {}


@pytest.mark.parametrize("game", [key for key in KEYS if GAMES[key].has_contracts])
def test_points_by_contract_add_up_to_the_total(game):
    tables = [archive_random_session(game, "Anna random random random", id_=f"s{seed}", seed=seed) for seed in (1, 2)]
    statistics = get_statistics(game)
    assert sum(points.points for points in statistics.contracts.values()) == sum(table.totals[0] for table in tables)
    assert sum(points.rounds for points in statistics.contracts.values()) == sum(len(table.scores) for table in tables)
    assert set(statistics.contracts) == {str(score.title) for table in tables for score in table.scores}
    assert statistics.bids == {}


def test_sessions_are_ordered_by_end_time():
    late = archive_random_session("ten_down", "Anna Bob", id_="aaa", seed=1, ended=2_000_000, room=5)
    early = archive_random_session("ten_down", "Anna Bob", id_="zzz", seed=2, ended=1_000_000, room=5)
    records = aggregate_records()
    assert list(records.statistics[ANNA, "ten_down"].totals) == [early.totals[0], late.totals[0]]
    assert list(records.ratings["ten_down"].end_times) == [1_000_000, 2_000_000]
    assert records.statistics[ANNA, "ten_down"].first_end == 1_000_000


def test_copied_session_is_counted_once():
    table = archive_random_session("ten_down", "Anna Bob", room=5)
    archive_journal(
        msgspec.structs.replace(make_header("ten_down", "Anna Bob", "t", room=5), origin=Origin("s", 3)), []
    )
    assert get_statistics("ten_down").sessions == 1
    assert get_statistics("ten_down").rounds.rounds == len(table.scores)


def test_open_hands_session_counts_but_is_unrated():
    archive_random_session("ten_down", "Anna Bob", room=5, open_hands="on")
    records = aggregate_records()
    assert records.statistics[ANNA, "ten_down"].sessions == 1
    assert records.statistics[ANNA, "ten_down"].rated == 0
    assert records.ratings["ten_down"].players == {}


@pytest.mark.parametrize("game", GAMES_WITH_SCORE_SHEET)
def test_score_table_counts_but_is_unrated(game):
    _, first, rounds = play_session_with_entries(game, 3)
    scores = create_table(game, first=first)
    profiles.register("Anna")
    header = msgspec.structs.replace(scores.header, seats=profiles.add_profile_ids(scores.header.seats))
    lines = [ScoreLine(round=entered) for entered in rounds]
    for line in lines:
        scores.apply(line)
    paths.create_folder(paths.archive_folder())
    path = paths.archive_folder() / "s.jsonl"
    path.write_bytes(encode_table(header, [*lines, scores.create_end_line()]))
    records, totals = aggregate_records(), [score.totals[0] for score in scores.sheet.scores]
    anna = records.statistics[ANNA, game]
    assert (anna.sessions, anna.rated, list(anna.totals)) == (1, 0, [scores.sheet.totals[0]])
    assert anna.places == {scores.sheet.ranks[0]: 1}
    assert [points.points for points in anna.mean_course] == totals
    assert sum(bids.number for bids in anna.bids.values()) == len(totals) * GAMES[game].exact_bids
    assert sum(points.points for points in anna.contracts.values()) == totals[-1] * GAMES[game].has_contracts
    assert records.ratings[game].players == {}


def test_unfinished_session_is_not_counted():
    archive_random_session("ten_down", "Anna Bob", rounds=1, room=5)
    path = paths.archive_folder() / "s.jsonl"
    paths.create_folder(paths.sessions_folder())
    path.rename(paths.sessions_folder() / "s.jsonl")
    assert aggregate_records().statistics == {}


class TestFactsCache:
    @pytest.fixture
    def extracted_ids(self, monkeypatch):
        """Ids of the sessions that are replayed from now on."""
        archive_random_session("ten_down", "Anna Bob", room=5)
        aggregate_records()
        done, original = [], statistics.extract_facts
        monkeypatch.setattr(statistics, "extract_facts", lambda path: done.append(path.stem) or original(path))
        return done

    def test_changed_session_is_read_again(self, extracted_ids):
        archive_random_session("ten_down", "Anna Bob", seed=8, ended=1_000_001, room=5)
        aggregate_records()
        assert extracted_ids == ["s"]

    def test_damaged_session_is_read_once(self, extracted_ids):
        archive_journal(
            make_header("ten_down", "Anna Bob", "false", seed=8, room=5), [ResultLine(SessionResult((9, 8), (1, 2), 0))]
        )
        aggregate_records()
        assert get_statistics("ten_down").sessions == 1
        assert extracted_ids == ["false"]

    @pytest.mark.parametrize(
        "false",
        [
            statistics.SessionFacts(True, ("5C",), (1, 2, 3), ()),
            statistics.SessionFacts(True, ("5C",), (1, 2), (1, 2, 3)),
        ],
    )
    def test_impossible_facts_are_extracted_again(self, extracted_ids, false):
        cache = FileCache(paths.statistics_file(), statistics.SessionFacts, statistics.VERSION)
        cache.put("archive/s.jsonl", compute_fingerprint((paths.archive_folder() / "s.jsonl").stat()), false)
        cache.save()
        assert get_statistics("ten_down").rounds.rounds == 5
        assert extracted_ids == ["s"]


class TestManySessions:
    """Aggregation of many sessions: progress, interruption and worker processes."""

    @pytest.fixture
    def thirty_sessions(self, monkeypatch):
        """Thirty archived sessions, enough for two processes; all time limits expire at once."""
        for number in range(30):
            archive_random_session(
                "ten_down", "Anna Bob", id_=f"s{number}", seed=number, ended=1_000_000 + number, room=5
            )
        for name, value in {
            "MIN_PARALLEL_SESSIONS": 20,
            "BATCH_SIZE": 4,
            "PROGRESS_INTERVAL": -1,
            "SAVE_INTERVAL": -1,
            "FIRST_RESULTS_DELAY": -1,
        }.items():
            monkeypatch.setattr(aggregation, name, value)
        monkeypatch.setattr(archive_index, "SAVE_INTERVAL", -1)

    def test_progress_includes_first_results(self, thirty_sessions):
        progress = list(aggregate())
        found_steps = [each for each in progress if each.stage == "found"]
        read_steps = [each for each in progress if each.stage == "read"]
        assert [each.read for each in found_steps] == [*range(1, 30)]
        assert found_steps[0].records is not None
        assert [each.records for each in found_steps[1:]] == [None] * 28
        assert [each.read for each in read_steps[:-1]] == [*range(31)]
        assert {each.sessions for each in progress} == {30}
        assert progress[-1].records.statistics[ANNA, "ten_down"].rounds.rounds == 150

    def test_parallel_aggregation_gives_same_records(self, thirty_sessions, monkeypatch):
        both = aggregate_records()
        paths.statistics_file().unlink()
        monkeypatch.setattr(aggregation, "MIN_PARALLEL_SESSIONS", 1000)
        assert aggregate_records() == both

    @pytest.mark.parametrize("stage", ["found", "read"])
    def test_interrupted_aggregation_continues(self, thirty_sessions, stage):
        steps = aggregate()
        next(progress for progress in steps if progress.stage == stage and progress.read >= 10)
        state = (
            paths.index_file().read_bytes(),
            paths.statistics_file().exists() and paths.statistics_file().read_bytes(),
        )
        saved_count = state[stage == "read"].count(b"\n") - 1
        assert saved_count >= 9, "as it is when the program is killed now"
        steps.close()
        first = next(progress for progress in aggregate() if progress.stage == stage)
        assert first.read >= 10

    def test_aggregation_survives_killed_workers(self, thirty_sessions, monkeypatch):
        start = client._start_process

        async def start_and_kill(module):
            child = await start(module)
            child.kill()
            return child

        monkeypatch.setattr(client, "_start_process", start_and_kill)
        assert aggregate_records().statistics[ANNA, "ten_down"].rounds.rounds == 150

    def test_aggregation_without_worker_processes(self, thirty_sessions, monkeypatch):
        def fail_to_start(_module):
            raise OSError("no more processes")

        monkeypatch.setattr(client, "_start_process", fail_to_start)
        assert aggregate_records().statistics[ANNA, "ten_down"].rounds.rounds == 150


@pytest.mark.parametrize("game", KEYS)
def test_replay_without_undo_history_gives_same_results(game):
    path = paths.archive_folder() / "s.jsonl"
    table = archive_random_session(game, PLAYERS_BY_GAME[game])
    read = session_files.parse_session(path, session_files.read_session(path))
    for loaded in (
        session_files.replay_journal(path, read),
        session_files.replay_journal(path, read, without_undo=True),
    ):
        assert (loaded.scores, loaded.totals, loaded.ranks) == (table.scores, table.totals, table.ranks)


def test_facts_of_a_session_with_undo():
    archive_random_session("ten_down", "Anna Bob", room=5)
    path = paths.archive_folder() / "s.jsonl"
    read = session_files.parse_session(path, session_files.read_session(path))
    lines = [entry.line for entry in read.entries]
    decided = next(number for number, line in enumerate(lines) if isinstance(line, ActionLine))
    with_undo = [
        *lines[: decided + 1],
        UndoLine(decisions=1),
        *lines[decided:-1],
        ResultLine(msgspec.structs.replace(lines[-1].result, undone=1)),
    ]
    before = statistics.extract_facts(path)
    path.write_bytes(journal.encode(read.header, with_undo))
    assert statistics.extract_facts(path) == before


def create_bids(*rounds):
    """Return the facts of a session for two seats, given bid and tricks of each seat in each round."""
    return statistics.SessionFacts(True, ("",) * len(rounds), (0, 0) * len(rounds), tuple(sum(rounds, ())))


GRAND_BID, TEN_IN_A_ROW = "bid of all tricks, 5+", "10 bids made in a row"


@pytest.mark.parametrize(
    ("deed", "facts", "is_done"),
    [
        (GRAND_BID, create_bids((5, 5, 0, 0)), True),
        (GRAND_BID, create_bids((4, 4, 0, 0), (5, 4, 1, 1), (4, 4, 1, 1)), False),
        (TEN_IN_A_ROW, create_bids(*[(0, 0, 0, 1)] * 10), True),
        (TEN_IN_A_ROW, create_bids(*[(0, 0, 0, 1)] * 9, (1, 0, 0, 1), *[(0, 0, 0, 1)] * 9), False),
        (TEN_IN_A_ROW, None, False),
    ],
)
def test_deeds_of_a_session(deed, facts, is_done):
    assert statistics.DEEDS[deed](None, 0, facts) == is_done


def test_firsts_are_those_of_the_earliest_session():
    archive_random_session("gurka", "Anna random random random", id_="s1", ended=1_000_000)
    archive_random_session("rikiki", "Anna random random random", id_="s2", ended=2_000_000)
    archive_random_session("gurka", "Anna random random random", id_="s3", ended=3_000_000)
    records = aggregate_records()
    assert records.get_record(ANNA, aggregation.ALL_GAMES).figures.firsts["session"].game == "gurka"
    assert records.get_record(RANDOM, aggregation.ALL_GAMES).figures.firsts == {}


@pytest.mark.parametrize(
    ("change", "is_first"),
    [
        (lambda judged: judged, True),
        (lambda judged: [*judged[:-1], structs.replace(judged[-1], cost=2.5)], False),
        (lambda judged: judged[:-1], False),
    ],
    ids=["no mistake", "a mistake", "review not complete"],
)
def test_flawless_review_of_a_session(change, is_first):
    archive_random_session("gurka", "Anna random random random")
    path = paths.archive_folder() / "s.jsonl"
    actions = [str(decision.action) for decision in review_worker.load_reviewable(path, 0).decisions]
    judged = [
        DecisionEvaluation(0.0, 0.0, 0, (Alternative(action, 0.0, True, None),), "", False, ()) for action in actions
    ]
    review_worker.save(path, compute_fingerprint(path.stat()), 0, Review(change(judged), []))
    assert ("flawless review" in get_statistics("gurka").firsts) == is_first
