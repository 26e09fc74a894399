"""Another session with the same seats and house rules, and perhaps the same deal."""

from typing import TYPE_CHECKING

from cardtable.store import setup
from cardtable.ui.page.room import Room

if TYPE_CHECKING:
    from cardtable.ui.table.screen import TableScreen


async def begin(room: Room, table: "TableScreen", same_deal: bool) -> None:
    """Begin it; a session that is not over stays, once that is said and where it is saved."""
    following = setup.again(table.session, same_deal=same_deal)
    asked = table.session.table.ended or not room.preferences.settings.confirm
    if asked or await room.leaving.has_unsaved():
        room.begin(following)
        return
    if not table.is_current:
        return
    from cardtable.ui.page.dialog import Dialog  # noqa: PLC0415 - seldom asked

    def answered(answer: str | None) -> None:
        if answer is not None:
            room.begin(following)

    what = "The same deal again" if same_deal else "A new session"
    text = "This session is not over. It stays among the tables of the picker: you can go on with it there."
    dialog = Dialog(room.preferences.look, what, text, "deals the cards", "keeps playing")
    table.app.push_screen(dialog, answered)
