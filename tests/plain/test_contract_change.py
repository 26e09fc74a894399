"""King and Rifki in plain text: a contract may be changed until the first lead."""

import re

import pytest


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
