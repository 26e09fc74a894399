"""Page with the form for a new table of a club."""

from typing import Final

from cardtable.club.open_table import OpenTableForm
from cardtable.store.session_setup import GAME
from cardtable.ui.keys.bindings import NEW_CLUB_TABLE
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    ColumnStops,
    FormPage,
    FormRow,
    make_field_row,
    make_heading_row,
    make_input_row,
)
from cardtable.ui.toolkit.text_input import TextInput

STOPS: Final = ColumnStops(3, 24, 24)
_MAX_INVITED_LENGTH: Final = 200


class OpenTablePage(FormPage):
    """Page with the form for a new table.

    The result of its screen is the request to open the table, or ``None`` if the player leaves the page.
    """

    SCOPE = NEW_CLUB_TABLE
    header_texts = ("New table", "others sit down, you start")
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._form = OpenTableForm()
        self._invited_input = TextInput(_MAX_INVITED_LENGTH)

    def list_rows(self) -> list[FormRow]:
        form, placeholder = self._form, "nicks, or later at the table"
        invited = make_input_row("invited", self._invited_input, placeholder, None, {}, label="Invited", stops=STOPS)
        return [
            *[make_field_row(form, field, STOPS, bold=field.name == GAME) for field in form.list_fields()],
            *([invited] if form.is_private else []),
            EMPTY_ROW,
            make_heading_row("House rules"),
            *[make_field_row(form, rule, STOPS) for rule in form.list_rules()],
        ]

    def action_open(self) -> None:
        """Close the page with the request as the result of its screen."""
        if self._is_inactive:
            return
        self.screen.dismiss(self._form.create_request(self._invited_input.text.replace(",", " ").split()))
