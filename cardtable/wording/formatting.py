"""Formatting for the screen: lists, numbers, dates, ages, clocks, cards, contracts, docstrings; signs in ASCII."""

import ast
import codecs
import inspect
import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from textwrap import dedent
from types import ModuleType
from typing import Final, TextIO, assert_never
from unicodedata import category, normalize

from cardtable.engine.cards import RANK_TEXT, RANKS, SUIT, SUIT_WORDS, SUITS, Card
from cardtable.engine.cards import card as parse_card
from cardtable.engine.faces import Faces
from cardtable.engine.game import LAST_CARD, CardsTitle, Contract, EndingTitle, HighTitle, Score, Title
from cardtable.engine.text_format import format_count, format_weighted

MINUS: Final = "\u2212"
YOU: Final = "You"
"""Name of the only human player at a table."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_COUNTED: Final = 7
"""Number of days from which an age is shown as a date."""


def join_or(names: Sequence[str]) -> str:
    """Join names with commas and "or": ``Anna``, ``Anna or Tom``, ``Anna, Tom or Zoe``. No names give ``""``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def join_words(words: Sequence[str]) -> str:
    """Join words into a list: ``jack``, ``jack and queen``, ``jack, queen and king``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


_MIN_RANGE_LENGTH: Final = 3
"""Smallest number of successive numbers that is formatted as a range."""


def format_ranges(numbers: Sequence[int]) -> list[str]:
    """Format ascending numbers, with runs as ranges: ``0 to 4``, ``6``, ``7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts: list[str] = []
    for run in runs:
        texts += [f"{run[0]} to {run[-1]}"] if len(run) >= _MIN_RANGE_LENGTH else map(str, run)
    return texts


