"""Colour themes of the program, loaded from TOML files."""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.store import settings
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.settings import AUTO_THEME, THEME_NAME_PATTERN, CardBack, CardSize
from cardtable.ui.keys.keymap import DEFAULT_KEYMAP, Keymap

MAX_FILES: Final = 40
"""Maximum number of theme files that are read from one folder."""
MAX_BYTES: Final = 4096
"""Maximum size of a theme file in bytes."""
MAX_TITLE_LENGTH: Final = 32
"""Maximum length of a theme's title in characters."""

DEFAULT_THEME: Final = "classic"
"""Default theme, which is also used if the selected theme cannot be loaded."""
SIXTEEN_COLOUR_THEME: Final = "ansi"
"""Default theme for terminals with 16 colours."""
Colour = Annotated[str, msgspec.Meta(pattern=r"^#[0-9a-f]{6}\Z")]
Suits = tuple[Colour, Colour, Colour, Colour]
"""Colours of clubs, diamonds, hearts and spades."""


class Backgrounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
    """Colours of text and signs, by importance and purpose."""

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
    """Colours of card faces, edges and backs."""

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
    """Colours of the suits on each background."""

    face: Suits
    panel: Suits
    gold: Suits
    dimmed: Suits

    def to_two_colours(self) -> "SuitInks":
        """Return a copy in two colours: clubs as spades, and diamonds as hearts."""
        black_and_red = {name: (s, h, h, s) for name, (_, _, h, s) in msgspec.structs.asdict(self).items()}
        return SuitInks(**black_and_red)


class Plot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lines: tuple[Colour, Colour, Colour, Colour, Colour, Colour]
    """Colours of the lines; the first one is for the player's own line."""

    def get_ink(self, index: int) -> Colour:
        """Return the colour of the player's own side (0), or of the other sides in display order (from 1).

        The other sides share colours if there are too many of them, but never have the player's own.
        """
        own, *others = self.lines
        return others[(index - 1) % len(others)] if index else own


class Theme(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Colour theme, as a theme file defines it."""

    title: str
    grounds: Backgrounds
    inks: Foregrounds
    cards: CardColours
    suits: SuitInks
    plot: Plot


def load_theme(name: str, files: Sequence[Path]) -> tuple[Theme, str]:
    """Return the theme of this name and "", or the default theme and an error message if it is missing or invalid.

    Of several files with the same name, the first valid one counts. Raises ``CardtableError`` if no theme can be
    loaded.
    """
    names = [path.stem for path in files]
    complaint = "" if name in names else format_unknown_name("theme", name, dict.fromkeys(["auto", *names]))
    for path in sorted(files, key=lambda path: (path.stem != name, path.stem != DEFAULT_THEME)):
        try:
            return load_theme_file(path), complaint
        except CardtableError as error:
            complaint = complaint or str(error)
    raise CardtableError(complaint or "no theme is installed")


def load_themes(files: Sequence[Path]) -> tuple[dict[str, Theme], list[str]]:
    """Return all valid themes by name, and an error message for each invalid file or skipped group of files.

    Of several files with the same name, the first valid one counts.
    """
    valid: dict[str, Theme] = {}
    checked, complaints = _limit_files(files)
    for path in checked:
        try:
            theme = load_theme_file(path)
        except CardtableError as error:
            complaints.append(str(error))
            continue
        if re.match(THEME_NAME_PATTERN, path.stem) and path.stem != AUTO_THEME:
            valid.setdefault(path.stem, theme)
        else:
            complaints.append(
                str(FileError(path, "a theme's name has only lower-case letters, digits and hyphens, and is not auto"))
            )
    return valid, complaints


def _limit_files(files: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """Return the first ``MAX_FILES`` files of each folder, and an error message for each folder that has more."""
    checked, complaints = [], []
    for folder, together in groupby(files, key=lambda path: path.parent):
        folder_files = list(together)
        checked += folder_files[:MAX_FILES]
        if len(folder_files) > MAX_FILES:
            reason = f"it has {len(folder_files)} theme files; only the first {MAX_FILES} by name are read"
            complaints.append(str(FileError(folder, reason)))
    return checked, complaints


def load_theme_file(path: Path) -> Theme:
    """Load a theme file. Raises ``FileError`` if it is missing or invalid."""
    try:
        theme = msgspec.convert(settings.read_toml(path, MAX_BYTES), Theme)
        return msgspec.structs.replace(theme, title=sanitize(theme.title, MAX_TITLE_LENGTH))
    except FileNotFoundError as error:
        raise FileError(path, format_os_error(error)) from None
    except msgspec.ValidationError as error:
        raise FileError(path, str(error)) from None


def compute_contrast(ink: str, ground: str) -> float:
    """Return the contrast ratio of two colours as defined by WCAG 2, from 1 to 21."""
    dark, light = sorted((compute_luminance(ink), compute_luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def compute_lowest_suit_contrast(theme: Theme) -> float:
    return min(compute_contrast(ink, theme.cards.face) for ink in theme.suits.face)


def compute_luminance(colour: str) -> float:
    """Return the relative luminance of a colour as defined by WCAG 2, from 0 (black) to 1 (white)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Appearance(msgspec.Struct, frozen=True):
    """Theme, key labels, card size and character set with which pictures are painted."""

    theme: Theme
    keys: Keymap = DEFAULT_KEYMAP
    cards: CardSize = "auto"
    ascii: bool = False
    """True if pictures are drawn with ASCII characters."""
    suit_letters: bool = False
    """True if suits are letters in place of signs."""
    card_back: CardBack = "crosses"


class RenderOptions(NamedTuple):
    """Line filters for everything that is painted."""

    ascii: bool
    mono: bool
    suit_letters: bool
