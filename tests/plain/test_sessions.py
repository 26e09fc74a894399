"""Whole sessions over a pipe: to the end, left and resumed, with every command."""

import io
import json
import re
import sys
from pathlib import Path

import pytest

from cardtable.cli import main as cli
from cardtable.games import KEYS
from cardtable.plain.speech_text import to_ascii
from cardtable.store import archive_index, sessions, settings
from cardtable.store.sessions import Clocks
from tests import every_game
from tests.golden_files import check

MANUAL = (Path(__file__).parent.parent.parent / "docs" / "manual.md").read_text(encoding="utf-8")
SHORT = {"rikiki": ("--option", "length=short")}
SEATS = {**every_game.SEATS, "bridge": 2}
EVER = ["1"] * 5000


def begin(key, *more, seed=7):
    """Return the arguments that begin a session with random robots."""
    return ("play", key, "--seed", seed, "--seats", ",".join(["me", *["random"] * (SEATS[key] - 1)]), *more)


def asked(result):
    """Split the output at its prompts."""
    return result.out.split("> \n")


def transcript(result, typed):
    """Return the output with the typed line after each prompt, as a terminal shows it."""
    parts = asked(result)
    answers = [*typed, ""][: len(parts) - 1]
    return (
        "".join([part + f"> {answer}".rstrip() + "\n" for part, answer in zip(parts, answers, strict=False)])
        + parts[-1]
    )


