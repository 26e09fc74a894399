"""Round end, session end and score sheet. UPDATE_GOLDEN=1 rewrites the golden files."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cardtable.engine.cards import HEARTS
from cardtable.engine.game import CardsTitle, Score
from cardtable.games.rikiki.rules import Record
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.game_view import HeaderFacts, Progress, Row
from cardtable.ui.table.paint import board, round_end, score_sheet
from cardtable.ui.table.paint.board import paint_prompt
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.wording.formatting import format_number
from tests import golden_files
from tests.ui.painted import BRIDGE, GURKA, LOOK, NAMES, THEME, between, frame, hands, look, many, paper, rounds, rows

INKS, GROUNDS = THEME.inks, THEME.grounds
OVER = Stage.SESSION_END
SIZES = ((80, 24), (120, 40))
LONG_NAMES = ("You", "Maximilian the Second", "Bo", "Alexandra Augusta", "李小龍", "Eve")


@pytest.mark.promise(
    "The table",
    "The end of a round shows points and a plot of totals, until a key is pressed or a set time has passed.",
)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_round_end(width, height):
    own = Record(row=8, successes=13, falls=3, no_trump=4)
    seen = frame(many(16, bonus="four"), records=(own, Record(), Record(), Record()))
    golden_files.check(f"painters/round_end_{width}x{height}.txt", f"{between(seen, width, height)}\n")


@pytest.mark.promise("Statistics, rankings and credits", "Plots show the totals of a session and the rating over time.")
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_session_end(width, height):
    seen = frame(many(28), stage=OVER)
    golden_files.check(f"painters/session_end_{width}x{height}.txt", f"{between(seen, width, height)}\n")


@pytest.mark.promise("The table", "`s` shows the score sheet with every round, running totals and marked bonuses.")
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_sheet(width, height):
    seen = frame(many(19, bonus="ten"), bids=(None, None, None, 3))
    golden_files.check(f"painters/sheet_{width}x{height}.txt", f"{paper(seen, None, width, height)}\n")


# The end of a round


def test_a_bonus_is_a_gold_line_under_its_player_and_its_points_are_not_counted_twice():
    canvas = between(frame(rounds("13 5/5four 4/2 3/3 2/3")))
    bonus = look(canvas, r"^ +no-trump four +\+10")
    assert bonus.row == look(canvas, r"^ +You +5 +5 +\+20").row + 1
    assert look(canvas, "no-trump four").ink == look(canvas, r"no-trump four +(\+10)").ink == INKS.gold


def test_without_room_for_bonus_lines_the_points_hold_the_bonus_and_are_gold():
    canvas = between(frame(rounds("5H 2/2ten 0/0ten 2/1 1/1ten 0/1ten 1/1"), seats=6))
    assert "ten in a row" not in str(canvas)
    assert look(canvas, r"^ +You +2 +2 +(\+34)").ink == INKS.gold
    assert look(canvas, r"^ +Eve +1 +1 +(\+12)").ink == INKS.text


def test_own_row_is_first_and_bold_and_the_others_follow_clockwise():
    canvas = between(frame(rounds("1H 0/0 1/1 0/1 1/0"), me=2, names=("Ada", "Bo", "You", "Cy")))
    named = [look(canvas, rf"^ {{4}}{name} +\d +\d").row for name in ("You", "Cy", "Ada", "Bo")]
    assert named == [6, 7, 8, 9]
    assert look(canvas, r"^ +You +0 +1 +(−2)").bold
    assert not look(canvas, r"^ +Cy +1 +0 +(−2)").bold


def test_lost_points_have_the_ink_of_losses_but_not_where_the_lowest_total_wins():
    assert look(between(frame(rounds("1H 0/0 1/0 0/0 0/1"))), r"^ +Ada +1 +0 +(−2)").ink == INKS.loss
    jacks = between(frame(hands("15 -40 25"), seats=3, game=BRIDGE))
    assert look(jacks, r"^ +Ada +0 +−40 +(−40)").ink == INKS.text


def test_names_have_the_inks_of_their_lines_in_the_plot():
    canvas = between(frame(many(16)))
    inks = [look(canvas, rf"^ +({name}) ").ink for name in NAMES[:4]]
    assert inks == [look(canvas, rf"({name}) +\d+$").ink for name in NAMES[:4]] == list(THEME.plot.lines[:4])


def test_panel_says_what_comes_next_and_the_places_so_far():
    following, table = round_end.build_end_sections(frame(rounds("1H 0/0 1/0 0/0 0/1")))
    assert following.heading == "Next"
    assert following.rows[0] == Row("round 2", ("2 cards",))
    assert [(row.label, row.values, row.own) for row in table.rows] == [
        ("", ("total", "place"), False),
        ("You", ("10", "1"), True),
        ("Bo", ("10", "1"), False),
        ("Ada", ("−2", "3"), False),
        ("Cy", ("−2", "3"), False),
    ]


def test_places_go_by_the_lowest_total_in_bridge():
    assert score_sheet.compute_places(frame(hands("15 0 25"), seats=3, game=BRIDGE)) == (2, 1, 3)


def test_prompts_say_what_is_over_and_what_enter_does():
    scores = many(16)
    assert round_end.format_end_prompt(frame(scores)) == ("Round 16 is over.", "{play} deals round 17")
    assert round_end.format_end_prompt(frame(scores, stage=OVER)) == ("The session is over.", "{play} leaves")


def with_bars(*bars):
    seen = frame(many(16))
    return replace(seen, game_view=replace(seen.game_view, progress=lambda view: bars))


def test_bars_are_gold_when_earned_and_lost_past_their_end():
    earned, lost = Progress("Fours", 4, 4, "+10", earned=True), Progress("Falls", 9, 8, "+20")
    canvas = between(with_bars(earned, lost, Progress("Row", 3, 10, "+20")))
    assert look(canvas, r"^  Fours  (■{4}) +4 of 4 +\+10  earned$").ink == INKS.gold
    assert look(canvas, r"^  Falls  (■{8}) +9 of 8 +\+20  lost$").ink == INKS.bad
    assert look(canvas, r"^  Row    (■{10}) +3 of 10 +\+20$").ink == INKS.bar
    assert look(canvas, r"^  Row    ■{3}(■{7})").ink == GROUNDS.track


def test_where_not_all_bars_fit_those_nearest_to_their_end_are_shown():
    shares = {"Fours": 4, "Row": 9, "Falls": 11, "Aces": 1, "Jacks": 5}
    canvas = between(with_bars(*[Progress(label, done, 10) for label, done in shares.items()]), 60, 18)
    assert [row.split()[0] for row in rows(canvas)[14:17]] == ["Fours", "Row", "Jacks"]


def test_the_smallest_screen_has_total_and_place_in_the_table_instead_of_a_plot():
    canvas = between(frame(rounds("1H 0/0 1/0 0/0 0/1")), 60, 18)
    assert look(canvas, r"bid +won +points +total +place$")
    assert look(canvas, r"^ +Ada +1 +0 +−2 +−2 +3$")
    assert not re.search("[\u2801-\u28ff]", str(canvas))


# The end of a session


@pytest.mark.parametrize(
    ("totals", "said"),
    [
        ((186, 149, 131, 88), "You win with 186"),
        ((88, 149, 201, 30), "Bo wins with 201; you are third"),
        ((150, 20, 150, 30), "You and Bo share the win with 150"),
        ((150, 201, 201, 150), "Ada and Bo share the win with 201; you share third place"),
        ((-8, -4, -4, -4), "Ada, Bo and Cy share the win with −4; you are fourth"),
    ],
)
def test_who_has_won_in_words(totals, said):
    assert round_end.format_outcome(frame([], totals=totals, stage=OVER), 60) == said


def test_the_lowest_total_wins_in_bridge():
    seen = frame(hands("130 0 45"), seats=3, game=BRIDGE, stage=OVER)
    assert round_end.format_outcome(seen, 60) == "Ada wins with 0; you are third"


def test_who_watches_is_not_spoken_to():
    seen = frame([], totals=(88, 149, 201, 30), names=("Dee", *NAMES[1:]), stage=OVER)
    assert round_end.format_outcome(seen, 60) == "Bo wins with 201"


def test_long_names_are_cut_before_words_are_left_out():
    seen = frame([], totals=(88, 201, 30, 149), names=LONG_NAMES, stage=OVER)
    assert round_end.format_outcome(seen, 60) == "Maximilian the Second wins with 201; you are third"
    assert round_end.format_outcome(seen, 45) == "Maximilian… wins with 201; you are third"
    assert round_end.format_outcome(seen, 26) == "Maximilian… wins with 201"


def test_final_standing_is_in_order_of_places_and_the_winner_has_a_star():
    canvas = between(frame(rounds("1H 0/0 1/1 0/1 1/0"), stage=OVER))
    told = [r"^ {4}1  Ada (★) +\+12 +12 ", r"^ {4}2  You +\+10 +10 ", r"^ {4}3  Bo +−2 +−2 ", r"^ {4}3  Cy +−2 +−2 "]
    assert [look(canvas, line).row for line in told] == [6, 7, 8, 9]
    assert look(canvas, told[0]).ink == INKS.gold


def test_exact_bids_are_counted_for_everybody():
    canvas = between(frame(rounds("1H 0/0 1/1 0/1 1/0", "2H 0/0 1/1 0/1 1/1"), stage=OVER))
    for name, exact in zip(NAMES, (2, 2, 0, 1), strict=False):
        assert look(canvas, rf"^  {name} +━+╸?━* +{exact} of 2$")


def test_facts_of_the_header_are_left_out_whole_and_names_have_the_room():
    seen = frame([], seats=4, names=LONG_NAMES[:4])
    for width in range(60, 121):
        canvas = Canvas(width, 24, LOOK)
        board.paint_header(canvas, compute_layout(width, 24), seen)
        told = rows(canvas)[0]
        assert re.fullmatch(r" +Rikiki  ?(round \d+ of 28)?  +\S.*", told), told


def test_games_without_bids_count_rounds_won():
    seen = frame(hands("0 15 25", "10 0 0"), seats=3, game=BRIDGE, stage=OVER)
    assert score_sheet.count_successes(seen) == score_sheet.Tally("Rounds won", (1, 1, 1))


@pytest.mark.parametrize(("why", "shown"), [("It is so.", True), ("So many words leave it no room", False)])
def test_the_own_role_stands_at_the_own_plate_where_it_takes_no_room_from_the_words(why, shown):
    canvas, grid = Canvas(80, 24, LOOK), compute_layout(80, 24)
    paint_prompt(canvas, grid, frame(rounds(), bids=(None,) * 4), "Bid.", why)
    told = rows(canvas)[grid.prompt_row]
    assert ("dealer" in told) == shown
    assert told.endswith(f"Bid.  {why}"), "the words are whole"


def test_gurka_counts_rounds_without_points_since_no_one_wins_them():
    seen = frame(hands("0 9 0 0", "0 0 9 9"), game=GURKA, stage=OVER)
    assert score_sheet.count_successes(seen) == score_sheet.Tally("Rounds without points", (2, 1, 1, 1))


def test_best_rounds_of_the_panel():
    (best,) = round_end.build_end_sections(frame(rounds("1H 0/0 1/0 0/1 1/1", "2H 1/1 0/1 0/0 2/1"), stage=OVER))
    assert [(row.label, row.values) for row in best.rows[1:]] == [
        ("You", ("+12", "2")),
        ("Cy", ("+12", "1")),
        ("Bo", ("+10", "2")),
        ("Ada", ("−2", "1")),
    ]


# The score sheet


def test_a_fall_has_what_was_won_bold_and_points_in_the_ink_of_losses():
    canvas = paper(frame(rounds("3H 2/1 0/0 1/1 1/1")))
    won, points = look(canvas, r"^ +1  3♥    2   (1)"), look(canvas, r"^ +1  3♥    2   1  (−2)  −2")
    assert (won.ink, won.bold, points.ink) == (INKS.loss, True, INKS.loss)
    assert look(canvas, r"3♥    (2)").ink == INKS.soft


@pytest.mark.promise("The table", "`s` shows the score sheet with every round, running totals and marked bonuses.")
def test_points_with_a_bonus_are_a_chip():
    canvas = paper(frame(rounds("10C 2/2ten 1/1 3/3 4/4")))
    chip = look(canvas, r"\+34")
    assert (chip.ground, chip.bold) == (GROUNDS.bonus, True)
    assert look(canvas, r"\+12").ground != GROUNDS.bonus


def test_nothing_won_or_lost_is_a_quiet_dot():
    assert look(paper(frame(hands("0 15 25"), seats=3, game=BRIDGE)), r"out +0 +0 +(·)").ink == INKS.quiet


def test_the_leader_has_a_star_and_the_last_total_in_bold():
    canvas = paper(frame(rounds("1H 0/1 1/1 0/0 1/0", "2H 0/1 1/1 0/0 1/0")))
    assert look(canvas, r"Ada (★) +24").ink == INKS.gold
    assert str(canvas).count("★") == 1
    assert look(canvas, r"^ +2  2♥ .* (24) ").bold
    assert not look(canvas, r"^ +2  2♥ .* (20) ").bold


def test_nobody_leads_before_the_first_round_is_over():
    assert "★" not in str(paper(frame([], bids=(None, None, None, None))))


def test_the_present_round_shows_bids_so_far_and_who_is_to_bid():
    canvas = paper(frame(many(19), bids=(None, None, None, 3)))
    assert look(canvas, r"^  (▌20)  9♣    \? +3$").ground == GROUNDS.row
    assert look(canvas, r"^  (▌)").ink == look(canvas, r"▌20  9♣ +(\?)").ink == INKS.gold
    assert look(canvas, r"^  Score sheet   Rikiki   round 20 of 28 +You to bid$").row == 0


def test_rounds_to_come_are_quiet():
    assert look(paper(frame(many(19), bids=(None, None, None, 3))), r"^   21  (8)  +· +· +· +·$").ink == INKS.quiet


def test_the_sheet_opens_with_the_present_round_third_from_below_and_scrolls_to_both_ends():
    seen = frame(many(19), bids=(None, None, None, 3))
    numbers = [row.split()[0] for row in rows(paper(seen))[5:22]]
    assert numbers == [*map(str, range(6, 20)), "▌20", "21", "22"]
    assert score_sheet.compute_opening_scroll(Canvas(80, 24, LOOK), seen) == 5
    largest = score_sheet.paint_sheet(Canvas(80, 24, LOOK), seen, 0)
    assert largest == 28 - 17
    assert rows(paper(seen, 0))[5].split()[0] == "1"
    for scroll in (largest, 99):
        assert rows(paper(seen, scroll))[21].split()[:2] == ["28", "1"]
    assert look(paper(seen), "^  ↑↓ scroll   Esc back to the table")


def test_a_sheet_that_fits_does_not_scroll():
    seen = frame(hands("15 0 25"), seats=3, game=BRIDGE)
    assert score_sheet.paint_sheet(Canvas(80, 24, LOOK), seen, 0) == 0
    assert look(paper(seen), "^  Esc back to the table")


def test_the_large_sheet_lists_bonuses_and_exact_bids():
    canvas = paper(frame(rounds("10C 2/2ten 1/0 3/3 4/4", "11C 1/1 0/1 3/3tenfalls 2/3")), None, 120, 40)
    assert look(canvas, r"   You  ━+ +2 of 2$")
    assert look(canvas, r"    1 You \+20 ten in a row$")
    assert look(canvas, r"    2 Bo  \+20 ten falls in a row$")


def test_long_names_are_cut_and_totals_are_not():
    scores = many(12)
    names, totals = rows(paper(frame(scores, names=LONG_NAMES)))[1:3]
    assert all(f" {total}" in totals for total in scores[-1].totals)
    assert re.search(r"Maximil.*…  .*Alexandr.*…", names)


def test_names_and_totals_stand_below_each_other_where_they_have_no_room_side_by_side():
    deep = Score(CardsTitle(5, HEARTS), ((1, 1),) * 6, (-100,) * 6, ((),) * 6, (-1100,) * 6)
    names, totals, heads = rows(paper(frame([deep], seats=6), None, 60, 18))[1:4]
    assert names.split() == list(NAMES)
    assert totals.replace("★", "").split() == ["−1100"] * 6
    assert heads.split() == ["rd", "deal", *["tot"] * 6]


def test_figures_are_left_out_before_points():
    assert rows(paper(frame(many(5, seats=6), seats=6)))[3].split() == ["rd", "deal", *["pts", "tot"] * 6]
    assert rows(paper(frame(many(5)), None, 60, 18))[3].split() == ["rd", "deal", *["bid", "pts", "tot"] * 4]


# All of them at every size

SCREENS = st.tuples(st.integers(60, 200), st.integers(18, 60))
TABLES = st.tuples(st.integers(2, 6), st.integers(0, 40), st.integers(0, 5))


@settings(max_examples=60, deadline=None)
@given(SCREENS, TABLES, st.sampled_from(Stage), st.sampled_from([NAMES, LONG_NAMES]), st.none() | st.integers(0, 50))
def test_every_size_has_its_screens(size, table, stage, names, scroll):
    seats, played, me = table
    scores = many(played, seats, seed=me, bonus="ten" if played else "")
    seen = frame(scores, seats=seats, me=me % seats, names=names, stage=stage)
    shape = replace(
        seen.game_view, header=lambda view: HeaderFacts(""), next_round=lambda view, names: (), progress=lambda view: ()
    )
    seen = replace(seen, game_view=shape)
    assert isinstance(round_end.build_end_sections(seen), tuple)
    grid, end, sheets = compute_layout(*size), between(seen, *size), paper(seen, scroll, *size)
    for canvas in (end, sheets):
        assert not re.search(r"-\d", str(canvas)), "a minus sign is not a hyphen"
        assert all(len(row) == size[0] for row in canvas.chars)
    assert all(format_number(total) in rows(sheets)[2] for total in seen.view.totals)
    assert rows(end)[0] == rows(end)[grid.prompt_row] == "", "header and prompt are painted by others"
    assert not "".join("".join(row[grid.panel.x :]) for row in end.chars).strip(), "and so is the panel"


def test_on_the_line_of_the_present_round_the_suit_is_bold_so_that_it_is_not_dim_without_colours():
    found = look(paper(frame(many(2), bids=(1, None, None, None))), r"3(\S) +1")
    assert found.bold
    assert found.ground == THEME.grounds.row
