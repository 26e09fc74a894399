"""Keyboard layouts of non-Latin alphabets, mapped to the keys of a US keyboard.

The rows are the unshifted characters in xkeyboard-config.
"""

import os
from typing import Final

US: Final = "qwertyuiop[]asdfghjkl;'zxcvbnm,./"
LAYOUTS: Final = {
    "ru": "йцукенгшщзхъфывапролджэячсмитьбю.",
    "uk": "йцукенгшщзхїфівапролджєячсмитьбю.",
    "be": "йцукенгшўзх'фывапролджэячсмітьбю.",
    "bg": ",уеишщксдзц;ьяаожгтнвмчюйъэфхпрлб",
    "sr": "љњертзуиопшђасдфгхјклчћжџцвбнм,.-",
    "mk": "љњертѕуиопшѓасдфгхјклчќзџцвбнм,./",
    "kk": "йцукенгшщзхъфывапролджэячсмитьбю№",
    "ky": "йцукенгшщзхъфывапролджэячсмитьбю.",
    "tg": "йқукенгшҳзхъфҷвапролджэячсмитӣбю.",
    "mn": "фцужэнгшүзкъйыбөахролдпячёсмитьвю",
    "el": ";ςερτυθιοπ[]ασδφγηξκλ´'ζχψωβνμ,./",
    "he": "/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ.",
    "ar": "ضصثقفغعهخحجدشسيبلاتنمكطئءؤرﻻىةوزظ",
    "fa": "ضصثقفغعهخحجچشسیبلاتنمکگظطزرذدپو./",
    "ur": "قوعرتےءیہپ][اسدفگحجکل؛'زشچطبنم،۔/",
    "ka": "ქწერტყუიოპ[]ასდფგჰჯკლ;'ზხცვბნმ,./",
    "hy": "ճփբսմուկըթծցջվգեանիտհպրժդչյզլքխշռ",
    "th": "ๆไำพะัีรนยบลฟหกดเ้่าสวงผปแอิืทมใฝ",
    "hi": "ौैाीूबहगदजड़ोे्िुपरकतचटॆंमनवलस,.य",
    "ko": "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ[]ㅁㄴㅇㄹㅎㅗㅓㅏㅣ;'ㅋㅌㅊㅍㅠㅜㅡ,./",
}
"""Characters of the keys of ``US``, in the same order, by language code.

A character of several layouts is looked up in the first of them.
"""


def find_us_key(character: str) -> str | None:
    """Return the US key at the position of a letter of another alphabet.

    Returns ``None`` if there is none, or if the character is ASCII. The layout of the locale's language is searched
    first.
    """
    if len(character) != 1 or character.isascii():
        return None
    return _find_key(character, [*_find_locale_layouts(), *LAYOUTS.values()])


def find_control_key(character: str, base: str) -> str:
    """Return the key that is meant by Ctrl or Alt with a key of any layout.

    ``base`` is the character of the same key on a US keyboard, as reported by the kitty keyboard protocol; empty if it
    is unknown. Letters of Latin layouts are returned unchanged: Ctrl+Q on AZERTY is the key that types q.
    """
    if not character.isascii():
        return base if base.isascii() and base.isprintable() and base else find_us_key(character) or character
    if character.isalnum():
        return character
    if base:
        return base if any((character, base) in zip(row, US, strict=True) for row in LAYOUTS.values()) else character
    return _find_key(character, _find_locale_layouts()) or character


def _find_key(character: str, layouts: list[str]) -> str | None:
    lower = character.lower()
    for row in layouts:
        if (index := row.find(lower)) >= 0:
            key = US[index]
            if lower == character:
                return key
            return key.upper() if key.isalpha() else None
    return None


def _find_locale_layouts() -> list[str]:
    """Return the layout of the locale's language in a list; empty for a language that is not in ``LAYOUTS``."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    return [row for language, row in LAYOUTS.items() if language == locale[:2].lower()]
