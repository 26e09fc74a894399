"""Supplied themes and themes of players: contrast, distinctness, broken files.

The pairs of ink and ground below were read off the screens: each of them is painted somewhere.
"""

import math
from itertools import combinations

import msgspec
import pytest
from rich._palettes import EIGHT_BIT_PALETTE
from rich.color import Color, ColorSystem

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, settings
from cardtable.ui.terminal import capabilities
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.themes import compute_contrast

SHIPPED = {path.stem: themes.load_theme_file(path) for path in paths.theme_files()}
EACH = pytest.mark.parametrize("name", SHIPPED)

TEXT_INKS = {
    "text": "felt mat panel plate row band track bonus back must_draw",
    "soft": "felt mat panel row band",
    "muted": "felt mat panel band empty",
    "quiet": "felt panel",
    "role": "plate",
    "loss": "felt mat panel band",
    "gold": "felt mat panel row",
    "star": "face cursor",
}
"""Inks of text, with the grounds below them."""
SUIT_INKS = {
    "face": "face cursor",
    "panel": "felt mat panel plate",
    "gold": "gold",
    "dimmed": "dimmed",
}
"""Inks of suits, with the grounds below them."""
SIGN_INKS = {
    "off": "mat row",
    "arrow": "mat",
    "loss": "row",
    "bar": "felt mat panel row",
    "warn": "panel",
    "bad": "felt panel",
}
"""Inks of signs that need no reading (bars, arrows, forbidden cards), with the grounds below them."""


def find_colour(theme, name):
    """Return the ground, ink or card colour of this name."""
    for part in (theme.grounds, theme.inks, theme.cards):
        if hasattr(part, name):
            return getattr(part, name)
    raise AssertionError(name)


def iter_pairs(theme, table):
    """Yield each pair of ink and ground: its name and both colours."""
    for ink, grounds in table.items():
        for ground in grounds.split():
            for each in getattr(theme.suits, ink) if table is SUIT_INKS else [find_colour(theme, ink)]:
                yield f"{ink} on {ground}", each, find_colour(theme, ground)


def find_low_contrast(pairs, least):
    """Return the pairs with less than the given contrast."""
    return {
        name: round(compute_contrast(ink, ground), 2)
        for name, ink, ground in pairs
        if compute_contrast(ink, ground) < least
    }


def test_six_themes_are_supplied():
    assert {"classic", "night", "light", "high-contrast", "colour-blind", "ansi"} <= set(SHIPPED)
    assert len({theme.title for theme in SHIPPED.values()}) == len(SHIPPED)


@EACH
def test_suits_are_readable_on_cards(name):
    assert not find_low_contrast(iter_pairs(SHIPPED[name], SUIT_INKS), 4.5)
    assert not find_low_contrast([(ink, ink, SHIPPED[name].grounds.row) for ink in SHIPPED[name].suits.panel], 3.9), (
        "suits in the panel are bold, which needs less contrast"
    )


@EACH
def test_text_is_readable_on_its_grounds(name):
    theme = SHIPPED[name]
    assert not find_low_contrast(iter_pairs(theme, TEXT_INKS), 4.5)
    lines = [
        (f"line {i} on {g}", ink, find_colour(theme, g))
        for i, ink in enumerate(theme.plot.lines)
        for g in ("felt", "mat", "panel", "plate", "band")
    ]
    assert not find_low_contrast(lines, 4.5)


@EACH
def test_signs_are_visible_on_their_grounds(name):
    assert not find_low_contrast(iter_pairs(SHIPPED[name], SIGN_INKS), 3.0)


@EACH
def test_plate_of_seat_on_turn_is_readable_and_distinct(name):
    theme = SHIPPED[name]
    assert compute_contrast(theme.grounds.panel, theme.inks.gold) >= 4.5
    for ground in ("felt", "mat", "panel", "plate", "track"):
        assert compute_contrast(theme.inks.gold, find_colour(theme, ground)) >= 3.0


@EACH
def test_dimmed_cards_differ_from_playable_ones(name):
    cards, felt = SHIPPED[name].cards, SHIPPED[name].grounds.felt
    assert compute_contrast(cards.face, cards.dimmed) >= 1.8
    assert compute_contrast(cards.cursor, cards.dimmed) >= 1.5
    assert cards.face != cards.cursor
    assert compute_contrast(cards.dimmed_edge, cards.dimmed) >= 1.4
    assert compute_contrast(cards.face, felt) > 1.25, "a card is visible on the felt"


