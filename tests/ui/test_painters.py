"""Round end, session end, score sheet and footers."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.game_view.game_view import HeaderFacts
from cardtable.ui.keys.keymap import build_keymap
from cardtable.ui.keys.table_keys import TABLE as TABLE_SCOPE
from cardtable.ui.keys.table_keys import TableKeyState, list_footer_keys
from cardtable.ui.table.paint import round_end, score_sheet
from cardtable.ui.toolkit.page import KeyTarget, paint_footer
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording.formatting import format_number
from cardtable.wording.session_end import EndLine, EndLines
from tests.overriding import override
from tests.session.session_player import NOW
from tests.ui.canvas_rendering import (
    APPEARANCE,
    BRIDGE,
    NAMES,
    THEME,
    find_text,
    generate_rounds,
    get_rows,
    make_frame,
    parse_bridge_rounds,
    parse_rounds,
    render_round_end,
    render_sheet,
    render_table,
)
from tests.ui.table_host import TableApp, create_session

INKS, GROUNDS = THEME.inks, THEME.grounds
OVER = Stage.SESSION_END
SIZES = ((80, 24), (120, 40))
LONG_NAMES = ("You", "Maximilian the Second", "Bo", "Alexandra Augusta", "李小龍", "Eve")


# The end of a round


def test_bonus_has_its_own_gold_row():
    canvas = render_round_end(make_frame(parse_rounds("13 5/5four 4/2 3/3 2/3")))
    bonus = find_text(canvas, r"^ +no-trump four +\+10")
    assert bonus.row == find_text(canvas, r"^ +You +5 +5 +\+20").row + 1
    assert find_text(canvas, "no-trump four").ink == find_text(canvas, r"no-trump four +(\+10)").ink == INKS.gold


def test_lowest_total_is_first_place_in_bridge():
    assert score_sheet.compute_places(make_frame(parse_bridge_rounds("15 0 25"), seats=3, game=BRIDGE)) == (2, 1, 3)


# The end of a session


@pytest.mark.parametrize(
    ("totals", "sentence"),
    [
        ((186, 149, 131, 88), "You win with 186"),
        ((88, 149, 201, 30), "Bo wins with 201; you are third"),
        ((150, 20, 150, 30), "You and Bo share the win with 150"),
        ((150, 201, 201, 150), "Ada and Bo share the win with 201; you share third place"),
        ((-8, -4, -4, -4), "Ada, Bo and Cy share the win with −4; you are fourth"),
    ],
)
def test_outcome_sentence(totals, sentence):
    assert round_end.format_outcome(make_frame([], totals=totals, stage=OVER), 60) == sentence


def test_outcome_of_lowest_total_and_for_spectator():
    lowest_wins = make_frame(parse_bridge_rounds("130 0 45"), seats=3, game=BRIDGE, stage=OVER)
    assert round_end.format_outcome(lowest_wins, 60) == "Ada wins with 0; you are third"
    seen = make_frame([], totals=(88, 149, 201, 30), names=("Dee", *NAMES[1:]), stage=OVER)
    assert round_end.format_outcome(seen, 60) == "Bo wins with 201"


def test_outcome_names_who_has_lost_before_the_end():
    frame = make_frame([], totals=(40, 88, 30, 20), stage=OVER)
    own = replace(frame, ranks=(4, 1, 2, 3), lost={0: "clock"})
    assert round_end.format_outcome(own, 60) == "Ada wins with 88; you lost on time"
    other = replace(frame, ranks=(2, 1, 4, 3), lost={2: "left"})
    assert round_end.format_outcome(other, 60) == "Ada wins with 88; you are second; Bo left"


def find_blocks(canvas):
    """Return place, top row, number of rows and colour of each block of the podium, from left to right."""
    blocks = {}
    for y, row in enumerate(canvas.grounds):
        starts = [x for x in range(1, canvas.width) if row[x] in (INKS.gold, INKS.quiet) and row[x - 1] != row[x]]
        for x in starts:
            text = "".join(
                [char for char, ground in zip(canvas.chars[y][x:], row[x:], strict=True) if ground == row[x]]
            )
            place, top, rows, _ = blocks.get(x, ("", y, 0, ""))
            blocks[x] = place or text.strip()[:1], top, rows + 1, row[x]
    return [(int(place), *more) for _, (place, *more) in sorted(blocks.items())]


@pytest.mark.parametrize(("width", "height"), [(60, 18), *SIZES])
@pytest.mark.parametrize(
    ("line", "places", "others"),
    [
        ("2H 0/0 1/1 0/1 2/0", [2, 1, 3], ["4 +Cy +−4"]),
        ("2H 0/0 0/0 0/1 2/0", [1, 1, 3], ["4 +Cy +−4"]),
        ("2H 0/0 1/1 0/1 1/0", [2, 1, 3, 3], []),
        ("2H 0/0 1/0 1/0 1/0", [2, 1, 2, 2], []),
        ("2H 0/0 0/0 0/0 0/0 0/0 0/0", [1, 1, 1, 1, 1, 1], []),
        ("1H 0/0 1/1", [1, 2], []),
    ],
    ids=["all different", "shared win", "shared third", "shared second", "six winners", "two players"],
)
def test_podium_has_places_with_names_and_results(line, places, others, width, height):
    seats = len(line.split()) - 1
    canvas = render_round_end(make_frame(parse_rounds(line), seats=seats, stage=OVER), width, height)
    blocks = find_blocks(canvas)
    assert [place for place, *_ in blocks] == (places if width != 80 else places[:4])
    bottoms = {top + rows for _, top, rows, _ in blocks}
    assert len(bottoms) == 1, "the blocks have a common bottom row"
    heights = {place: rows for place, _, rows, _ in blocks}
    assert sorted(heights.values(), reverse=True) == [heights[place] for place in sorted(heights)]
    assert len(set(heights.values())) == len(heights)
    assert {ink for place, *_, ink in blocks if place == 1} == {INKS.gold}
    assert find_text(canvas, "(★)").ink == INKS.gold
    for text in others:
        assert find_text(canvas, f"{text}(?: |$)").row >= bottoms.pop()


def test_podium_leaves_a_line_for_each_of_the_others():
    lowest_wins = make_frame(parse_bridge_rounds("50 40 30 20"), seats=4, game=BRIDGE, stage=OVER)
    for width, height in ((60, 18), *SIZES):
        canvas = render_round_end(lowest_wins, width, height)
        assert [place for place, *_ in find_blocks(canvas)] == [2, 1, 3]
        assert find_text(canvas, "4  (You) +50").bold
        remarked = render_round_end(
            replace(lowest_wins, remarks=("Not rated: " + "a long reason, " * 6,)), width, height
        )
        assert find_text(remarked, "4 +You +50")


LINES = tuple(EndLine("" if i < 2 else f"Label{i}", f"text {i} with QH", "share" if i == 2 else "") for i in range(9))


@pytest.mark.parametrize(("width", "height", "number"), [(60, 18, 3), (80, 24, 6), (100, 30, 6), (120, 40, 8)])
def test_first_lines_are_below_the_podium(width, height, number):
    seen = make_frame(parse_rounds("1H 0/0 1/1 0/1 1/0"), stage=OVER, names=LONG_NAMES)
    canvas = render_round_end(replace(seen, end_lines=EndLines(LINES)), width, height)
    rows = [find_text(canvas, f"text {i} with Q♥").row for i in range(number)]
    assert rows == list(range(rows[0], rows[0] + number)), "each line takes one row"
    assert rows[0] > max(top + tall for _, top, tall, _ in find_blocks(canvas)) - 1
    assert f"text {number}" not in str(canvas)
    assert re.search(r"Label2 +text 2 .* S( review)? *$", get_rows(canvas)[rows[2]])


# The score sheet


def test_leader_has_star_and_bold_total():
    canvas = render_sheet(make_frame(parse_rounds("1H 0/1 1/1 0/0 1/0", "2H 0/1 1/1 0/0 1/0")))
    assert find_text(canvas, r"Ada (★) +24").ink == INKS.gold
    assert str(canvas).count("★") == 1
    assert "★" not in str(render_sheet(make_frame([], bids=(None,) * 4))), "before the first round ends"
    assert find_text(canvas, r"^ +2  2♥ .* (24) ").bold
    assert not find_text(canvas, r"^ +2  2♥ .* (20) ").bold


def test_sheet_opens_near_current_round_and_scrolls():
    seen = make_frame(generate_rounds(19), bids=(None, None, None, 3))
    numbers = [row.split()[0] for row in get_rows(render_sheet(seen))[5:22]]
    assert numbers == [*map(str, range(6, 20)), "▌20", "21", "22"]
    assert score_sheet.compute_opening_scroll(Canvas(80, 24, APPEARANCE), seen) == 5
    largest = score_sheet.paint_sheet(Canvas(80, 24, APPEARANCE), seen, 0)
    assert largest == 28 - 17
    assert get_rows(render_sheet(seen, 0))[5].split()[0] == "1"
    for scroll in (largest, 99):
        assert get_rows(render_sheet(seen, scroll))[21].split()[:2] == ["28", "1"]
    assert find_text(render_sheet(seen), "^  ↑↓ scroll   Esc back to the table")


@pytest.mark.parametrize(("width", "height"), [(60, 18), *SIZES])
def test_player_has_one_colour_everywhere(width, height):
    rounds = generate_rounds(5, seats=6)
    plates = render_table(make_frame(rounds, seats=6, bids=(None,) * 6), (width, height))
    ends = [make_frame(rounds, seats=6, stage=stage) for stage in (Stage.ROUND_END, OVER)]
    pictures = [render_sheet(ends[0], None, width, height), *[render_round_end(end, width, height) for end in ends]]
    for name, colour in zip(NAMES, THEME.plot.lines, strict=True):
        assert find_inks(plates, name, ground=GROUNDS.plate) == {colour}
        assert [find_inks(picture, name) for picture in pictures] == [{colour}] * len(pictures)


def find_inks(canvas, text, ground=None):
    """Return the inks of a name below the header and outside sentences, on one ground only if that is given."""
    places = [
        (y, match.start())
        for y, row in enumerate(get_rows(canvas))
        for match in re.finditer(rf"\b{text}\b(?! wins)", row)
    ]
    return {canvas.inks[y][x] for y, x in places if y and (ground is None or canvas.grounds[y][x] == ground)}


# All of them at every size

SCREENS = st.tuples(st.integers(60, 200), st.integers(18, 60))
TABLES = st.tuples(st.integers(2, 6), st.integers(0, 40), st.integers(0, 5))


@settings(max_examples=60, deadline=None)
@given(SCREENS, TABLES, st.sampled_from(Stage), st.sampled_from([NAMES, LONG_NAMES]), st.none() | st.integers(0, 50))
def test_screens_paint_at_every_size(size, table, stage, names, scroll):
    seats, played, me = table
    scores = generate_rounds(played, seats, seed=me, bonus="ten" if played else "")
    seen = make_frame(scores, seats=seats, me=me % seats, names=names, stage=stage)
    shape = override(
        seen.game_view, header=lambda view: HeaderFacts(""), next_round=lambda view, names: (), progress=lambda view: ()
    )
    seen = replace(seen, game_view=shape)
    assert isinstance(round_end.build_end_sections(seen), tuple)
    grid, end, sheets = compute_layout(*size), render_round_end(seen, *size), render_sheet(seen, scroll, *size)
    for canvas in (end, sheets):
        assert not re.search(r"-\d", str(canvas)), "a minus sign is not a hyphen"
        assert all(len(row) == size[0] for row in canvas.chars)
    assert all(format_number(total) in get_rows(sheets)[2] for total in seen.view.totals)
    assert get_rows(end)[0] == get_rows(end)[grid.prompt_row] == "", (
        "the painter leaves the rows of header and prompt empty"
    )
    assert not "".join("".join(row[grid.panel.x :]) for row in end.chars).strip(), "the painter leaves the panel empty"


KEYS = {"up down": "decision", "play": "replay", "go_on": "play here", "leave": "back", "names": "names"}


def paint_keys(keys, width, look=APPEARANCE, **more):
    canvas = Canvas(width, 3, look)
    paint_footer(canvas, keys, 2, **more)
    return canvas


@pytest.mark.parametrize("bound", [{}, {"leave": "ctrl+backspace", "play": "ctrl+pagedown"}], ids=["usual", "long"])
@pytest.mark.parametrize("sheet", [True, False])
def test_narrow_footer_drops_keys_but_leave(bound, sheet):
    keys, _ = build_keymap(changes=bound)
    before = list(KEYS)
    for width in range(120, 30, -1):
        canvas = paint_keys(KEYS, width, Appearance(THEME, keys=keys), with_help=sheet)
        targets = [canvas.hit_test(x, 2) for x in range(width)]
        names = [name for name in KEYS if KeyTarget(name.split()[-1]) in targets]
        assert "leave" in names
        assert names == [name for name in before if name in names]
        assert [name for name in names if name != "leave"] == [n for n in KEYS if n != "leave"][: len(names) - 1]
        before = names


@pytest.mark.parametrize(("width", "named"), [(60, "Enter leave  r replay  e review  n new deal"), (80, "= same deal")])
def test_session_end_names_replay_and_review(width, named):
    end = replace(make_frame(generate_rounds(28), stage=Stage.SESSION_END), is_recorded=True)
    footer = get_rows(paint_keys(list_footer_keys(end), width))[-1]
    assert named in footer
    assert "r replay" in footer
    assert "e review" in footer


def test_no_same_deal_after_club_session():
    at_home = create_session("gurka")
    at_club = sessions.create(
        at_home.referee.game, at_home.header.seats, at_home.referee.options, 1, now=NOW, host_id="abcdefghjkmnpqrs"
    )
    for session, has_same_deal in ((at_home, True), (at_club, False)):
        assert TableApp(session).table.frame.has_same_deal is has_same_deal
        end = replace(make_frame(generate_rounds(28), stage=Stage.SESSION_END), has_same_deal=has_same_deal)
        footer = get_rows(paint_keys(list_footer_keys(end), 120))[-1]
        assert ("same deal" in footer) is has_same_deal
        assert "n new deal" in footer
        assert TABLE_SCOPE.is_enabled("again", TableKeyState(end)) is has_same_deal
