"""Themes: every colour of the program, from TOML files."""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, unknown
from cardtable.store import toml_file
from cardtable.store.errors import FileError, reason
from cardtable.store.settings import AUTOMATIC, THEME_NAME, CardSize
from cardtable.ui.toolkit.keys.keymap import DEFAULT, Keymap

MOST_FILES: Final = 40
"""Theme files of one folder that are looked at."""
MOST_BYTES: Final = 4096
"""Bytes of a theme file; each that is shipped has about 1,200."""
MOST_TITLE: Final = 32
"""Characters of the title of a theme that are shown."""

USUAL: Final = "classic"
"""The theme where another one cannot be had."""
FOR_SIXTEEN: Final = "ansi"
"""The theme of terminals with sixteen colours."""
Colour = Annotated[str, msgspec.Meta(pattern="^#[0-9a-f]{6}$")]
Suits = tuple[Colour, Colour, Colour, Colour]
"""Clubs, diamonds, hearts, spades."""


class Backgrounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lies under everything."""

    felt: Colour
    mat: Colour
    slot: Colour
    panel: Colour
    plate: Colour
    row: Colour
    band: Colour
    track: Colour
    bonus: Colour


class Foregrounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Colours of words and signs."""

    text: Colour
    soft: Colour
    muted: Colour
    quiet: Colour
    role: Colour
    off: Colour
    gold: Colour
    loss: Colour
    bar: Colour
    warn: Colour
    bad: Colour
    arrow: Colour


class CardColours(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Faces, edges and backs of cards."""

    face: Colour
    edge: Colour
    cursor: Colour
    cursor_edge: Colour
    star: Colour
    dimmed: Colour
    dimmed_edge: Colour
    back: Colour
    back_stripe: Colour
    back_pattern: Colour
    must_draw: Colour
    must_draw_pattern: Colour
    empty: Colour


class SuitInks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Inks of the suits on each ground."""

    face: Suits
    panel: Suits
    gold: Suits
    dimmed: Suits

    def two_colours(self) -> "SuitInks":
        """The same with clubs as black as spades, and diamonds as red as hearts."""
        black_and_red = {name: (s, h, h, s) for name, (_, _, h, s) in msgspec.structs.asdict(self).items()}
        return SuitInks(**black_and_red)


class Plot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Colours of a plot."""

    lines: tuple[Colour, Colour, Colour, Colour, Colour, Colour]
    """One's own first."""


class Theme(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One theme."""

    title: str
    grounds: Backgrounds
    inks: Foregrounds
    cards: CardColours
    suits: SuitInks
    plot: Plot


def named(name: str, files: Sequence[Path]) -> tuple[Theme, str]:
    """The theme of this name, and what is wrong with its file; then it is the usual one.

    Of two files with one name the first counts, if it loads.  Raises ``CardtableError`` if none does.
    """
    names = [path.stem for path in files]
    complaint = "" if name in names else unknown("theme", name, dict.fromkeys(["auto", *names]))
    for path in sorted(files, key=lambda path: (path.stem != name, path.stem != USUAL)):
        try:
            return load(path), complaint
        except CardtableError as error:
            complaint = complaint or str(error)
    raise CardtableError(complaint or "no theme is installed")


def every(files: Sequence[Path]) -> tuple[dict[str, Theme], list[str]]:
    """All themes by name, and in a line each what is wrong with files, which are left out.

    Of two files with one name the first that loads counts.
    """
    found: dict[str, Theme] = {}
    looked_at, complaints = _first_of_each_folder(files)
    for path in looked_at:
        try:
            theme = load(path)
        except CardtableError as error:
            complaints.append(str(error))
            continue
        if re.match(THEME_NAME, path.stem) and path.stem != AUTOMATIC:
            found.setdefault(path.stem, theme)
        else:
            complaints.append(
                str(FileError(path, "a theme's name has small letters, digits and hyphens only, and is not auto"))
            )
    return found, complaints


def _first_of_each_folder(files: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """As many files as are looked at, and in a line each which folders have more."""
    looked_at, complaints = [], []
    for folder, together in groupby(files, key=lambda path: path.parent):
        there = list(together)
        looked_at += there[:MOST_FILES]
        if len(there) > MOST_FILES:
            why = f"it has {len(there)} theme files; only the first {MOST_FILES} by name are looked at"
            complaints.append(str(FileError(folder, why)))
    return looked_at, complaints


def load(path: Path) -> Theme:
    """The theme of a file.  Raises ``FileError`` if it is not one."""
    try:
        theme = msgspec.convert(toml_file.read(path, MOST_BYTES), Theme)
        return msgspec.structs.replace(theme, title=sanitize(theme.title, MOST_TITLE))
    except FileNotFoundError as error:
        raise FileError(path, reason(error)) from None
    except msgspec.ValidationError as error:
        raise FileError(path, str(error)) from None


def contrast(ink: str, ground: str) -> float:
    """The contrast ratio of two colours after WCAG 2, from 1 to 21."""
    dark, light = sorted((luminance(ink), luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def lowest(theme: Theme) -> float:
    """The contrast of the suit that can be read least on the face of a card."""
    return min(contrast(ink, theme.cards.face) for ink in theme.suits.face)


def luminance(colour: str) -> float:
    """How light a colour is after WCAG 2: 0 is black, 1 is white."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Appearance(msgspec.Struct, frozen=True):
    """How pictures are painted."""

    theme: Theme
    keys: Keymap = DEFAULT
    cards: CardSize = "auto"


class RenderOptions(NamedTuple):
    """What is to be done with all that is painted."""

    ascii: bool
    mono: bool
    suit_letters: bool
