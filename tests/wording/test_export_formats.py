"""Export of a session: Markdown, CSV score sheet, journal."""

import csv
import io
import re
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.cards import NAME, iter_cards
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import EndingTitle
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.wording import export_formats, score_sheet
from cardtable.wording.export_formats import export_session
from cardtable.wording.score_sheet import StoredSheet
from tests.session.test_round_replay import TABLES, RecordedSession

HAND = re.compile(r"- (\S+): (.*)")
CARD = re.compile(r"(10|[2-9JQKA])([♣♦♥♠])")
SUITS = dict(zip("♣♦♥♠", "CDHS", strict=True))


@pytest.fixture
def write_session(tmp_path):
    """Return a function that writes a session to a file."""

    def keep(played):
        path = tmp_path / "a.jsonl"
        path.write_bytes(journal.encode(played.header, played.lines))
        return path

    return keep


def parse_cards(text):
    return [rank.replace("10", "T") + SUITS[suit] for rank, suit in CARD.findall(text)]


@pytest.mark.parametrize(("key", "seats", "options"), TABLES)
def test_markdown_lists_dealt_hands_and_tricks(key, seats, options, write_session):
    played = RecordedSession(key, seats, **options).play_through_round(2)
    text = export_session(write_session(played), "markdown").decode()
    first = played.replay(1)
    parts = text.split("## Round ")[1].split("Points: ")
    hands = [parse_cards(cards) for _, cards in HAND.findall(parts[0])]
    assert hands == [[NAME[card] for card in iter_cards(first.get_hand(seat, 0))] for seat in range(seats)]
    if first.has_tricks:
        rows = [row for row in parts[0].splitlines() if re.match(r"\| \d", row)]
        played_cards = [[NAME[card] for _, card in row.cards] for row in first.rows if row.trick]
        assert [parse_cards(row) for row in rows] == played_cards
    points = re.findall(r"^Points: (.*)", text, re.MULTILINE)
    assert len(points) == len(played.table.scores)
    assert ("(bid " in points[0]) == GAMES[key].exact_bids
    assert not re.search(r"[\[\]']", "".join(points))


def test_markdown_lists_places_best_first(write_session):
    played = RecordedSession("rikiki", 4, length="short").play_through_round(99)
    text = export_session(write_session(played), "markdown").decode()
    places = re.findall(r"- (\d)\w\w: \*\*(R\d)\*\* \(random robot\) (−?\d+)", text)
    totals = [int(total.replace("−", "-")) for _, _, total in places]
    assert totals == sorted(played.table.totals, reverse=True)
    points = re.findall(r"(R\d) ([+−]\d+) \(bid (\d+), won (\d+)\)", text)
    results = [(int(points.replace("−", "-")), int(bid), int(won)) for _, points, bid, won in points]
    assert results == [(score.points[seat], *score.figures[seat]) for score in played.table.scores for seat in range(4)]
    assert "House rules: length (16 rounds)." in text


def test_markdown_escapes_names(write_session):
    played = RecordedSession("rikiki", 4).play_through_round(1)
    names = ("*a* | b", "<script>", "[x](y)", "`c`")
    played.header = replace(played.header, seats=tuple([Occupant(name, "random") for name in names]))
    text = export_session(write_session(played), "markdown").decode()
    assert "**\\*a\\* \\| b**" in text
    assert not re.search(r"(?<!\\)(<script|\[x|`c|\*a\*)", text)
    rows = [row for row in text.splitlines() if row.startswith("| 1 ")]
    assert len(re.split(r"(?<!\\)\|", rows[0])) == 2 + 2 + 4 * 4


def test_csv_has_points_and_totals_of_every_round(write_session):
    played = RecordedSession("king", 4).play_through_round(4)
    rows = list(csv.DictReader(io.StringIO(export_session(write_session(played), "csv").decode())))
    assert [[int(row[f"R{seat} total"]) for seat in range(4)] for row in rows] == [
        list(score.totals) for score in played.table.scores
    ]


@pytest.mark.parametrize(
    "name", ["=1+1", "+49", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1d1", "a;=1", "a,-1+1", "a\t@b", '";=1']
)
def test_csv_text_is_never_a_formula(name, write_session):
    played = RecordedSession("rikiki", 4).play_through_round(99)
    played.header = replace(played.header, seats=(Occupant(name, "random"),) * 4)
    table = export_session(write_session(played), "csv").decode()
    assert any(score.bonuses != ((),) * 4 for score in played.table.scores)
    for separator in ",;\t":
        for row in csv.reader(io.StringIO(table), delimiter=separator):
            for cell in row:
                number = re.fullmatch(r"-?\d+", cell)
                assert number or not re.match(r"""[\s"]*[-=+@\uff1d\uff0b\uff0d\uff20\t\r]""", cell), cell


def test_csv_numbers_stay_numbers(write_session):
    played = RecordedSession("gurka", 4).play_through_round(3)
    table = export_session(write_session(played), "csv").decode()
    points = [cell for row in csv.DictReader(io.StringIO(table)) for head, cell in row.items() if "points" in head]
    assert [int(cell) for cell in points] == [each for score in played.table.scores for each in score.points]
    assert "'" not in table


def test_journal_is_unchanged(write_session):
    path = write_session(RecordedSession("gurka", 4).play_through_round(1))
    assert export_session(path, "journal") == path.read_bytes()


@pytest.mark.parametrize("form", ["markdown", "csv", "journal"])
def test_session_in_progress_needs_confirmation(form, write_session):
    played = RecordedSession("rikiki", 4).play_through_round(2)
    played.header = replace(played.header, seats=(Occupant("Anna"), *played.header.seats[1:]))
    path = write_session(played)
    with pytest.raises(CardtableError, match="this game is still going on"):
        export_session(path, form)
    assert export_session(path, form, as_open=True)


def test_session_without_a_finished_round():
    played = RecordedSession("rummy", 2)
    text = export_formats.format_session(journal.read(journal.encode(played.header)), played.table)
    assert "The session is not over." in text


def test_invalid_date_is_escaped(write_session):
    played = RecordedSession("rikiki", 4).play_through_round(1)
    played.header = replace(played.header, created="\x1b[2J*\n#")
    assert export_session(write_session(played), "markdown").decode().startswith("# Rikiki, \ufffd\\[2J\\*\ufffd\\#\n")


@pytest.mark.parametrize(("title", "heads"), [("out", "round played last"), ("", "round last")])
def test_text_sheet_has_titles_only_if_rounds_do(title, heads):
    table = RecordedSession("gurka", 4).play_through_round(1).table
    scores = [replace(score, title=EndingTitle(title)) for score in table.scores]
    summary = SimpleNamespace(
        game=table.game,
        seats=4,
        sides=table.sides,
        columns=table.columns,
        scores=scores,
        totals=table.totals,
        ranks=table.ranks,
    )
    stored = StoredSheet(SimpleNamespace(id="id"), ["Ada", "Bo", "Cy", "Dee"], summary, is_abandoned=False)
    _, names, first, row, *_ = score_sheet.to_text(stored).split("\n")
    assert " ".join(first.split()).startswith(heads)
    assert names.index("Ada") == len("round") + (7 if title else 0) + 2
    assert row.split()[1 : 1 + bool(title)] == [title] * bool(title)