def journal(folder):
    """Return the lines of the only session in a folder."""
    [path] = folder.glob("*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def actions(folder):
    """Return the actions of seat 0, the player."""
    return [line["action"] for line in journal(folder) if line.get("seat") == 0 and "action" in line]


@pytest.mark.promise("Plain text", "Every game can be played to its end in plain text by typing 1.")
@pytest.mark.parametrize("key", KEYS)
def test_every_game_is_played_to_its_end_by_saying_1(plain, key):
    result = plain(*begin(key, *SHORT.get(key, ())), typed=EVER)
    assert (result.code, result.err) == (0, "")
    [summary] = archive_index.list_finished()
    names = ["You", *[who.name for who in summary.header.seats[1:]]]
    results = sorted(zip(summary.ranks, names, summary.totals, strict=True))
    *said, reason = result.lines[-len(results) - 2 :]
    assert said[0] == "The session is over."
    assert reason == "Not rated: the deal was chosen or played again."
    for line, (rank, name, total) in zip(said[1:], results, strict=True):
        assert re.match(rf"Place {rank}: {name}, {to_ascii(str(total))}(, \d times \d+)?\.$", line)
    assert len(re.findall(r"^Round \d+ is over\. Totals: ", result.out, re.MULTILINE)) == summary.round
    assert result.out.isascii()
    assert "\x1b" not in result.out


@pytest.mark.promise(
    "Plain text", "Plain text describes every position in words, explains every choice and understands what it lists."
)
@pytest.mark.parametrize("key", KEYS)
def test_a_first_round_looks_as_written_down(plain, key):
    typed = ["", *["1"] * 14, "sheet", "previous", "help"]
    result = plain(*begin(key), typed=typed)
    text = re.sub(r"\d{8}-\d{6}-\w+-[0-9a-f]+", "ID", transcript(result, typed))
    check(f"plain/{key}.txt", text)


@pytest.mark.promise("Plain text", "The example of plain text in the manual is exact.")
def test_the_example_in_the_manual_is_what_happens(plain):
    [example] = re.findall(r"^    cardtable (.+) --plain (.+)\n((?: {4}.*\n)+)", MANUAL, re.MULTILINE)
    typed = re.findall(r"^    > (.+)$", example[2], re.MULTILINE)
    found = transcript(plain(*example[0].split(), *example[1].split(), typed=typed), typed)
    assert found.startswith(re.sub(r"^    ", "", example[2], flags=re.MULTILINE))


def test_what_is_typed_is_in_the_journal(plain, home):
    plain(*begin("ten_down"), typed=["bid 4", "1"])
    first, second = actions(home / "sessions")
    assert first == "bid 4"
    assert second.startswith("play ")


def test_the_end_of_input_is_quit_at_any_prompt(plain, home):
    for number in range(12):
        result = plain(*begin("king"), typed=["1"] * number)
        assert result.code == 0
        assert result.lines[-1].startswith("Everything is kept. cardtable resume ")
    unfinished = sessions.list_unfinished()
    assert len(unfinished) == 12
    assert all(summary.trouble is None for summary in unfinished)


def test_quit_and_resume_go_on_where_it_was(plain):
    result = plain(*begin("bridge"), typed=["1", "quit", "1"])
    [id_] = re.findall(r"resume (\S+) --plain", result.out)
    question = asked(result)[1].split("Your hand: ")[1]
    again = plain("resume", id_)
    assert "Bridge, round 1." in again.lines
    assert asked(again)[0].split("Your hand: ")[1] == question
    assert plain("resume").code == 0


def mine(folder):
    """Return the actions and undos of the player, in order."""
    return [line.get("action", "undo") for line in journal(folder) if line.get("seat") == 0 or "undo" in line]


def test_undo_takes_back_the_last_own_decision(plain, home):
    result = plain(*begin("ten_down"), typed=["bid 4", "undo", "bid 3"])
    assert "Taken back." in result.lines
    assert mine(home / "sessions") == ["bid 4", "undo", "bid 3"]


def test_undo_never_passes_new_cards(plain):
    result = plain(*begin("rikiki"), typed=["undo"])
    assert "There is no way back: new cards have come." in result.lines


def test_undo_goes_back_behind_what_needed_no_word(plain, home):
    """In Bridge the end of a turn is played automatically when nothing else is legal."""
    result = plain(*begin("bridge"), typed=["1", "undo", "1"])
    assert "Taken back." in result.lines
    first, done, undo, again, *_ = mine(home / "sessions")
    assert (done, undo, again) == ("done", "undo", first)


def test_a_refusal_says_why_in_a_line(plain):
    result = plain(*begin("rikiki"), typed=["play 2C", "99", "dance", "bid"])
    assert [part.split("\n")[0] for part in asked(result)[1:5]] == [
        "You must bid first.",
        "Type 0 or 1, not 99.",
        "I do not understand: dance. Type help.",
        "That could be bid 0 or bid 1.",
    ]


def test_the_card_that_must_be_used_is_told(plain):
    result = plain(*begin("rummy"), typed=["stock", "drop 2D", "take 2"])
    assert "Queen of hearts must still be melded or added." in result.lines


def test_talk_is_kept_and_can_be_heard(plain, home):
    result = plain(*begin("rikiki"), typed=["talk", "talk well dealt", "talk"])
    assert [part.split("\n")[0] for part in asked(result)[1:4]] == [
        "Nothing has been said yet.", "You: well dealt", "You: well dealt"
    ]  # fmt: skip
    assert [line["say"] for line in journal(home / "sessions") if "say" in line] == ["well dealt"]


def test_talk_keeps_its_joiners(plain, home):
    persian, coder = "می\u200cروم", "👩\u200d💻"
    result = plain(*begin("rikiki"), typed=[f"talk {persian} {coder} \u202e\x1b[2J"])
    assert f"You: {persian} 👩💻 \ufffd" in result.lines
    assert [line["say"] for line in journal(home / "sessions") if "say" in line] == [f"{persian} {coder} \u202e"]


def test_talk_has_a_limit_that_is_said(plain, home):
    result = plain(*begin("rikiki"), typed=[f"talk {'x' * 201}", f"talk {'y' * 200}"])
    assert asked(result)[1].split("\n")[0] == "At most 200 characters can be said at once; these are 201."
    assert [line["say"] for line in journal(home / "sessions") if "say" in line] == ["y" * 200]


def test_what_no_play_can_change_is_played_out(plain, home):
    result = plain(*begin("rifki"), typed=[line for _ in range(600) for line in ("rest", "1")])
    assert result.code == 0
    assert "Every play gives the same points." in result.lines
    assert "The rest is not yet decided." in result.lines


def test_where_there_are_no_tricks_there_is_no_rest(plain):
    result = plain(*begin("bridge"), typed=["rest"])
    assert "There are no tricks in Bridge." in result.lines


def test_the_same_deal_again_is_another_session_and_this_one_is_kept(plain):
    result = plain(*begin("rikiki"), typed=["bid 1", "again", "yes", "bid 0"])
    first, second = sorted(sessions.iter_unfinished(), key=lambda summary: summary.path.stat().st_mtime_ns)
    assert (first.header.seed, first.header.seats) == (second.header.seed, second.header.seats)
    assert result.out.count("Rikiki. Around the table") == 2
    assert f"cardtable resume {first.header.id}" in result.out


def test_a_new_session_has_another_deal(plain):
    plain(*begin("bridge"), typed=["new", "yes"])
    first, second = sessions.iter_unfinished()
    assert first.header.seats == second.header.seats
    assert first.header.seed != second.header.seed


def test_another_session_begins_only_after_a_yes(plain):
    result = plain(*begin("rikiki"), typed=["again", "no"])
    assert "This session goes on." in result.lines
    assert len([*sessions.iter_unfinished()]) == 1


def test_rules_mark_what_is_in_force(plain):
    result = plain(*begin("rikiki", "--option", "length=short"), typed=["rules"])
    assert "Rikiki" in result.lines
    assert any(line.startswith("in force: short") for line in result.lines)
    assert any(line.startswith("not in force: full") for line in result.lines)
    assert not re.search(r"[`*#]", result.out)


@pytest.mark.parametrize("key", KEYS)
def test_hint_in_lines_says_what_to_type(plain, home, key):
    result = plain(*begin(key), typed=["hint", ""])
    hinted, after = asked(result)[1:3]
    typed = re.search(r"To do that, type ([^.]+)\. An empty line plays nothing", hinted)[1]
    assert "To do that" not in after, "the empty line tells how things stand"
    assert actions(home / "sessions") == []
    plain("resume", typed=[typed])
    assert len(actions(home / "sessions")) == 1


@pytest.mark.promise("Plain text", "In plain text, asking for information changes nothing.")
@pytest.mark.parametrize("command", ["hint", "previous", "sheet", "help", "?", "rules", "talk", "undo", ""])
def test_asking_changes_nothing(plain, home, command):
    plain(*begin("rikiki"), typed=[command])
    assert actions(home / "sessions") == []


def test_a_hint_says_what_to_do_and_what_else_is_worth(plain):
    result = plain(*begin("rikiki"), typed=["hint"])
    sentence, head, *worth = asked(result)[1].splitlines()
    assert sentence.startswith("Bid ")
    assert head == "Points by which each choice is better or worse on average:"
    assert re.fullmatch(r"Bid [01]: \d+\.\d points better; you make it in \d+ %; .+\.", worth[0])
    assert re.fullmatch(r"Bid [01]: \d+\.\d points worse; you make it in \d+ %; .+\.", worth[1])


def test_a_hint_where_fewer_points_win_says_so(plain):
    result = plain(*begin("gurka"), typed=["hint"])
    assert "Points by which each choice is better or worse on average; fewer points win:" in asked(result)[1]


@pytest.mark.parametrize("key", KEYS)
def test_a_hint_is_a_sentence_in_every_game(plain, home, key):
    result = plain(*begin(key), typed=["hint"])
    lines = asked(result)[1].splitlines()
    assert lines[0].endswith(".")
    assert ": " in lines[0]
    assert result.out.isascii()
    assert actions(home / "sessions") == []


def test_the_only_action_is_played_by_itself_where_that_is_set(plain, home):
    home.mkdir()
    (home / "settings.toml").write_text("autoplay = true\n")
    assert settings.load()[0].autoplay
    plain(*begin("gurka"), typed=["1"] * 5)
    assert len(actions(home / "sessions")) > 5


def test_a_round_that_took_too_long_is_dealt_again(plain, home, monkeypatch):
    def of_round(clocks):
        return 0 if clocks._referee.decisions and clocks._referee._last_void == (0, 0) else 60

    monkeypatch.setattr(Clocks, "round_time_left", property(of_round))
    result = plain(*begin("ten_down", "--option", "round_clock=1"), typed=["bid 1", "1"])
    assert "Time left for this round: 1 minute and 0 seconds." in result.lines
    assert "Time is up: the round is dealt again." in result.lines
    assert [line["void"] for line in journal(home / "sessions") if "void" in line] == ["clock"]


def test_who_has_no_time_left_has_lost(plain, home, monkeypatch):
    left = {0: 65, 1: None}
    monkeypatch.setattr(
        Clocks, "get_seat_time_left", lambda clocks, seat: left[seat] and 65 - 65 * clocks._referee.decisions
    )
    result = plain(*begin("rummy", "--option", "clock=1"), typed=["stock"])
    assert "Time left for the session: 1 minute and 5 seconds." in result.lines
    assert result.lines[-5:-1] == [
        "You have no time left: the session is lost.", "The session is over.", "Place 1: Ada, 0.", "Place 2: You, 0."
    ]  # fmt: skip
    assert "forfeit" in journal(home / "archive")[-2]


def test_what_cannot_be_saved_is_told_and_can_be_saved_elsewhere(plain, home, tmp_path):
    home.write_text("a file where the folder should be\n")
    result = plain(*begin("rikiki"), typed=["bid 1", f"save {home}", "1"])
    assert result.lines[-1] == "Not everything is kept."
    assert result.code == 1
    result = plain(*begin("rikiki"), typed=["bid 1", f"save {tmp_path}", "1"])
    assert sum("type save FOLDER to keep" in line for line in result.lines) == 1
    assert "Saving works again." in result.lines
    assert result.lines[-1].startswith("Everything is kept.")
    assert actions(tmp_path) == ["bid 1", "bid 1"]


@pytest.mark.parametrize("line", ["--plain play rikiki", "play --plain rikiki", "play rikiki --plain"])
def test_the_word_for_it_stands_before_or_after_the_command(capsys, monkeypatch, line):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert cli.run(line.split()) == 0
    assert capsys.readouterr().out.startswith("Rikiki. Around the table, clockwise: You, ")


@pytest.mark.promise("Plain text", "In plain text a hot seat is refused on a pipe, and no session is created.")
def test_hot_seat_is_refused_on_a_pipe_and_nothing_begun(plain, home):
    result = plain("play", "rikiki", "--seats", "me,person:Anna,random,random")
    assert (result.code, result.out) == (1, "")
    assert result.err == "cardtable: 2 people take turns here, and a pipe cannot hide their hands; use a terminal\n"
    assert not (home / "sessions").exists()
