"""What was played in a round, with the signs of suits and in words."""

from typing import Final

from cardtable.engine.cards import RANK_TOLD, SUIT_WORDS
from cardtable.engine.contract import Score
from cardtable.engine.titles import CardsTitle, Contract, HighTitle, Title
from cardtable.engine.words import counted, weighted
from cardtable.wording.cards import SUIT_SIGNS

NO_TRUMP: Final = "–"
"""Stands for the trump suit where there is none."""


def deal(score: Score, *, short: bool = False) -> str:
    """What a finished round was, and how many times its points count unless that is once; ``short`` as in ``shown``."""
    return weighted(shown(score.title, short=short), score.weight)


def shown(title: Title, *, short: bool = False) -> str:
    """With the signs of suits: ``5♥``, ``Trump ♥``; ``short`` where room is scarce: ``Tricks``."""
    match title:
        case CardsTitle(trump=None):
            return f"{title.cards}{NO_TRUMP * title.no_trump}"
        case CardsTitle(cards, int(trump)):
            return f"{cards}{SUIT_SIGNS[trump]}"
        case Contract(name, int(trump)):
            return f"{name} {SUIT_SIGNS[trump]}"
        case Contract():
            return (short and title.short) or title.name
        case HighTitle():
            return f"{RANK_TOLD[title.rank]} high"
    return str(title)


def in_words(title: Title) -> str:
    """``5 cards, hearts are trump``, ``Trump hearts``; nothing of a round that is as all others are."""
    match title:
        case CardsTitle():
            known = title.trump is not None or title.no_trump
            return f"{counted(title.cards, 'card')}{f', {trump_words(title.trump)}' * known}"
        case Contract():
            return title.words
    return ""


def trump_words(trump: int | None) -> str:
    """Which suit is trump, if one is."""
    return "no trump" if trump is None else f"{SUIT_WORDS[trump]}s are trump"
