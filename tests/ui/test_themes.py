"""Supplied themes and themes of players: contrast, distinctness, broken files.

The pairs of ink and ground below were read off the screens: each of them is painted somewhere.
"""

from itertools import combinations

import msgspec
import pytest
from rich._palettes import STANDARD_PALETTE
from rich.color import Color, ColorSystem

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, toml_file
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.themes import compute_contrast

pytestmark = pytest.mark.promise(
    "For maintainers", "In every supplied theme text and suits are readable on their background."
)

SHIPPED = {path.stem: themes.load_theme_file(path) for path in paths.theme_files()}
EACH = pytest.mark.parametrize("name", SHIPPED)

WORDS = {
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
SUITS = {
    "face": "face cursor",
    "panel": "felt mat panel plate",
    "gold": "gold",
    "dimmed": "dimmed",
}
"""Inks of suits, with the grounds below them."""
SIGNS = {
    "off": "mat row",
    "arrow": "mat",
    "loss": "row",
    "bar": "felt mat panel row",
    "warn": "panel",
    "bad": "felt panel",
}
"""Inks of signs that need no reading (bars, arrows, forbidden cards), with the grounds below them."""


def colour(theme, name):
    """Return the ground, ink or card colour of this name."""
    for part in (theme.grounds, theme.inks, theme.cards):
        if hasattr(part, name):
            return getattr(part, name)
    raise AssertionError(name)


def pairs(theme, table):
    """Yield each pair of ink and ground: its name and both colours."""
    for ink, grounds in table.items():
        for ground in grounds.split():
            for each in getattr(theme.suits, ink) if table is SUITS else [colour(theme, ink)]:
                yield f"{ink} on {ground}", each, colour(theme, ground)


def faint(found, least):
    """Return the pairs with less than the given contrast."""
    return {
        name: round(compute_contrast(ink, ground), 2)
        for name, ink, ground in found
        if compute_contrast(ink, ground) < least
    }


@pytest.mark.promise("Settings and display", "Six themes are supplied.")
def test_six_good_ones_are_shipped():
    assert {"classic", "night", "light", "high-contrast", "colour-blind", "ansi"} <= set(SHIPPED)
    assert len({theme.title for theme in SHIPPED.values()}) == len(SHIPPED)


@pytest.mark.promise(
    "Settings and display",
    "In every supplied theme suits have a contrast of at least 4.5 to 1 on the face of their card.",
)
@EACH
def test_every_suit_can_be_read_on_the_face_of_its_card(name):
    assert not faint(pairs(SHIPPED[name], SUITS), 4.5)
    assert not faint([(ink, ink, SHIPPED[name].grounds.row) for ink in SHIPPED[name].suits.panel], 3.9), "bold there"


@EACH
def test_words_can_be_read_where_they_stand(name):
    theme = SHIPPED[name]
    assert not faint(pairs(theme, WORDS), 4.5)
    lines = [
        (f"line {i} on {g}", ink, colour(theme, g))
        for i, ink in enumerate(theme.plot.lines)
        for g in ("felt", "mat", "panel")
    ]
    assert not faint(lines, 4.5)


@EACH
def test_signs_can_be_seen_where_they_stand(name):
    assert not faint(pairs(SHIPPED[name], SIGNS), 3.0)


@EACH
def test_who_is_to_act_has_a_plate_that_can_be_read_and_stands_out(name):
    theme = SHIPPED[name]
    assert compute_contrast(theme.grounds.panel, theme.inks.gold) >= 4.5
    for ground in (
        theme.grounds.felt,
        theme.grounds.mat,
        theme.grounds.panel,
        theme.grounds.plate,
        theme.grounds.track,
    ):
        assert compute_contrast(theme.inks.gold, ground) >= 3.0


@EACH
def test_a_dimmed_card_is_none_that_may_be_played(name):
    cards, felt = SHIPPED[name].cards, SHIPPED[name].grounds.felt
    assert compute_contrast(cards.face, cards.dimmed) >= 1.8
    assert compute_contrast(cards.cursor, cards.dimmed) >= 1.5
    assert cards.face != cards.cursor
    assert compute_contrast(cards.dimmed_edge, cards.dimmed) >= 1.4
    assert compute_contrast(cards.face, felt) > 1.25, "a card lies on the felt"


@EACH
def test_grounds_are_told_apart(name):
    grounds = SHIPPED[name].grounds
    for one, other in (
        ("felt", "mat"),
        ("felt", "panel"),
        ("felt", "row"),
        ("felt", "plate"),
        ("mat", "slot"),
        ("felt", "track"),
    ):
        assert compute_contrast(getattr(grounds, one), getattr(grounds, other)) >= 1.1, (one, other)
    assert compute_contrast(grounds.bonus, grounds.panel) >= 1.5, "the thumb of a scroll bar"


@pytest.mark.promise(
    "Settings and display",
    "High contrast means 7 to 1; suits are distinct for colour-blind players and in 16 colours or none.",
)
def test_high_contrast_means_seven_to_one():
    theme = SHIPPED["high-contrast"]
    for table in (WORDS, SUITS, SIGNS):
        assert not faint(pairs(theme, table), 7)
    assert compute_contrast(theme.grounds.panel, theme.inks.gold) >= 7


DEFICIENCIES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
"""Matrices for linear RGB after Machado, Oliveira and Fernandes (2009), severity 1."""


def seen(colour, deficiency):
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


def nearest(inks, deficiency):
    """Return the CIE76 difference of the two closest inks; 2 is just noticeable."""
    return min(
        sum((a - b) ** 2 for a, b in zip(seen(one, deficiency), seen(other, deficiency), strict=True)) ** 0.5
        for one, other in combinations(inks, 2)
    )


@pytest.mark.promise(
    "Settings and display",
    "High contrast means 7 to 1; suits are distinct for colour-blind players and in 16 colours or none.",
)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_the_colour_blind_tell_suits_apart(deficiency):
    suits = SHIPPED["colour-blind"].suits
    assert nearest(suits.face, deficiency) >= 40
    for ground in ("panel", "dimmed", "gold"):
        assert nearest(getattr(suits, ground), deficiency) >= 25, ground


def of_sixteen(colour):
    """Return the number of the colour that a terminal with 16 colours shows."""
    return Color.parse(colour).downgrade(ColorSystem.STANDARD).number


@pytest.mark.promise(
    "Settings and display",
    "High contrast means 7 to 1; suits are distinct for colour-blind players and in 16 colours or none.",
)
def test_sixteen_colours_are_enough():
    theme = SHIPPED["ansi"]
    grounds, inks, cards, suits = theme.grounds, theme.inks, theme.cards, theme.suits
    for under in msgspec.structs.asdict(suits).values():
        assert len({of_sixteen(ink) for ink in under}) == 4
    for table in (WORDS, SUITS, SIGNS):
        for name, ink, ground in pairs(theme, table):
            assert of_sixteen(ink) != of_sixteen(ground), name
    assert (
        len(
            {
                of_sixteen(each)
                for each in (cards.face, cards.cursor, cards.dimmed, cards.back, cards.must_draw, grounds.felt)
            }
        )
        == 6
    )
    assert of_sixteen(inks.gold) not in {of_sixteen(each) for each in msgspec.structs.asdict(grounds).values()}
    assert of_sixteen(grounds.felt) not in {
        of_sixteen(each) for each in (grounds.mat, grounds.panel, grounds.plate, grounds.row)
    }
    assert of_sixteen(grounds.slot) != of_sixteen(grounds.mat)


def test_sixteen_colours_are_shown_as_they_are_meant():
    """The contrast is measured after each colour has become one of the sixteen."""
    theme = SHIPPED["ansi"]
    shown = {number: "#{:02x}{:02x}{:02x}".format(*STANDARD_PALETTE[number]) for number in range(16)}
    for table in (WORDS, SUITS):
        for name, ink, ground in pairs(theme, table):
            assert compute_contrast(shown[of_sixteen(ink)], shown[of_sixteen(ground)]) >= 2.8, name


def colours(name, **changed):
    """Return the text of a supplied theme with some values replaced."""
    lines = next(path for path in paths.theme_files() if path.stem == name).read_text(encoding="utf-8").split("\n")
    return "\n".join(
        [f'{key} = "{changed[key]}"' if (key := line.split(" =")[0]) in changed else line for line in lines]
    )


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Create the folder of the player's own themes."""
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
    (tmp_path / "themes").mkdir()
    return tmp_path / "themes"


def test_own_themes_add_to_those_shipped_and_go_before_them(own):
    (own / "mine.toml").write_text(colours("classic", title="Mine", felt="#401010"), encoding="utf-8")
    (own / "night.toml").write_text(colours("night", title="My night"), encoding="utf-8")
    assert themes.load_theme("mine", paths.theme_files())[0].grounds.felt == "#401010"
    assert themes.load_theme("night", paths.theme_files())[0].title == "My night"
    assert themes.load_theme("light", paths.theme_files()) == (SHIPPED["light"], "")


def test_an_own_theme_that_is_none_is_named_and_the_one_shipped_under_its_name_taken(own):
    (own / "night.toml").write_text(colours("night", felt="black"), encoding="utf-8")
    theme, complaint = themes.load_theme("night", paths.theme_files())
    assert theme == SHIPPED["night"]
    assert "night.toml" in complaint
    assert "grounds.felt" in complaint


@pytest.mark.promise(
    "Settings and display",
    "A broken theme file is reported in one line; of thousands only the first and the selected one are read.",
)
def test_of_very_many_theme_files_the_first_are_looked_at(own, monkeypatch):
    for number in range(2000):
        (own / f"t{number:04}.toml").write_text("title = 1\n")
    (own / "zebra.toml").write_text(colours("night", title="Stripes"), encoding="utf-8")
    read = []
    monkeypatch.setattr(
        toml_file, "read", lambda path, most, real=toml_file.read: read.append((path, most)) or real(path, most)
    )
    assert themes.load_theme("zebra", paths.theme_files())[0].title == "Stripes", "the one that is chosen is found"
    assert len(read) == 1
    read.clear()
    found, complaints = themes.load_themes(paths.theme_files())
    assert len(read) == themes.MAX_FILES + len(SHIPPED)
    assert max(most for _, most in read) == themes.MAX_BYTES
    assert found == SHIPPED
    assert complaints[0].endswith("themes: it has 2001 theme files; only the first 40 by name are looked at")
    assert len(complaints) == 1 + themes.MAX_FILES


def test_a_theme_file_that_is_none_is_named_and_the_next_one_taken(tmp_path):
    bad = tmp_path / "mine.toml"
    bad.write_text('title = "x"\n[grounds]\nfelt = "notacolor"\n')
    theme, complaint = themes.load_theme("mine", [*paths.theme_files(), bad])
    assert theme.title == "Classic green"
    assert "mine.toml" in complaint
    theme, complaint = themes.load_theme("nothere", paths.theme_files())
    assert "nothere" in complaint


@pytest.mark.promise(
    "Settings and display",
    "A broken theme file is reported in one line; of thousands only the first and the selected one are read.",
)
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: path.mkdir(), "not a regular file"),
        (lambda path: path.symlink_to("nowhere"), "No such file"),
        (lambda path: path.write_bytes(b"\xff"), "not UTF-8"),
        (lambda path: path.write_text("a." * 30_000 + "b = 1"), "larger than 4 KiB"),
        (lambda path: path.write_text('"\\u001b[31m" = 1'), "Object"),
    ],
    ids=["folder", "link to nothing", "not text", "large", "escape"],
)
def test_whatever_a_theme_file_is_it_costs_one_printable_line(tmp_path, spoil, why):
    path = tmp_path / "mine.toml"
    spoil(path)
    theme, complaint = themes.load_theme("mine", [path, *paths.theme_files()])
    assert theme == SHIPPED["classic"]
    assert "mine.toml" in complaint
    assert why in complaint
    assert complaint.isprintable()
    with pytest.raises(CardtableError, match="mine"):
        themes.load_theme("mine", [path])
