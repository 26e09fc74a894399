"""Handling of text from outside the program, and small formatters.

Text is normalised for storage, sanitised for the terminal and split into grapheme clusters.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from math import floor, inf, log10
from typing import Final
from unicodedata import category, name, normalize

MAX_PATH_LENGTH: Final = 4096
"""Maximum length of a path in characters; operating systems accept no longer ones."""
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that are invisible or could control the terminal."""
_MAX_NFC_SEQUENCE_LENGTH: Final = 4
"""Maximum number of characters that NFC composes into one."""
_NON_JOINER: Final = "\u200c"
_JOINER: Final = "\u200d"
JOINERS: Final = _NON_JOINER + _JOINER
_VARIATIONS: Final = frozenset(map(chr, range(0xFE00, 0xFE10)))
_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_REGIONAL: Final = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
"""Regional indicators, two of which form a flag."""
_ENDING_JAMO: Final = frozenset(map(chr, range(0x1160, 0x1200)))
"""Vowels and final consonants of decomposed Korean syllables."""
_TAGS: Final = frozenset(map(chr, range(0xE0020, 0xE0080)))
"""Tag characters, which follow a flag to name a region."""


def sanitize(text: str, max_length: int = 200) -> str:
    """Return the text in NFC without control and format characters, so that it is safe to show in a terminal.

    These characters become U+FFFD. Joining characters are removed instead, because terminals disagree about the width
    of the result: an emoji sequence is shown as its parts, and a letter without its link to the next one. Only U+200C
    is preserved between letters. The result has at most ``max_length`` characters; if text is cut off, the last one is
    an ellipsis.
    """
    if len(text) <= max_length and text.isascii() and text.isprintable():
        return text
    longest = _MAX_NFC_SEQUENCE_LENGTH * (max_length + 1)
    clean = _replace_invisible(normalize("NFC", text[:longest]))
    is_whole = len(clean) <= max_length and len(text) <= longest
    return clean if is_whole else clean[: max_length - 1].rstrip(_NON_JOINER) + "…"


def _replace_invisible(text: str) -> str:
    """Return the text in NFC, with invisible characters removed or replaced by U+FFFD."""
    text = "".join([char for char in text if char != _JOINER and char not in _VARIATIONS])
    chars: list[str] = []
    for index, char in enumerate(text):
        kind = category(char)
        if char == _NON_JOINER:
            if _is_letter(text[index - 1 : index]) and _is_letter(text[index + 1 : index + 2]):
                chars.append(char)
        elif char in _SKIN_TONES:
            chars += [] if chars and category(chars[-1]) == "So" else ["\ufffd"]
        else:
            chars.append("\ufffd" if kind in _INVISIBLE else char)
    return normalize("NFC", "".join(chars))


def _is_letter(char: str) -> bool:
    return bool(char) and category(char)[0] in "LM"


def replace_control_chars(text: str) -> str:
    """Replace each invisible character except U+200C by U+FFFD, in text that may not have been sanitised.

    Results of ``sanitize`` are returned unchanged.
    """
    if text.isprintable():
        return text
    return "".join(["\ufffd" if category(char) in _INVISIBLE and char != _NON_JOINER else char for char in text])


def to_one_line(text: str, max_length: int | None = None) -> str:
    """Return typed text in the form in which it is stored: one line in NFC without control characters.

    Line ends and tabs become blanks. Format characters such as joiners are preserved; ``sanitize`` handles them when
    the text is shown. The result is truncated to ``max_length`` characters; ``None`` means no limit.
    """
    if not (text.isascii() and text.isprintable()):
        joined = " ".join(text.splitlines()).replace("\t", " ")
        text = normalize("NFC", "".join([char for char in joined if category(char) not in ("Cc", "Cs")]))
    return text[:max_length]


def fold(text: str) -> str:
    """Return a key by which typed texts are compared: equal for texts that differ only in case or compatibility forms.

    This is Unicode's NFKC_Casefold, except that ``I``, ``ı``, ``İ`` and ``i`` are one letter: their capitals differ
    between Turkish and other keyboards.
    """
    return normalize("NFKC", normalize("NFKD", text).casefold().replace("ı", "i").replace("i\u0307", "i"))


def find_name(typed: str, names: Iterable[str]) -> str | None:
    """Return the name that is meant by a typed one, or ``None`` if there is none.

    It is exactly the typed one if there is such a name, or else the first that is equal by ``fold``.
    """
    known, key = [*names], fold(typed)
    return typed if typed in known else next((name for name in known if fold(name) == key), None)


