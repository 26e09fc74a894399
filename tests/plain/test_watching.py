"""Watching robots in plain text, and practice with open hands."""

import re

from cardtable.store import archive_index, sessions

ROBOTS = ("play", "rikiki", "--seats", "random,random,random,random", "--option", "length=short", "--seed", 7)


def parts(result):
    """Split the output at its prompts."""
    return result.out.split("> \n")


def test_each_empty_line_is_one_step(plain, home):
    result = plain(*ROBOTS, typed=[""] * 3)
    assert "You watch. Press Enter for the next step" in parts(result)[0]
    assert all(re.fullmatch(r"\w+ bids \d\.", part.strip()) for part in parts(result)[1:4])
    assert result.lines[-1].startswith("Everything is kept.")
    [summary] = sessions.list_unfinished()
    assert summary.state == "open"


def test_round_plays_on_to_the_end_of_the_round_and_all_to_that_of_the_session(plain):
    result = plain(*ROBOTS, typed=["round", "", "all"])
    assert "Round 1 is over. Totals: " in parts(result)[1]
    assert "Round 2 is over." not in parts(result)[2]
    assert "Round 2 is over. Totals: " in parts(result)[3]
    assert "The session is over." in parts(result)[3]
    assert len(archive_index.list_finished()) == 1


def test_what_can_be_asked_while_watching(plain):
    result = plain(*ROBOTS, typed=["help", "hands", "hint", "undo", "sheet", "play AS", "quit"])
    answers = parts(result)
    assert "An empty line is one step" in answers[1]
    assert re.findall(r"^(\w+): .+\.$", answers[2], re.MULTILINE) == ["Ada", "Bo", "Cy", "Dee"]
    assert "bid" in answers[3].lower()
    assert "where robots play" in answers[4]
    assert "That is not possible here: play AS." in answers[6]


def test_what_was_left_is_gone_on_with(plain):
    plain(*ROBOTS, typed=["round"])
    result = plain("resume", typed=["round"])
    assert "Round 2 is over." in parts(result)[1]


PRACTICE = ("play", "king", "--seats", "me,random,random,random", "--seed", 7)


def test_in_practice_the_hands_of_the_others_are_told_and_else_not(plain):
    result = plain(*PRACTICE, "--option", "open_hands=on", typed=["hands", "quit"])
    first, answer, *_ = parts(result)
    assert re.findall(r"^(\w+): .*of ", first, re.MULTILINE) == []
    for name in ("Ada", "Bo", "Cy"):
        assert re.search(rf"^{name}: \S", first, re.MULTILINE)
        assert re.search(rf"^{name}: \S", answer, re.MULTILINE)
    result = plain(*PRACTICE, typed=["hands", "quit"])
    assert "Ada: " not in parts(result)[0]
    assert "The hands of the others are closed." in parts(result)[1]
