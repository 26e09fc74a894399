"""Forms for new tables: every field and house rule, whatever front end asks for it."""

import re

import pytest

from cardtable.club.open_table import OpenTableForm, parse_open_table
from cardtable.games import KEYS
from cardtable.store.score_tables import ScoreTableForm
from cardtable.store.session_setup import GAME
from cardtable.ui.club import lobby
from cardtable.ui.new_table import NewTableForm
from cardtable.ui.score_table import screen
from cardtable.ui.toolkit.form import make_field_row
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import BlockArea
from tests.ui.canvas_rendering import APPEARANCE

SMALL, TINY = 80 - 2 * MARGIN, 60 - 2 * MARGIN
FORMS = [NewTableForm, OpenTableForm, ScoreTableForm]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("create_form", FORMS)
def test_keys_reach_every_value_and_return(create_form, key):
    for field in [*create_form(key).list_fields(), *create_form(key).list_rules()]:
        form = create_form(key)
        if field.minutes:
            continue
        seen = []
        for _ in field.values:
            seen.append(form.get_value(field))
            assert form.format_value(field) == field.values[seen[-1]]
            form.step(field, 1)
        assert sorted(seen, key=str) == sorted(field.values, key=str)
        form.choose(field, seen[0])
        form.step(field, -1)
        assert form.get_value(field) == seen[-1]


@pytest.mark.parametrize("create_form", FORMS)
def test_only_answers_of_the_game_change_with_the_game(create_form):
    form = create_form("rikiki")
    for field in [*form.list_fields(), *form.list_rules()]:
        if field.name not in (GAME, "deal"):
            form.step(field, 1)
    before = {field.name: form.get_value(field) for field in [*form.list_fields(), *form.list_rules()]}
    form.choose(form.game_field, "gurka")
    assert form.options == form.default_options
    assert form.seats == form.game.about.usual_seats
    assert {field.name: form.get_value(field) for field in form.list_fields() if not field.of_game} == {
        field.name: before[field.name] if field.name != GAME else "gurka"
        for field in form.list_fields()
        if not field.of_game
    }
    form.choose(form.game_field, "rikiki")
    assert {field.name: form.get_value(field) for field in [*form.list_fields(), *form.list_rules()]} == before


@pytest.mark.parametrize("width", [SMALL, TINY])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("create_form", "stops"), [(OpenTableForm, lobby.STOPS), (ScoreTableForm, screen.STOPS)])
def test_every_value_is_shown_whole(create_form, stops, key, width):
    for field in [*create_form(key).list_fields(), *create_form(key).list_rules()]:
        for value, words in field.values.items():
            form = create_form(key)
            form.choose(field, value)
            canvas = Canvas(width, 1, APPEARANCE)
            make_field_row(form, field, stops).to_block(width).paint(BlockArea(canvas, 0, 0, width, has_cursor=False))
            assert re.fullmatch(rf" +{field.label} +‹? *{re.escape(words)} *›? *", "".join(canvas.chars[0]))


@pytest.mark.parametrize("key", KEYS)
def test_words_of_open_mean_what_the_page_asks(key):
    form = OpenTableForm(key)
    for field in [*form.list_fields(), *form.list_rules()]:
        if field.name in (GAME, "access"):
            continue
        for value in field.values:
            form = OpenTableForm(key)
            form.choose(form.growth_field, "off")
            form.choose(field, value)
            words = [f"grow={form.get_value(form.growth_field)}", f"seats={form.seats}"]
            words += [f"{field.name}={value}"] if field.name not in ("grow", "seats") else []
            assert parse_open_table([key, *words]) == form.create_request([])
    form.choose(form.list_fields()[-1], "invited")
    assert parse_open_table([key, "private", f"seats={form.seats}"]).private
