"""Watching robots in plain text, and practice with open hands."""

import re

from cardtable.store import archive_index, summaries
from tests.plain.answers import split_prompts

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


def test_resumes_where_it_was_left(plain):
    plain(*WATCH_ARGUMENTS, typed=["round"])
    result = plain("resume", typed=["round"])
    assert "Round 2 is over." in split_prompts(result)[1]


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
