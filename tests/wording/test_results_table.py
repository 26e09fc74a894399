"""Tables of results as text, sentences, Markdown and CSV."""

import csv
import io
from fractions import Fraction

from cardtable.records.result_rows import ResultsColumn, ResultsRow, ResultsTable, rank_rows
from cardtable.wording import seasons

COLUMNS = (ResultsColumn("sessions", "played", unit="%"), ResultsColumn("average_points", "average", 1))
ROWS = rank_rows(
    [
        (ResultsRow("Bob", (2, -1.25), kind="guest"), Fraction(1, 3)),
        (ResultsRow("anna", (3, 12.0)), Fraction(2, 3)),
        (ResultsRow("Cleo", (1, None)), None),
        (ResultsRow("Ada", (3, 12.0), kind="former"), Fraction(4, 6)),
        (ResultsRow("Dan", (1, -0.04)), Fraction(0)),
    ]
)
TABLE = ResultsTable("Autumn", COLUMNS, ROWS, "average_points", ("All is well.",))


def test_equal_results_share_a_place() -> None:
    assert [(row.place, row.nick) for row in ROWS] == [(1, "Ada"), (1, "anna"), (3, "Bob"), (4, "Dan"), (None, "Cleo")]


def test_text_columns_are_aligned() -> None:
    assert [*seasons.iter_text_lines(TABLE)] == [
        "Autumn",
        "place  player        played  average",
        "    1  Ada (former)      3%     12.0",
        "    1  anna              3%     12.0",
        "    3  Bob (guest)       2%     −1.2",
        "    4  Dan               1%      0.0",
        "    –  Cleo              1%        –",
        "All is well.",
    ]


def test_sentences() -> None:
    assert [*seasons.iter_sentences(TABLE)][1::2] == [
        "Ada (former): 1st, played 3%, average 12.0.",
        "Bob (guest): 3rd, played 2%, average −1.2.",
        "Cleo: no place, played 1%, average –.",
    ]


HOSTILE = ResultsTable(
    "=1+1, @x", COLUMNS, tuple([ResultsRow(nick, (1, -2.0), 1) for nick in ("=cmd|' /C calc'!A0", "-1", "a|*b*_\x1b")])
)


def test_csv_has_one_header_and_no_formulas() -> None:
    other = ResultsTable("Other", COLUMNS[:1], (ResultsRow("Żofia", (4,), 1),))
    header, *rows = csv.reader(io.StringIO(seasons.format_csv([HOSTILE, other])))
    assert header == ["table", "place", "player", "kind", "sessions", "average_points"]
    assert rows[0] == ["'=1+1,' @x", "1", "'=cmd|' /C calc'!A0", "member", "1", "-2.0"]
    assert rows[1][2] == "'-1"
    assert rows[3] == ["Other", "1", "Żofia", "member", "4", ""]


def test_markdown_escapes_names() -> None:
    lines = [*seasons.iter_markdown_lines(HOSTILE)]
    assert lines[3] == "| ---: | --- | ---: | ---: |"
    assert lines[6].startswith(r"| 1 | a\|\*b\*\_")
    assert "\x1b" not in lines[6]