def split_graphemes(text: str) -> list[str]:
    """Split a text into the characters that a person sees (extended grapheme clusters), such as emoji.

    Implements a simplified form of Unicode Standard Annex 29: prepended marks are not supported, and decomposed Korean
    syllables only as vowels and final consonants after an initial one.
    """
    clusters: list[str] = []
    for char in text:
        if clusters and _is_continuation(clusters[-1], char):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def _is_continuation(cluster: str, char: str) -> bool:
    """Return True if a character belongs to the grapheme cluster before it."""
    if char < "\u0300":
        return False
    if category(char)[0] == "M" or char in JOINERS or char in _SKIN_TONES or char in _ENDING_JAMO or char in _TAGS:
        return True
    if cluster[-1] == _JOINER:
        return category(char) == "So" == category(cluster[0])
    return char in _REGIONAL and cluster in _REGIONAL


def shorten_path(path: object, max_length: int = 80) -> str:
    """Return a path for display; if it is too long, its beginning is replaced by an ellipsis."""
    whole = str(path)
    tail = sanitize(whole[-max_length:], max_length)
    return tail if len(whole) <= max_length else "…" + tail[1:]


_CONFUSABLE: Final = (
    "ɑa Ƅb ᴄc ꬲe ꬵf ꞙf ẝf ɡg ᶃg ƍg ıi ɪi ɩi Il Ɩl ǀl ᴏo ᴑo ꬽo ꭇr ꭈr ꜱs ƽs ꞟu ᴜu ꭎu ꭒu ʋu ᴠv ɯw ᴡw ɣy ᶌy ʏy ỿy "
    "ꭚy ᴢz ꞴB ꞘF ꞲJ ƦR ꞳX αa ιi ϳj Ιl οo σo ρp ᴦr υu νv γy ΑA ΒB ΕE ϜF ΗH ͿJ ΚK ΜM ϺM ΝN ΟO ΡP ΤT ΧX ΥY ΖZ аa "
    "Ьb сc ԁd еe ҽe һh іi ꙇi ӏi јj Іl Ӏl оo рp ԛq гr ѕs ѵv ѡw ԝw хx уy үy АA ВB СC ЕE ԌG НH ЈJ КK МM ОO РP ЅS "
    "ТT ѴV ԜW ХX УY ҮY Ꮟb ꮯc Ꮷd Ꮒh ꭵi Ꭵi ꮁr ꮪs ꮩv ꮃw ꮓz ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᏳG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏒR ᏕS ᏚS ᎢT "
    "ᏙV ᎳW ᏔW ᎩY ᎽY ᏃZ ᑲb ᖯb ᑯd ᕁx ᕽx ᗅA ᗷB ᗞD ᗪD ᖴF ᕼH ᒍJ ᒪL ᗰM ᑭP ᖇR ᑌU ᐯV ⲥc Ⲓl ⲟo ⲣp ⲅr ⲤC ⲎH ⲔK ⳐL ⲘM ⲚN "
    "ⲞO ⲢP ⲦT ⲬX ⲨY 𐐽c 𐐬o 𐑈s 𐐕C 𐐛L 𐐄O 𐐠S ꓒd ꓲl ꓮA ꓐB ꓚC ꓓD ꓰE ꓝF ꓖG ꓧH ꓙJ ꓗK ꓡL ꓟM ꓠN ꓳO ꓑP ꓣR ꓢS ꓔT ꓴU ꓦV ꓪW "
    "ꓫX ꓬY ꓜZ քf ցg հh ոn ռn օo գq զq սu աw ՕO ՏS ՍU 𑣃i 𑣈o 𑣗o 𑣁s 𑣘u 𑣀v 𑣜y 𑣄z 𑢦E 𑢮E 𑣂F 𑢢F 𑢣L 𑢲L 𑢵O 𑢼T 𑢸U 𑢠V 𑢤Y "
    "𑢩Z ⵏl ⴹE ⵔO ⵕQ ⴸV ⵝX ᛁl ᛕK ᛖM ᚷX 𖼨l 𖽀A 𖼖L 𖼵R 𖼺S 𖼊T 𖽂U 𖼈V 𖽃Y 𐊊l 𐊂B 𐊆E 𐊇F 𐊒O 𐊕P 𐊖S 𐊗T 𐊐X 𐌉l 𐌁B 𐌂C 𐌑M 𐌕T 𐌗X "
    "ჿo ყy ഠo ဝo 𐓪o 𐓶u 𐓂O 𐒴R 𐓎U 𑜆v 𑜊w 𑜎w 𑜏w 𐊠A 𐊡B 𐊢C 𐊥F 𐋏H 𐊰M 𐊫O 𐊱T 𐊴X 𐊲Y 𐔜C 𐔥F 𐔘K 𐔦L 𐔓N 𐔖O 𐔝V 𐔧X ዐO ሀU ଠO ꛟV "
    "ᴀa ʙb ᴅd ᴇe ɢg ʜh ᴊj ᴋk ʟl ᴍm ɴn ᴘp ʀr ᴛt 1l 0O кk κk χx ΓГ ΛЛ ΠП ΦФ πп φф "
    "エ工 ニ二 ロ口 ト卜 カ力 タ夕 ハ八 ヘへ リり"
)
"""Pairs of a character and the character for which it can be mistaken, mainly Latin letters.

The pairs are taken from confusables.txt of Unicode (UTS 39).
"""
_SKELETON: Final = str.maketrans({pair[0]: pair[1] for pair in _CONFUSABLE.split()})
_SCRIPTS: Final = {
    "CJK": "HAN", "IDEOGRAPHIC": "HAN", "VERTICAL": "HAN", "KATAKANA-HIRAGANA": "KATAKANA", "HENTAIGANA": "HIRAGANA",
    "MODIFIER": ""
}  # fmt: skip
"""Script of those letters whose Unicode names do not begin with their script; an empty string matches all scripts."""
_COMBINED_SCRIPTS: Final = ({"HAN", "HIRAGANA", "KATAKANA"}, {"HAN", "HANGUL"}, {"HAN", "BOPOMOFO"})
"""Sets of scripts that are used together: Japanese, Korean, and Chinese with Bopomofo."""


