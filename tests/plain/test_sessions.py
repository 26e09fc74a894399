"""Whole sessions over a pipe: to the end, left and resumed, with every command."""

import io
import json
import re
import sys
from datetime import date
from pathlib import Path

import pytest

from cardtable.cli import main as cli
from cardtable.engine.journal import ActionLine
from cardtable.games import KEYS
from cardtable.plain.speech_text import to_ascii
from cardtable.store import archive_index, session_files, settings, summaries
from cardtable.store.session_clocks import Clocks
from cardtable.wording.formatting import format_ordinal
from tests import every_game
from tests.games.bridge.sessions import begin_session
from tests.golden_files import check_golden
from tests.journal_lines import select_lines
from tests.plain.answers import split_prompts
from tests.records.archive_sessions import archive_random_session, write_daily_session

MANUAL = (Path(__file__).parent.parent.parent / "docs" / "manual.md").read_text(encoding="utf-8")
SHORT_OPTIONS = {"rikiki": ("--option", "length=short")}
SEATS = {**every_game.USUAL_SEATS, "bridge": 2}
ALWAYS_FIRST = ["1"] * 5000


def play_arguments(key, *options, seed=7):
    """Return the arguments that begin a session with random robots."""
    return ("play", key, "--seed", seed, "--seats", ",".join(["me", *["random"] * (SEATS[key] - 1)]), *options)


def format_transcript(result, typed):
    """Return the output with the typed line after each prompt, as a terminal shows it."""
    parts = split_prompts(result)
    answers = [*typed, ""][: len(parts) - 1]
    return (
        "".join([part + f"> {answer}".rstrip() + "\n" for part, answer in zip(parts, answers, strict=False)])
        + parts[-1]
    )