def format_ordinal(number: int) -> str:
    """Format an ordinal number: ``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


NO_CARD_TEXT: Final = "{} does nothing special now."
"""Sentence on a card that has no effect of its own, given in notation or in words."""


def join_name_and_verb(name: str, third_person: str, second_person: str) -> str:
    """Join a name and a verb: ``Ada deals``, ``You deal``.

    ``third_person`` and ``second_person`` are the two forms of the verb. The latter follows the name ``YOU``.
    """
    return f"{name} {second_person if name == YOU else third_person}"


def format_number(points: int) -> str:
    """Format a number with a typographic minus sign (U+2212) and without a plus sign."""
    return str(points).replace("-", MINUS)


def format_figure(heading: str, number: int) -> str:
    """Format a value of ``Score.figures`` under its heading in ``Game.columns``.

    It is a number with a typographic minus sign, or the rank of a card under the heading ``LAST_CARD``.
    """
    return RANK_TEXT[number - 2] if heading == LAST_CARD and number else format_number(number)


def format_gain(points: int) -> str:
    """Format points scored in a round, with a plus sign or a typographic minus sign. 0 has no sign."""
    return f"+{points}" if points > 0 else format_number(points)


def format_tenths(points: float) -> str:
    """Format expected points with a sign and one decimal place: ``+2.4``."""
    return f"{round(points, 1) + 0.0:+.1f}".replace("-", MINUS)


def format_day(when: date) -> str:
    return f"{when.day} {_MONTHS[when.month - 1]}"


def format_date(when: date) -> str:
    return f"{format_day(when)} {when.year}"


def to_local_time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def get_local_time() -> datetime:
    return datetime.now(UTC).astimezone()


def format_elapsed(then: datetime, now: datetime) -> str:
    """Format the time since ``then`` in words. Both times must be aware, and days begin in the time zone of ``now``.

    The result is a date for 7 days and more. A time in the future results from a change of the clock, and is ``just
    now``.
    """
    passed = now - then
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{format_count(passed // timedelta(minutes=1), 'minute')} ago"
    local = then.astimezone(now.tzinfo)
    days = (now.date() - local.date()).days
    if days == 0:
        return f"{format_count(passed // timedelta(hours=1), 'hour')} ago"
    if days == 1:
        return "yesterday"
    if days < _DAYS_COUNTED:
        return f"{days} days ago"
    return format_day(local) if local.year == now.year else format_date(local)


def format_clock(seconds: float | None) -> str:
    """Format the time left on a clock as minutes and seconds: ``9:05``.

    Negative times are ``0:00``. The result is ``""`` if ``seconds`` is ``None``.
    """
    return "" if seconds is None else "{}:{:02}".format(*divmod(max(int(seconds), 0), 60))


def format_time_left(seconds: float) -> str:
    """Format an estimate of the time left: ``about 20 seconds``, ``about 3 minutes``."""
    if seconds < 55:
        return f"about {format_count(max(10 * round(seconds / 10), 10), 'second')}"
    return f"about {format_count(round(seconds / 60), 'minute')}"


def format_time_loss(name: str) -> str:
    return f"{name} lost on time"


SUIT_SIGNS: Final = "\u2663\u2666\u2665\u2660"
"""Suit symbols, indexed by suit."""
WINNER_MARK: Final = "\u2605"
"""Mark after the card that has won a trick."""
_CARD: Final = re.compile(rf"\b([{RANKS}][{SUITS}])\b")


def format_card(card: Card) -> str:
    """Format a card in running text as its rank and suit symbol: ``10♥``."""
    return RANK_TEXT[card] + SUIT_SIGNS[SUIT[card]]


@lru_cache(1024)
def split_cards(text: str) -> tuple[str | Card, ...]:
    """Split a text at the cards in it, which are in notation.

    The result has texts at even indices and cards at odd ones.
    """
    return tuple([parse_card(part) if index % 2 else part for index, part in enumerate(_CARD.split(text))])


@lru_cache(1024)
def insert_suit_signs(text: str) -> str:
    return "".join([part if isinstance(part, str) else format_card(part) for part in split_cards(text)])


_RANK_WITH_SIGN: Final = re.compile(rf"\b(10|[2-9JQKA])(?=[{SUIT_SIGNS}])")
_RANK_TEXTS: Final = tuple([RANK_TEXT[rank] for rank in range(len(RANKS))])


@lru_cache(1024)
def replace_faces(text: str, faces: Faces, *, as_letters: bool = False) -> str:
    """Replace the suit symbols in a text, and the ranks before them, by those of other faces; the width is the same.

    ``as_letters``: suits become letters.
    """
    marked = _RANK_WITH_SIGN.sub(lambda rank: faces.format_rank(Card(_RANK_TEXTS.index(rank[1]))), text)
    return marked.translate(str.maketrans(SUIT_SIGNS, faces.letters if as_letters else faces.signs))


REPLACEMENT: Final = "?"
"""Replacement for a character without a similar one in ASCII."""
SUIT_LETTERS: Final = str.maketrans("\u2663\u2666\u2665\u2660", "CDHS")
"""Translation table for ``str.translate`` from suit symbols to letters."""
_ASCII_SIGNS: Final = {
    **dict(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True)),
    **dict.fromkeys("★☆•‣", "*"),
    **dict.fromkeys("▲△▴↑", "^"),
    **dict.fromkeys("▼▽▾↓✓✔", "v"),
    **dict.fromkeys("▌▸▶►→›»⇒", ">"),
    **dict.fromkeys("◂◀◄←‹«⇐", "<"),
    **dict.fromkeys("●○◉◎◓◦◌◆◇↺↻⟲⟳", "o"),
    **dict.fromkeys("■▅▆▇█▄▪◼▙▛▜▟▚▞", "#"),
    **dict.fromkeys("□▫▁▂·∙⋅▖▗", "."),
    **dict.fromkeys("▃▀╸╺−–—‒―─╌┄┈‐‑", "-"),
    **dict.fromkeys("━═≈", "="),
    **dict.fromkeys("▏▕▎▍▋▊▉▐│┃║╎┆┊¦", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝┏┓┗┛╋†", "+"),
    **dict.fromkeys("╳×✗✘✕", "x"),
    **dict.fromkeys("↖↘╲", "\\"),
    **dict.fromkeys("↗↙╱", "/"),
    **dict.fromkeys("…±½", "~"),
    **dict.fromkeys("░▒", ":"),
    **dict.fromkeys("▓", "%"),
    "∪": "u",
    **dict.fromkeys("⏎↵", "<"),
    **dict.fromkeys("‘’‚′´▘▝", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict(zip("ßøØłŁđĐðÐþÞıæÆœŒ", "soOlLdDdDtTiaAoO", strict=True)),
}
_BRAILLE: Final = range(0x2801, 0x2900)
_UPPER, _LOWER = 0x1B, 0xE4
"""Bit masks of the dots in the upper and lower halves of a braille character."""


@cache
def to_ascii(char: str) -> str:
    """Return the ASCII character that is most similar to ``char``.

    The result is ``""`` for a combining mark, and ``REPLACEMENT`` if there is no similar character.
    """
    if char.isascii():
        return char
    if char in _ASCII_SIGNS:
        return _ASCII_SIGNS[char]
    if ord(char) in _BRAILLE:
        return _convert_braille(ord(char))
    if category(char) in ("Mn", "Me"):
        return ""
    if category(char) == "Zs" or char == "\u2800":
        return " "
    plain = [part for part in normalize("NFKD", char) if part.isascii()]
    return plain[0] if len(plain) == 1 else REPLACEMENT


def _convert_braille(braille: int) -> str:
    """Return an ASCII character for the braille dots of a plot, according to their height."""
    upper, lower = braille & _UPPER, braille & _LOWER
    return ":" if upper and lower else "'" if upper else "."


def to_ascii_text(text: str) -> str:
    return text if text.isascii() else "".join(map(to_ascii, text))


NO_TRUMP: Final = "–"
"""Sign in place of the trump suit in a round without trumps."""


def format_weighted_title(score: Score, *, short: bool = False) -> str:
    """Format the title of a finished round with its weight in the totals, unless that is 1.

    With ``short``, contracts have their short names.
    """
    return format_weighted(format_round_title(score.title, short=short), score.weight)


def format_round_title(title: Title, *, short: bool = False) -> str:
    """Format a title with suit symbols: ``5♥``, ``Trump ♥``. With ``short``, contracts have their short names."""
    match title:
        case CardsTitle(trump=None):
            return f"{title.cards}{NO_TRUMP if title.no_trump else ''}"
        case CardsTitle(cards, int(trump)):
            return f"{cards}{SUIT_SIGNS[trump]}"
        case Contract(name, int(trump)):
            return f"{name} {SUIT_SIGNS[trump]}"
        case Contract():
            return (short and title.short) or title.name
        case HighTitle():
            return f"{RANK_TEXT[title.rank]} high"
        case CardsTitle() | EndingTitle():
            return str(title)
        case _:
            assert_never(title)


def describe_title(title: Title) -> str:
    """Return a title in words, such as ``5 cards, hearts are trump`` or ``Trump hearts``.

    The result is ``""`` for titles that are neither ``CardsTitle`` nor ``Contract``.
    """
    match title:
        case CardsTitle():
            trump = f", {describe_trump(title.trump)}" if title.trump is not None or title.no_trump else ""
            return f"{format_count(title.cards, 'card')}{trump}"
        case Contract():
            return title.words
        case EndingTitle() | HighTitle():
            return ""
        case _:
            assert_never(title)


def describe_trump(trump: int | None) -> str:
    """Return a text about the trump suit, such as ``hearts are trump``, or ``no trump`` if ``trump`` is ``None``."""
    return "no trump" if trump is None else f"{SUIT_WORDS[trump]}s are trump"


_ERROR_HANDLER: Final = "cardtable.similar"


def measure_terminal(stream: TextIO | None) -> tuple[int, int]:
    """Return the columns and rows of the terminal that a stream writes to; 0 and 0 if it is none or does not know them.

    ``COLUMNS`` and ``LINES`` do not count, since a shell may have exported them before the window was resized.
    """
    try:
        return os.get_terminal_size(stream.fileno()) if stream else (0, 0)
    except (OSError, ValueError, AttributeError):  # also of a stream that is closed, or of a test
        return 0, 0


def print_similar_characters(stream: TextIO | None, encoding: str | None = None) -> None:
    """Print the most similar ASCII characters in place of those that the encoding of a stream lacks.

    The suits become letters. ``encoding`` replaces the encoding of the stream. A stream that cannot be reconfigured,
    such as one of a test, stays as it is.
    """
    codecs.register_error(_ERROR_HANDLER, _replace_unencodable)
    if stream is not None and hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding=encoding, errors=_ERROR_HANDLER)


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return to_ascii_text(error.object[error.start : error.end]), error.end


def read_docstring(documented: ModuleType | type | Callable[..., object]) -> str:
    """Return the docstring of a module, class or function without indentation; empty if there is none.

    It is read from the source if the running code has none.
    """
    docstring = _read_from_source(documented) if documented.__doc__ is None else documented.__doc__
    return inspect.cleandoc(docstring) if isinstance(docstring, str) else ""  # a module may set it to anything


def read_summary(documented: type | Callable[..., object]) -> str:
    return read_docstring(documented).partition("\n")[0]


def _read_from_source(documented: ModuleType | type | Callable[..., object]) -> str | None:
    try:
        tree = ast.parse(dedent(inspect.getsource(documented)))
    except (OSError, SyntaxError, TypeError):
        return None
    node = tree if isinstance(documented, ModuleType) else tree.body[0]
    assert isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    return ast.get_docstring(node)