@pytest.mark.parametrize("name", sorted(SHIPPED.keys() - {"ansi"}))  # coloured text is readable on black alone
def test_grounds_are_distinct(name):
    grounds = SHIPPED[name].grounds
    for other in ("mat", "panel", "row", "plate", "track"):
        assert compute_contrast(grounds.felt, getattr(grounds, other)) >= 1.1, other
    assert compute_contrast(grounds.mat, grounds.slot) >= 1.1
    assert compute_contrast(grounds.bonus, grounds.panel) >= 1.5, "the thumb of a scroll bar is visible"


def test_high_contrast_is_seven_to_one():
    theme = SHIPPED["high-contrast"]
    for table in (TEXT_INKS, SUIT_INKS, SIGN_INKS):
        assert not find_low_contrast(iter_pairs(theme, table), 7)
    assert compute_contrast(theme.grounds.panel, theme.inks.gold) >= 7


DEFICIENCIES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
"""Matrices for linear RGB after Machado, Oliveira and Fernandes (2009), severity 1."""


def compute_perceived_lab(colour, deficiency):
    """Return L*, a*, b* of a colour as seen with a colour vision deficiency."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (
        min(max(sum(a * b for a, b in zip(row, light, strict=True)), 0), 1) for row in DEFICIENCIES[deficiency]
    )
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def compute_least_difference(inks, deficiency):
    """Return the CIE76 difference of the two closest inks; 2 is just noticeable."""
    perceived = [compute_perceived_lab(ink, deficiency) for ink in inks]
    return min(math.dist(one, other) for one, other in combinations(perceived, 2))


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_suits_are_distinct_for_colour_blind(deficiency):
    suits = SHIPPED["colour-blind"].suits
    assert compute_least_difference(suits.face, deficiency) >= 40
    for ground in ("panel", "dimmed", "gold"):
        assert compute_least_difference(getattr(suits, ground), deficiency) >= 25, ground


def map_to_ansi(colour):
    """Return the number of the colour that a terminal with 16 colours shows."""
    return Color.parse(colour).downgrade(ColorSystem.STANDARD).number


def test_sixteen_colours_suffice():
    theme = SHIPPED["ansi"]
    grounds, inks, cards, suits = theme.grounds, theme.inks, theme.cards, theme.suits
    for under in msgspec.structs.asdict(suits).values():
        assert len({map_to_ansi(ink) for ink in under}) == 4
    for table in (TEXT_INKS, SUIT_INKS, SIGN_INKS):
        for name, ink, ground in iter_pairs(theme, table):
            assert map_to_ansi(ink) != map_to_ansi(ground), name
    shown = (cards.face, cards.cursor, cards.dimmed, cards.back, cards.must_draw)
    assert len(set(map(map_to_ansi, shown))) == 5
    assert map_to_ansi(inks.gold) not in {map_to_ansi(each) for each in msgspec.structs.asdict(grounds).values()}
    assert map_to_ansi(grounds.slot) != map_to_ansi(grounds.mat)


PALETTES = {
    "console": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa "
    "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
    "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "editor": "000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 "
    "666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff",
}
"""What terminals show as the sixteen colours."""


@pytest.mark.parametrize("terminal", PALETTES)
def test_sixteen_colours_are_readable_as_a_terminal_shows_them(terminal):
    palette = [f"#{colour}" for colour in PALETTES[terminal].split()]
    for table, least in ((TEXT_INKS, 3.0), (SUIT_INKS, 3.9)):
        for name, ink, ground in iter_pairs(SHIPPED["ansi"], table):
            assert compute_contrast(palette[map_to_ansi(ink)], palette[map_to_ansi(ground)]) >= least, name


def map_to_256_colours(colour):
    """Return the colour that a terminal with 256 colours shows, such as the Terminal of macOS."""
    number = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).number
    return "#{:02x}{:02x}{:02x}".format(*EIGHT_BIT_PALETTE[number])


@EACH
def test_suits_are_distinct_in_256_colours(name):
    theme, cards = SHIPPED[name], SHIPPED[name].cards
    for under in msgspec.structs.asdict(theme.suits).values():
        assert len({map_to_256_colours(ink) for ink in under}) == 4
    grounds = (cards.face, cards.cursor, cards.dimmed, cards.back, cards.must_draw)
    assert len(set(map(map_to_256_colours, grounds))) == 5
    for table, least in ((TEXT_INKS, 2.8), (SUIT_INKS, 2.4), (SIGN_INKS, 2.1)):
        pairs = [
            (pair, map_to_256_colours(ink), map_to_256_colours(ground))
            for pair, ink, ground in iter_pairs(theme, table)
        ]
        assert not find_low_contrast(pairs, least)


def test_terminal_of_macos_has_256_colours(monkeypatch):
    for name in ("COLORTERM", "FORCE_COLOR", "NO_COLOR", "TEXTUAL_COLOR_SYSTEM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("TERM_PROGRAM", "Apple_Terminal")
    assert capabilities._create_console().color_system == "256"
    assert not capabilities.has_few_colours()


def edit_theme_text(name, **changed):
    """Return the text of a supplied theme with some values replaced."""
    lines = next(path for path in paths.theme_files() if path.stem == name).read_text(encoding="utf-8").split("\n")
    return "\n".join(
        [f'{key} = "{changed[key]}"' if (key := line.split(" =")[0]) in changed else line for line in lines]
    )


@pytest.fixture
def own_themes(home):
    """Create the folder of the player's own themes."""
    folder = home / "themes"
    folder.mkdir(parents=True)
    return folder