def read_journal(folder):
    """Return the lines of the only session in a folder."""
    [path] = folder.glob("*-*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def list_actions(folder):
    """Return the actions of seat 0, the player."""
    return [line["action"] for line in read_journal(folder) if line.get("seat") == 0 and "action" in line]


@pytest.mark.parametrize("key", KEYS)
def test_every_game_is_played_to_its_end(plain, key):
    result = plain(*play_arguments(key, *SHORT_OPTIONS.get(key, ())), typed=ALWAYS_FIRST)
    assert (result.code, result.err) == (0, "")
    [summary] = archive_index.list_finished()
    names = ["You", *[occupant.name for occupant in summary.header.seats[1:]]]
    results = sorted(zip(summary.ranks, names, summary.totals, strict=True))
    *printed, reason = result.lines[-len(results) - 2 :]
    assert printed[0] == "The session is over."
    assert reason == "Not rated: the deal was chosen by number or played again."
    for line, (rank, name, total) in zip(printed[1:], results, strict=True):
        assert re.match(rf"{format_ordinal(rank)}: {name}, {to_ascii(str(total))}( \(.*\d times \d\))?\.$", line)
    assert len(re.findall(r"^Round \d+ is over\. Totals: ", result.out, re.MULTILINE)) == summary.round
    assert result.out.isascii()
    assert "\x1b" not in result.out


@pytest.mark.parametrize("key", KEYS)
def test_golden_first_round(plain, key):
    typed = ["", *["1"] * 14, "sheet", "previous", "help"]
    result = plain(*play_arguments(key), typed=typed)
    text = re.sub(r"\d{8}-\d{6}-\w+-[0-9a-f]+", "ID", format_transcript(result, typed))
    check_golden(f"plain/{key}.txt", text)


def test_example_in_manual_is_exact(plain):
    [example] = re.findall(r"^    cardtable (.+) --plain (.+)\n((?: {4}.*\n)+)", MANUAL, re.MULTILINE)
    typed = re.findall(r"^    > (.+)$", example[2], re.MULTILINE)
    transcript = format_transcript(plain(*example[0].split(), *example[1].split(), typed=typed), typed)
    assert transcript.startswith(re.sub(r"^    ", "", example[2], flags=re.MULTILINE))


def test_end_of_input_quits_at_any_prompt(plain, home):
    for number in range(12):
        result = plain(*play_arguments("king"), typed=["1"] * number)
        assert result.code == 0
        assert result.lines[-1].startswith("Saved. To continue: cardtable resume ")
    unfinished = summaries.list_unfinished()
    assert len(unfinished) == 12
    assert all(summary.error is None for summary in unfinished)


def test_resume_repeats_the_question(plain):
    result = plain(*play_arguments("bridge"), typed=["1", "quit", "1"])
    [id_] = re.findall(r"resume (\S+) --plain", result.out)
    question = split_prompts(result)[1].split("Your hand: ")[1]
    again = plain("resume", id_)
    assert "Bridge, round 1." in again.lines
    assert split_prompts(again)[0].split("Your hand: ")[1] == question
    assert plain("resume").code == 0


def test_undo_before_first_decision(plain):
    result = plain(*play_arguments("rikiki"), typed=["undo"])
    assert "Nothing to undo yet." in result.lines


def test_undo_stops_at_new_cards(plain):
    result = plain(*play_arguments("rikiki", seed=3), typed=["1", "1", "1", "undo"])
    assert "You can't undo that: new cards have been dealt." in result.lines


def test_refusals_have_reasons(plain):
    result = plain(*play_arguments("rikiki"), typed=["play 2C", "99", "dance", "bid"])
    assert [part.split("\n")[0] for part in split_prompts(result)[1:5]] == [
        "You must bid first.",
        "Type 0 or 1, not 99.",
        'I don\'t know "dance" here. Type help.',
        "That could be bid 0 or bid 1.",
    ]


def test_taken_card_must_be_used(plain):
    result = plain(*play_arguments("rummy"), typed=["stock", "drop 2D", "take 2"])
    assert "You must still meld or lay off the queen of hearts." in result.lines


def test_talk_is_recorded_and_repeated(plain, home):
    result = plain(*play_arguments("rikiki"), typed=["talk", "talk well dealt", "talk"])
    assert [part.split("\n")[0] for part in split_prompts(result)[1:4]] == [
        "Nothing has been said yet.", "You: well dealt", "You: well dealt"
    ]  # fmt: skip
    assert [line["say"] for line in read_journal(home / "sessions") if "say" in line] == ["well dealt"]


def test_talk_retains_joiners(plain, home):
    persian, coder = "می\u200cروم", "👩\u200d💻"
    result = plain(*play_arguments("rikiki"), typed=[f"talk {persian} {coder} \u202e\x1b[2J"])
    assert f"You: {persian} 👩💻 \ufffd" in result.lines
    assert [line["say"] for line in read_journal(home / "sessions") if "say" in line] == [f"{persian} {coder} \u202e"]


def test_talk_has_a_limit(plain, home):
    result = plain(*play_arguments("rikiki"), typed=[f"talk {'x' * 201}", f"talk {'y' * 200}"])
    assert split_prompts(result)[1].split("\n")[0] == "That has 201 characters; at most 200 can be said at once."
    assert [line["say"] for line in read_journal(home / "sessions") if "say" in line] == ["y" * 200]


def test_rest_is_played_out_once_decided(plain, home):
    result = plain(*play_arguments("rifki"), typed=[line for _ in range(600) for line in ("rest", "1")])
    assert result.code == 0
    assert "Every play gives the same points." in result.lines
    assert "Can't claim yet: points can still change." in result.lines


def test_same_deal_begins_another_session(plain):
    result = plain(*play_arguments("rikiki"), typed=["bid 1", "again", "yes", "bid 0"])
    first, second = sorted(summaries.iter_unfinished(), key=lambda summary: summary.path.stat().st_mtime_ns)
    assert (first.header.seed, first.header.seats) == (second.header.seed, second.header.seats)
    assert result.out.count("Rikiki. Around the table") == 2
    assert f"cardtable resume {first.header.id}" in result.out


def test_new_session_has_another_deal(plain):
    plain(*play_arguments("bridge"), typed=["new", "yes"])
    first, second = summaries.iter_unfinished()
    assert first.header.seats == second.header.seats
    assert first.header.seed != second.header.seed


def test_another_session_needs_confirmation(plain):
    result = plain(*play_arguments("rikiki"), typed=["again", "no"])
    assert "This session continues." in result.lines
    assert len([*summaries.iter_unfinished()]) == 1


def test_rules_mark_options_in_force(plain):
    result = plain(*play_arguments("rikiki", "--option", "length=short"), typed=["rules"])
    assert "Rikiki" in result.lines
    assert any(line.startswith("At this table: 16 rounds (short)") for line in result.lines)
    assert any(line.startswith("Not at this table: 28 rounds (full") for line in result.lines)
    assert not re.search(r"[`*#]", result.out)


@pytest.mark.parametrize("key", KEYS)
def test_hint_names_the_line_to_type(plain, home, key):
    result = plain(*play_arguments(key), typed=["hint", ""])
    hinted, after = split_prompts(result)[1:3]
    typed = re.search(r"To do that, type ([^.]+)\.$", hinted, re.MULTILINE)[1]
    assert "To do that" not in after, "an empty line describes the table and plays nothing"
    assert list_actions(home / "sessions") == []
    plain("resume", typed=[typed])
    assert len(list_actions(home / "sessions")) == 1


@pytest.mark.parametrize("command", ["hint", "previous", "sheet", "help", "?", "rules", "talk", "undo", ""])
def test_information_changes_nothing(plain, home, command):
    plain(*play_arguments("rikiki"), typed=[command])
    assert list_actions(home / "sessions") == []


def test_hint_lists_values_of_choices(plain):
    result = plain(*play_arguments("rikiki"), typed=["hint", "more"])
    hint, figures = split_prompts(result)[1:3]
    assert hint.startswith("Bid ")
    assert "points better" not in hint, "words come first"
    head, *worth = figures.splitlines()
    assert head == "Points by which each choice is better or worse on average:"
    assert re.fullmatch(r"Bid [01]: \d+\.\d points better, error \d+\.\d+; you make your bid in \d+%; .+\.", worth[0])
    assert re.fullmatch(r"Bid [01]: \d+\.\d points worse, error \d+\.\d+; you make your bid in \d+%; .+\.", worth[1])


def test_hint_states_that_fewer_points_win(plain):
    result = plain(*play_arguments("gurka"), typed=["more"])
    assert "Points by which each choice is better or worse on average; lower is better:" in split_prompts(result)[1]


def test_autoplay_plays_forced_actions(plain, home):
    home.mkdir()
    (home / "settings.toml").write_text("autoplay = true\n")
    assert settings.load()[0].autoplay
    plain(*play_arguments("gurka"), typed=["1"] * 5)
    assert len(list_actions(home / "sessions")) > 5


def test_no_time_left_loses_the_session(plain, home, monkeypatch):
    left = {0: 65, 1: None}
    monkeypatch.setattr(
        Clocks, "get_seat_time_left", lambda clocks, seat: left[seat] and 65 - 65 * clocks._referee.decisions
    )
    result = plain(*play_arguments("rummy", "--option", "clock=1"), typed=["stock"])
    assert "Time left for the session: 1 minute and 5 seconds." in result.lines
    assert result.lines[-5:-1] == [
        "You have no time left: the session is lost.", "The session is over.", "1st: Ada, 0.", "2nd: You, 0."
    ]  # fmt: skip
    assert "forfeit" in read_journal(home / "archive")[-2]


def test_unsaved_session_is_saved_in_another_folder(plain, home, tmp_path):
    home.write_text("a file where the folder should be\n")
    result = plain(*play_arguments("rikiki"), typed=["bid 1", f"save {home}", "1"])
    assert result.lines[-1] == "Not everything is saved."
    assert result.code == 1
    result = plain(*play_arguments("rikiki"), typed=["bid 1", f"save {tmp_path}", "1"])
    assert sum("type save FOLDER to save" in line for line in result.lines) == 1
    assert "Saving works again." in result.lines
    assert result.lines[-1].startswith("Saved. To continue: ")
    assert list_actions(tmp_path) == ["bid 1", "bid 1"]


@pytest.mark.parametrize("line", ["--plain play rikiki", "play --plain rikiki", "play rikiki --plain"])
def test_plain_before_or_after_the_command(capsys, monkeypatch, line):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert cli.run(line.split()) == 0
    assert capsys.readouterr().out.startswith("Rikiki. Around the table, clockwise: You, ")


def test_hot_seat_on_a_pipe_begins_no_session(plain, home):
    result = plain("play", "rikiki", "--seats", "me,person:Anna,random,random")
    assert (result.code, result.out) == (1, "")
    assert result.err == "cardtable: 2 people take turns here, and a pipe cannot hide their hands; use a terminal\n"
    assert not (home / "sessions").exists()


def test_daily_deal_ends_with_result_to_share(plain, home):
    write_daily_session(date(2026, 11, 21), player="Guest")
    assert archive_random_session("gurka", "Guest random random random", seed=16).totals[0] == 40
    path = write_daily_session(date(2026, 11, 22), player="Guest", is_over=False)
    shared = plain("resume", path.stem, typed=ALWAYS_FIRST).lines
    first = shared.index("To share:")
    assert shared[first + 1] == "cardtable, deal of the day, 22 Nov 2026: Gurka"
    assert shared[first + 3].endswith("rounds won, 2 days in a row")
    assert re.fullmatch(r"Your lowest total in Gurka: \d+ \(was 40\)\.", shared[first - 1])
    assert len(shared) == first + 4


@pytest.mark.parametrize(
    ("typed", "actions"),
    [
        ("1", ["eights next"]), ("4", ["bridge", "eights share"]),
        ("bridge and share", ["bridge", "eights share"]), ("bridge eights next", ["bridge", "eights next"]),
        ("eights share", ["eights share"]), ("bridge", ["bridge"]),
    ],
)  # fmt: skip
def test_bridge_and_eights_are_one_question(plain, typed, actions):
    session = begin_session("8C 8D 8H 8S AS", 4)
    session.close()
    result = plain("resume", session.header.id, typed=[typed])
    question, *_ = split_prompts(result)
    assert "3: bridge, and all eights to the next player (this ends the round; your hand counts 15, Ada" in question
    entries = session_files.load_journal(session.path).entries
    assert [line.action for line in select_lines(ActionLine, entries)][4:][: len(actions)] == actions
    if typed == "bridge":
        assert entries[-1].line.action == "bridge", "the rest is asked separately"


def test_hint_names_each_choice_that_calls_bridge(plain):
    session = begin_session("JC JD JH JS AS", 4)
    session.close()
    hint = split_prompts(plain("resume", session.header.id, typed=["hint"]))[1]
    assert "To do that, type 5 or 6." in hint


# --- king and Rifki in plain text: a contract may be changed until the first lead


@pytest.mark.parametrize(
    ("key", "seed", "named", "changed", "expected"),
    [
        ("king", 1, "contract no-tricks", "contract spades", "You name spades as trump instead."),
        ("rifki", 4, "contract kiz", "contract erkek", "You change to Erkek."),
    ],
)
def test_contract_can_be_changed_before_the_first_lead(plain, key, seed, named, changed, expected):
    typed = [named, changed, "1", "quit"]
    out = plain("play", key, "--seats", "me,random,random,random", "--seed", seed, typed=typed)
    _, once, twice, led, _ = out.out.split("> \n")
    assert re.search(r"^\d+: (name|declare) ", once, re.MULTILINE), "contracts are offered beside the cards"
    assert re.search(r"^1: play ", once, re.MULTILINE)
    assert twice.startswith(expected)
    assert re.search(r"^\d+: (name|declare) ", twice, re.MULTILINE), "it can be changed more than once"
    assert not re.search(r"^Contract ", led, re.MULTILINE)


# --- watching robots in plain text, and practice with open hands


WATCH_ARGUMENTS = ("play", "rikiki", "--seats", "random,random,random,random", "--option", "length=short", "--seed", 7)


def test_each_empty_line_is_one_step(plain, home):
    result = plain(*WATCH_ARGUMENTS, typed=[""] * 3)
    assert "You are watching. Press Enter for the next step" in split_prompts(result)[0]
    assert all(re.fullmatch(r"\w+ bids \d\.", part.strip()) for part in split_prompts(result)[1:4])
    assert result.lines[-1].startswith("Saved. To continue: ")
    [summary] = summaries.list_unfinished()
    assert summary.state == "open"


def test_round_and_all_continue_to_their_ends(plain):
    result = plain(*WATCH_ARGUMENTS, typed=["round", "", "all"])
    assert "Round 1 is over. Totals: " in split_prompts(result)[1]
    assert "Round 2 is over." not in split_prompts(result)[2]
    assert "Round 2 is over. Totals: " in split_prompts(result)[3]
    assert "The session is over." in split_prompts(result)[3]
    assert len(archive_index.list_finished()) == 1


def test_commands_while_watching(plain):
    result = plain(*WATCH_ARGUMENTS, typed=["help", "hands", "hint", "undo", "sheet", "play AS", "quit"])
    answers = split_prompts(result)
    assert "An empty line is one step" in answers[1]
    assert re.findall(r"^(\w+): .+\.$", answers[2], re.MULTILINE) == ["Ada", "Bo", "Cy", "Dee"]
    assert "bid" in answers[3].lower()
    assert "where only robots play" in answers[4]
    assert 'I don\'t know "play AS" here.' in answers[6]


PRACTICE_ARGUMENTS = ("play", "king", "--seats", "me,random,random,random", "--seed", 7)


def test_open_hands_only_in_practice(plain):
    result = plain(*PRACTICE_ARGUMENTS, "--option", "open_hands=on", typed=["hands", "quit"])
    first, answer, *_ = split_prompts(result)
    assert re.findall(r"^([A-Z]\w+): .*of ", first, re.MULTILINE) == []
    for name in ("Ada", "Bo", "Cy"):
        assert re.search(rf"^{name}: \S", first, re.MULTILINE)
        assert re.search(rf"^{name}: \S", answer, re.MULTILINE)
    result = plain(*PRACTICE_ARGUMENTS, typed=["hands", "quit"])
    assert "Ada: " not in split_prompts(result)[0]
    assert "The other hands are hidden." in split_prompts(result)[1]


def test_extra_cards_and_finish_in_practice(plain):
    arguments = ("play", "bridge", "--seats", "me,random", "--seed", 7)
    result = plain(*arguments, "--option", "open_hands=on", typed=["give", "undo", "give", "finish", "quit"])
    first, given, undone, again, finished, *_ = split_prompts(result)
    assert "You get an extra card.\nYou draw the " in given
    assert find_hand(undone) == find_hand(first) != find_hand(given) == find_hand(again)
    assert finished.startswith("Robots finish the round.")
    assert "Round 1 is over." in finished
    result = plain(*arguments, typed=["give", "finish", "help", "quit"])
    _, *answers, commands, _ = split_prompts(result)
    assert [answer.split(" here")[0] for answer in answers] == ['I don\'t know "give"', 'I don\'t know "finish"']
    assert "extra" not in commands


def find_hand(text):
    """Return the line of the player's hand."""
    return re.search("^Your hand: .*", text, re.MULTILINE)[0]
