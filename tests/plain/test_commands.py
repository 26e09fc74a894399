"""Registry of commands: matching of input, and help that names every command of every dialog."""

import re
from pathlib import Path

import pytest

from cardtable.games import GAMES
from cardtable.plain.archive import ArchivedSessionDialog, PlainArchive
from cardtable.plain.club.lobby import PlainLobby
from cardtable.plain.club.table import PlainClubTable
from cardtable.plain.console import Commands, UnknownCommand, alone, one_word
from cardtable.plain.lessons import LessonDialog, PlainLessons, PlainPuzzles
from cardtable.plain.picker import _Picker
from cardtable.plain.score_table import _ScoreTableDialog
from cardtable.plain.table import create_dialog
from cardtable.session.lessons import continue_lesson, load_course
from cardtable.session.session_events import Stage
from cardtable.session.session_runner import SessionRunner
from cardtable.store import archive_index, profiles, score_tables
from cardtable.store.settings import Settings
from cardtable.wording import archive_rows
from tests.plain.test_picker import create_session

ALIASES = {"who", "1"}
"""Words that mean the same as an empty line."""
UNLISTED = {"save", "undo", "rest"}
"""Commands that are announced while they are available, or refused with a reason while robots play."""
USAGE = re.compile(r"(?:^|[.;] )([a-z]+(?: [a-z]+)?)(?=(?: [A-Z]+| to)*[,:])", re.MULTILINE)
"""Beginning of a sentence of help: the command's words before its arguments and a comma or colon."""


def create_king(people):
    return create_session("king", "Ada", "Bo", "Cy", "Di", people=people)


def create_club_table():
    """Return the table of a club whose host is a session runner, without other guests."""
    runner = SessionRunner(create_king(1))
    runner.table, runner.seat_infos, runner.stage, runner.is_rated = "1", (), Stage.PLAY, False
    return PlainClubTable(runner, None, Settings())


def create_archived_session():
    create_king(1).close()
    (summary,) = archive_index.list_summaries()
    return ArchivedSessionDialog(archive_rows.create_row(summary, "Ada", profiles.load()[0]), print)


def create_score_table():
    game = GAMES["king"]
    return _ScoreTableDialog(score_tables.create(game, ["Ada", "Bo", "Cy", "Di"], game.options()))


DIALOGS = {
    "picker": lambda: _Picker(Settings(), []),
    "table": lambda: create_dialog(create_king(1), Settings()),
    "hot seat": lambda: create_dialog(create_king(2), Settings()),
    "spectator": lambda: create_dialog(create_king(0), Settings()),
    "club table": create_club_table,
    "lobby": lambda: PlainLobby(None, Settings()),
    "archive": lambda: PlainArchive(print),
    "archived session": create_archived_session,
    "score table": create_score_table,
    "lessons": lambda: PlainLessons(Settings()),
    "lesson": lambda: LessonDialog(continue_lesson(load_course("gurka").lessons[0], "Ada"), Settings()),
    "puzzles": lambda: PlainPuzzles(Settings()),
}
TABLES = ("table", "spectator", "club table")
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", DIALOGS)
def test_help_lists_every_command(home, name):
    for text, commands in DIALOGS[name]().commands.rows:
        for words in commands:
            is_alias = words in ("", *ALIASES) and "empty line" in text.lower()
            is_listed = words != "" and re.search(rf"\b{words}\b", text)
            assert is_alias or is_listed or (not text and words in UNLISTED), (words, text)


@pytest.mark.parametrize("name", DIALOGS)
def test_every_line_of_help_has_a_command(home, name):
    for text, commands in DIALOGS[name]().commands.rows:
        usages = USAGE.findall(text)
        assert usages or not text or not commands or "" in commands, text
        for words in usages:
            assert words in commands or words.split()[0] in commands, (words, text)


@pytest.mark.parametrize("name", DIALOGS)
def test_no_command_hides_another(home, name):
    words = [words for _, commands in DIALOGS[name]().commands.rows for words in commands]
    assert len(words) == len({*words})


def test_synonyms_of_commands():
    done = []
    commands = Commands({"talk. undo.": {"talk": done.append, "undo": alone(lambda: done.append("undo"))}})
    for typed in ("say hello", "Chat hi there", "take back"):
        commands.execute(typed)
    assert done == ["hello", "hi there", "undo"]
    with pytest.raises(UnknownCommand):
        commands.execute("score")


def test_command_precedes_synonym():
    done = []
    Commands({"score. sheet.": {"score": done.append, "sheet": pytest.fail}}).execute("score rifki")
    assert done == ["rifki"]


def list_words(dialog):
    """Return the words of all commands of a dialog, except of an empty line and its alias ``1``."""
    return {words for _, row in dialog.commands.rows for words in row} - {"", "1"}


def find_listed_words(page, sentence):
    """Return the words in backticks of a sentence, of which a pattern is given, on a page of the documents."""
    text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
    return {words for quoted in re.findall(sentence, text) for words in re.findall(r"`([^`]+)`", quoted)}


def list_manual_words():
    return find_listed_words("manual.md", "`help` lists what else you can type: (.*?), which ends the program")


def test_manual_lists_the_commands_of_a_table(home):
    assert list_manual_words() == list_words(DIALOGS["table"]()) - {"save"}


def test_club_page_lists_the_commands_of_table_and_lobby(home):
    without = find_listed_words("club.md", r"without (`undo`.*?) and `who`")
    more = find_listed_words("club.md", r"without `undo`.*? and (`who`.*?)\.")
    assert list_manual_words() - without | more == list_words(create_club_table())
    lobby = find_listed_words("club.md", "`help` lists the commands: in the lobby (.*?); at a table")
    assert {words.split()[0] for words in lobby} == list_words(DIALOGS["lobby"]()) - {"who"}


@pytest.mark.parametrize("name", TABLES)
def test_no_command_hides_an_action(home, name):
    kinds = {action.kind for game in GAMES.values() for action in game.actions}
    assert {words.split()[0] for words in list_words(DIALOGS[name]())} & kinds == set()


@pytest.mark.parametrize(
    ("typed", "result"),
    [
        ("", "again"), ("undo", "undone"), ("UNDO", "undone"), ("undo it", None),
        ("find  Ada Bo", "Ada Bo"), ("find", ""), ("Give up 3", "3"), ("give up", None),
        ("give up 3 4", None), ("give 3", None), ("other", None),
    ],
)  # fmt: skip
def test_input_is_matched_with_commands(typed, result):
    executed = []
    commands = Commands(
        {
            "undo: undo.": {"undo": alone(lambda: executed.append("undone"))},
            "find WORDS: search. give up NUMBER: away.": {
                "find": executed.append,
                "give up": one_word(executed.append),
            },
            "An empty line: again.": {"": lambda _: executed.append("again")},
        }
    )
    if result is None:
        with pytest.raises(UnknownCommand):
            commands.execute(typed)
    else:
        commands.execute(typed)
        assert executed == [result]


def test_result_tells_the_dialog_to_stop_reading():
    commands = Commands({"leave: away. stay: here.": {"leave": alone(lambda: True), "stay": alone(lambda: None)}})
    assert [commands.execute("leave"), commands.execute("stay")] == [True, False]


def test_help_prints_the_lines_of_the_registry(capsys):
    done = alone(lambda: None)
    commands = Commands({"Type a number.\nOr a name.": {}, "quit: leave.": {"quit": done}, "": {"save": done}})
    for typed in ("help", "?", "help me"):
        commands.execute(typed)
        assert capsys.readouterr().out == "Type a number.\nOr a name.\nquit: leave.\n"