def test_own_themes_override_supplied_ones(own_themes):
    (own_themes / "mine.toml").write_text(edit_theme_text("classic", title="Mine", felt="#401010"), encoding="utf-8")
    (own_themes / "night.toml").write_text(edit_theme_text("night", title="My night"), encoding="utf-8")
    assert themes.load_theme("mine", paths.theme_files())[0].grounds.felt == "#401010"
    assert themes.load_theme("night", paths.theme_files())[0].title == "My night"
    assert themes.load_theme("light", paths.theme_files()) == (SHIPPED["light"], "")


def test_broken_own_theme_falls_back_to_supplied(own_themes):
    (own_themes / "night.toml").write_text(edit_theme_text("night", felt="black"), encoding="utf-8")
    theme, complaint = themes.load_theme("night", paths.theme_files())
    assert theme == SHIPPED["night"]
    assert "night.toml" in complaint
    assert "grounds.felt" in complaint


def test_number_of_read_theme_files_is_limited(own_themes, monkeypatch):
    for number in range(2000):
        (own_themes / f"t{number:04}.toml").write_text("title = 1\n")
    (own_themes / "zebra.toml").write_text(edit_theme_text("night", title="Stripes"), encoding="utf-8")
    read = []
    monkeypatch.setattr(
        settings,
        "read_toml",
        lambda path, most, real=settings.read_toml: read.append((path, most)) or real(path, most),
    )
    assert themes.load_theme("zebra", paths.theme_files())[0].title == "Stripes", (
        "the chosen theme is loaded by its name"
    )
    assert len(read) == 1
    read.clear()
    loaded_themes, complaints = themes.load_themes(paths.theme_files())
    assert len(read) == themes.MAX_FILES + len(SHIPPED)
    assert max(most for _, most in read) == themes.MAX_BYTES
    assert loaded_themes == SHIPPED
    assert complaints[0].endswith("themes: it has 2001 theme files; only the first 40 by name are read")
    assert len(complaints) == 1 + themes.MAX_FILES


def test_broken_or_missing_theme_falls_back_to_classic(tmp_path):
    bad = tmp_path / "mine.toml"
    bad.write_text('title = "x"\n[grounds]\nfelt = "notacolor"\n')
    theme, complaint = themes.load_theme("mine", [*paths.theme_files(), bad])
    assert theme.title == "Classic green"
    assert "mine.toml" in complaint
    theme, complaint = themes.load_theme("nothere", paths.theme_files())
    assert "nothere" in complaint


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.mkdir(), "not a regular file"),
        (lambda path: path.symlink_to("nowhere"), "No such file"),
        (lambda path: path.write_bytes(b"\xff"), "not UTF-8"),
        (lambda path: path.write_text("a." * 30_000 + "b = 1"), "larger than 4 KiB"),
        (lambda path: path.write_text('"\\u001b[31m" = 1'), "Object"),
        (lambda path: path.write_text(edit_theme_text("classic", felt="#401010\\n")), "grounds.felt"),
    ],
    ids=["folder", "link to nothing", "not text", "large", "escape", "line end in a colour"],
)
def test_broken_theme_file_costs_one_printable_line(tmp_path, spoil, message):
    path = tmp_path / "mine.toml"
    spoil(path)
    theme, complaint = themes.load_theme("mine", [path, *paths.theme_files()])
    assert theme == SHIPPED["classic"]
    assert "mine.toml" in complaint
    assert message in complaint
    assert complaint.isprintable()
    with pytest.raises(CardtableError, match="mine"):
        themes.load_theme("mine", [path])
