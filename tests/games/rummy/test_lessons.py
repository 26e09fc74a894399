"""Lessons of Rummy: their texts are short enough for the piles and melds to stay in view."""

from cardtable.session.lessons import load_lessons
from cardtable.ui.table.paint.advice import TEXT_COLUMNS
from cardtable.ui.toolkit.painting.markup_text import layout_rows

ROWS_ABOVE_PILES = 4
"""Rows of text that leave room for the piles on a screen of 80 x 24."""


def test_texts_leave_piles_in_view():
    texts = [text for lesson in load_lessons("rummy")[:-1] for step in lesson.steps for text in (step.text, step.right)]
    assert [text for text in texts if len(layout_rows(text, TEXT_COLUMNS)) > ROWS_ABOVE_PILES] == []
