"""Text from outside: as it is stored, as it may be shown in a terminal, and the characters that a person sees in it."""

from typing import Final
from unicodedata import category, normalize

MOST_PATH: Final = 4096
"""Characters of a path; more a system does not take."""
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that are not to be seen, or that would steer the terminal."""
_MOST_COMPOSED: Final = 4
"""How many characters may become one in the normal form."""
_NON_JOINER: Final = "\u200c"
_JOINER: Final = "\u200d"
JOINERS: Final = _NON_JOINER + _JOINER
_VARIATIONS: Final = frozenset(map(chr, range(0xFE00, 0xFE10)))
_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_REGIONAL: Final = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
"""Letters of which two are a flag."""
_ENDING_JAMO: Final = frozenset(map(chr, range(0x1160, 0x1200)))
"""Vowels and final consonants of a Korean syllable in parts."""
_TAGS: Final = frozenset(map(chr, range(0xE0020, 0xE0080)))
"""What follows a flag to name a region."""


def clean(text: str, most: int = 200) -> str:
    """Return the text as a terminal may show it: in NFC, without control and format characters.

    Each of those becomes U+FFFD, but for those that only join characters: terminals disagree how wide the result is.
    An emoji is shown as its parts, a letter without what joins it to the next; only U+200C stays between letters.
    Not longer than `most` characters; where something is left out, the last of them is an ellipsis.
    """
    if len(text) <= most and text.isascii() and text.isprintable():
        return text
    longest = _MOST_COMPOSED * (most + 1)
    shown = _visible(normalize("NFC", text[:longest]))
    is_whole = len(shown) <= most and len(text) <= longest
    return shown if is_whole else shown[: most - 1].rstrip(_NON_JOINER) + "…"


def _visible(text: str) -> str:
    """Return a text without characters that are not to be seen; U+FFFD stands for most of them."""
    text = "".join([char for char in text if char != _JOINER and char not in _VARIATIONS])
    shown: list[str] = []
    for place, char in enumerate(text):
        kind = category(char)
        if char == _NON_JOINER:
            if _is_letter(text[place - 1 : place]) and _is_letter(text[place + 1 : place + 2]):
                shown.append(char)
        elif char in _SKIN_TONES:
            shown += [] if shown and category(shown[-1]) == "So" else ["\ufffd"]
        else:
            shown.append("\ufffd" if kind in _HIDDEN else char)
    return normalize("NFC", "".join(shown))


def _is_letter(char: str) -> bool:
    """Return whether a character is a letter, or a mark of one; '' is none."""
    return bool(char) and category(char)[0] in "LM"


def without_control(text: str) -> str:
    """Return a text in which U+FFFD stands for each character that is not to be seen, but for U+200C.

    What `clean` returns stays as it is: this is for what nobody has cleaned.
    """
    if text.isprintable():
        return text
    return "".join(["\ufffd" if category(char) in _HIDDEN and char != _NON_JOINER else char for char in text])


def one_line(text: str, most: int | None = None) -> str:
    """Return typed text as it is stored: on one line, in NFC, without control characters, of at most `most` characters.

    Ends of lines and tabs become blanks. Format characters stay, such as joiners: what is stored is shown by `clean`.
    """
    if not (text.isascii() and text.isprintable()):
        joined = " ".join(text.splitlines()).replace("\t", " ")
        text = normalize("NFC", "".join([char for char in joined if category(char) not in ("Cc", "Cs")]))
    return text[:most]


def graphemes(text: str) -> list[str]:
    """Return the characters that a person sees (extended grapheme clusters): a letter with its marks, an emoji, a flag.

    Simplified from Unicode Standard Annex 29: no prepended signs, and Korean syllables in parts only as vowels and
    final consonants after a first one.
    """
    found: list[str] = []
    for char in text:
        if found and _continues(found[-1], char):
            found[-1] += char
        else:
            found.append(char)
    return found


def _continues(cluster: str, char: str) -> bool:
    """Return whether a character belongs to the cluster before it."""
    if char < "\u0300":
        return False
    if category(char)[0] == "M" or char in JOINERS or char in _SKIN_TONES or char in _ENDING_JAMO or char in _TAGS:
        return True
    if cluster[-1] == _JOINER:
        return category(char) == "So" == category(cluster[0])
    return char in _REGIONAL and cluster in _REGIONAL


def place(path: object, most: int = 80) -> str:
    """The end of a path as it may be shown; the beginning is left out where it is too long."""
    whole = str(path)
    shown = clean(whole[-most:], most)
    return shown if len(whole) <= most else "…" + shown[1:]
