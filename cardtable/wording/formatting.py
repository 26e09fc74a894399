"""Words for people: who does what, numbers, dates, how long ago, clocks."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from typing import Final
from unicodedata import category, normalize

from cardtable.engine.cards import RANK_TOLD, RANKS, SUIT, SUIT_WORDS, SUITS, Card
from cardtable.engine.cards import card as named
from cardtable.engine.game import LAST_CARD, CardsTitle, Contract, HighTitle, Score, Title
from cardtable.engine.text_format import counted, weighted

MINUS: Final = "\u2212"
YOU: Final = "You"
"""What the only person at a table is called."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_COUNTED: Final = 7
"""Up to here days are counted, from here on the date is named."""


def either(names: Sequence[str]) -> str:
    """``Anna``, ``Anna or Tom``, ``Anna, Tom or Zoe``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def ordinal(number: int) -> str:
    """A place: ``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def does(name: str, they: str, you: str) -> str:
    """Who does what: ``Ada deals``, ``You deal``."""
    return f"{name} {you if name == YOU else they}"


def signed(points: int) -> str:
    """A number with a true minus sign, and no plus."""
    return str(points).replace("-", MINUS)


def figure(heading: str, number: int) -> str:
    """What stands under a heading of ``Game.columns``: a number with a true minus sign, or a card by its rank."""
    return RANK_TOLD[number - 2] if heading == LAST_CARD and number else signed(number)


def gained(points: int) -> str:
    """Points of a round: unlike totals with a plus."""
    return f"+{points}" if points > 0 else signed(points)


def tenths(points: float) -> str:
    """Points that are to be expected, with a sign: ``+2.4``."""
    return f"{round(points, 1) + 0.0:+.1f}".replace("-", MINUS)


def day(when: date) -> str:
    """A day of this year: ``12 Nov``."""
    return f"{when.day} {_MONTHS[when.month - 1]}"


def age(then: datetime, now: datetime) -> str:
    """How long ago ``then`` was, as people say it; both know their time zone, days are those of ``now``.

    A time to come is taken for a clock that was set, and is ``just now``.
    """
    passed = now - then
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{counted(passed // timedelta(minutes=1), 'minute')} ago"
    local = then.astimezone(now.tzinfo)
    days = (now.date() - local.date()).days
    if days == 0:
        return f"{counted(passed // timedelta(hours=1), 'hour')} ago"
    if days == 1:
        return "yesterday"
    if days < _DAYS_COUNTED:
        return f"{days} days ago"
    return day(local) if local.year == now.year else f"{day(local)} {local.year}"


def minutes(seconds: float | None) -> str:
    """Time on a clock: ``9:05``; nothing where there is none."""
    return "" if seconds is None else "{}:{:02}".format(*divmod(max(int(seconds), 0), 60))


def lost_on_time(who: str) -> str:
    """That somebody's clock ran out, which has lost the session."""
    return f"{who} lost on time"


SUIT_SIGNS: Final = "\u2663\u2666\u2665\u2660"
"""The suits as signs, in their order."""
STAR: Final = "\u2605"
"""Follows the card that took a trick."""
_CARD: Final = re.compile(rf"\b([{RANKS}][{SUITS}])\b")


def label(card: Card) -> str:
    """A card in running text, such as 10 and a heart."""
    return RANK_TOLD[card] + SUIT_SIGNS[SUIT[card]]


@lru_cache(1024)
def parts(text: str) -> tuple[str | Card, ...]:
    """A text with its cards apart: what stands before, between and after them alternates with them."""
    return tuple([named(part) if place % 2 else part for place, part in enumerate(_CARD.split(text))])


@lru_cache(1024)
def written(text: str) -> str:
    """A text with its cards as they are to be read."""
    return "".join([part if isinstance(part, str) else label(part) for part in parts(text)])


UNKNOWN: Final = "?"
"""Stands for a sign or letter that nothing in ASCII is like."""
SUIT_LETTERS: Final = str.maketrans("\u2663\u2666\u2665\u2660", "CDHS")
"""Suits as letters, for ``str.translate``."""
_SIGNS: Final = {
    **dict(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True)),
    **dict.fromkeys("★☆•‣", "*"),
    **dict.fromkeys("▲△▴↑", "^"),
    **dict.fromkeys("▼▽▾↓", "v"),
    **dict.fromkeys("▌▸▶►→›»⇒", ">"),
    **dict.fromkeys("◂◀◄←‹«⇐", "<"),
    **dict.fromkeys("●○◉◦◌◆◇↺↻⟲⟳", "o"),
    **dict.fromkeys("■▅▆▇█▄▪◼", "#"),
    **dict.fromkeys("□▫▁▂·∙⋅", "."),
    **dict.fromkeys("▃▀╸╺−–—‒―─╌┄┈‐‑", "-"),
    **dict.fromkeys("━═≈", "="),
    **dict.fromkeys("▏▕▎▍▋▊▉▐│┃║╎┆┊¦", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝┏┓┗┛✓✔", "+"),
    **dict.fromkeys("╳×✗✘✕", "x"),
    **dict.fromkeys("↖↘╲", "\\"),
    **dict.fromkeys("↗↙╱", "/"),
    **dict.fromkeys("…±", "~"),
    **dict.fromkeys("░▒", ":"),
    **dict.fromkeys("▓", "%"),
    **dict.fromkeys("⏎↵", "<"),
    **dict.fromkeys("‘’‚′´", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict(zip("ßøØłŁđĐðÐþÞıæÆœŒ", "soOlLdDdDtTiaAoO", strict=True)),
}
_BRAILLE: Final = range(0x2801, 0x2900)
_UPPER, _LOWER = 0x1B, 0xE4
"""The bits of the dots in the upper and in the lower half of a braille sign."""


@cache
def letter(char: str) -> str:
    """What is like a character in ASCII: one character; none for what adds to the one before it."""
    if char.isascii():
        return char
    if char in _SIGNS:
        return _SIGNS[char]
    if ord(char) in _BRAILLE:
        return _dots(ord(char))
    if category(char) in ("Mn", "Me"):
        return ""
    if category(char) == "Zs" or char == "\u2800":
        return " "
    plain = [part for part in normalize("NFKD", char) if part.isascii()]
    return plain[0] if len(plain) == 1 else UNKNOWN


def _dots(braille: int) -> str:
    """A sign for the dots of a plot, by the height they are at."""
    upper, lower = braille & _UPPER, braille & _LOWER
    return ":" if upper and lower else "'" if upper else "."


def in_ascii(text: str) -> str:
    """A text without anything beyond ASCII."""
    return text if text.isascii() else "".join(map(letter, text))


NO_TRUMP: Final = "–"
"""Stands for the trump suit where there is none."""


def deal(score: Score, *, short: bool = False) -> str:
    """What a finished round was, and how many times its points count unless that is once; ``short`` as in ``shown``."""
    return weighted(shown(score.title, short=short), score.weight)


def shown(title: Title, *, short: bool = False) -> str:
    """With the signs of suits: ``5♥``, ``Trump ♥``; ``short`` where room is scarce: ``TrickGameView``."""
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