def has_single_script(text: str) -> bool:
    """Return True if all letters belong to one script, or to scripts that are used together (UTS 39, section 5).

    Marks and digits match every script. The script of a letter is taken from the first word of its Unicode name.
    """
    scripts = {_find_script(char) for char in normalize("NFKC", text) if category(char)[0] == "L"} - {""}
    return len(scripts) < 2 or any(scripts <= together for together in _COMBINED_SCRIPTS)


def is_east_asian(text: str) -> bool:
    """Return True if all characters are Han, Hangul or kana. Combining marks count with the letter before them."""
    scripts = {_find_script(char) for char in normalize("NFKC", text) if category(char)[0] != "M"}
    return bool(scripts) and scripts <= {"HAN", "HANGUL", "HIRAGANA", "KATAKANA"}


def _find_script(char: str) -> str:
    word = name(char, "").partition(" ")[0]
    return _SCRIPTS.get(word, word)


@lru_cache(maxsize=8192)
def compute_skeleton(text: str) -> str:
    """Return a key that is equal for texts that look alike, even in different scripts.

    This is the skeleton of UTS 39, section 4, with case folding added.
    """
    return normalize("NFKD", normalize("NFKD", text).translate(_SKELETON).casefold())


def align_columns(rows: Sequence[Sequence[str]], left: Container[int]) -> Iterator[str]:
    """Yield the rows of a table as lines. The columns with an index in ``left`` are aligned left, others right."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=False)]
    for row in rows:
        aligned = [
            f"{cell:{'<' if number in left else '>'}{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        yield "  ".join(aligned).rstrip()


def format_count(number: int, noun: str) -> str:
    """Return a number with a noun, in the plural unless the number is 1: ``0 cards``, ``1 card``, ``2 cards``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_TENTHS_BELOW: Final = 10
"""Number of points from which a mean is shown without tenths."""


def format_amount(points: float, *, show_tenths: bool = False) -> str:
    """Format the absolute value of a mean number of points: with tenths below 10, or always if ``show_tenths``."""
    return f"{abs(points):.1f}" if show_tenths or abs(points) < _TENTHS_BELOW else f"{abs(points):.0f}"


def format_estimate(points: float, error: float) -> str:
    """Format a number of points to the place of the first digit of its error, but with tenths at most."""
    decimals = min(1, -floor(log10(error))) if 0 < error < inf else 1
    return f"{round(points, decimals):.{max(decimals, 0)}f}"


def format_weighted(points: str, weight: int) -> str:
    """Return points with the factor by which they count, such as ``-36 ×4``.

    The factor is omitted if it is 1 or if ``points`` is ``"0"``.
    """
    return points if weight == 1 or points == "0" else f"{points} ×{weight}"


def normalize_name(name: str) -> str:
    """Return a key that is equal for all spellings of a name: ``Ten Down``, ``ten-down`` and ``tendown``."""
    return "".join(fold(name).replace("-", " ").replace("_", " ").split())


def format_unknown_name(kind: str, name: str, known: Iterable[str], listing: str = "") -> str:
    """Return the error message for an unknown name: it suggests the most similar known name, or else lists all of them.

    ``kind``: singular noun for what is named. ``listing`` replaces the list, for example by a reference to a command
    that prints it.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - lazy: startup

    names = list(known)
    near = get_close_matches(fold(name[:40]), names, 1)
    instead = f"did you mean {near[0]}?" if near else listing or f"the {kind}s are {', '.join(names)}"
    return f"no {kind} is called {name[:30]!r}; {instead}"


def capitalize_first(text: str) -> str:
    """Capitalize the first letter of a text. A letter whose capital has several characters remains as it is."""
    first = text[:1].title()
    return first + text[1:] if len(first) == 1 else text
