"""Weights of King's contracts (x4 or x1) beside points, on the screen and in exports."""

from cardtable.engine import journal
from cardtable.wording import export_formats, score_sheet
from cardtable.wording.score_sheet import StoredSheet
from tests.session.test_round_replay import RecordedSession


def test_exports_show_weight():
    played = RecordedSession("king", 4).play_through_round(4)
    weights = [score.weight for score in played.table.scores]
    written = journal.read(journal.encode(played.header, played.lines))
    export_lines = export_formats.format_session(written, played.table).partition("## Round 1")[0].split("\n")
    stored = StoredSheet(played.header, ["Ada", "Bo", "Cy", "Dee"], played.table, is_abandoned=False)
    lines = score_sheet.to_text(stored).split("\n")
    for number, weight in enumerate(weights, 1):
        [row] = [line for line in export_lines if line.startswith(f"| {number} |")]
        assert (" ×4 |" in row) == (weight == 4)
        assert (" x4 " in lines[number + 2]) == (weight == 4)
