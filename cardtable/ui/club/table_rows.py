"""Rows of the lobby for tables and unfinished sessions."""

from collections.abc import Callable

from cardtable.club.client.client import ClubClient
from cardtable.club.protocol import TableInfo
from cardtable.club.table_text import (
    find_offered_seat,
    format_access,
    format_game_title,
    format_house_rules,
    format_seat_info,
    format_table_name,
    format_table_state,
    format_time,
)
from cardtable.engine.game import Seat
from cardtable.engine.text_format import sanitize
from cardtable.ui.keys.bindings import FooterKeys
from cardtable.ui.toolkit import scroll_list
from cardtable.ui.toolkit.form import FormRow


def create_table_row(
    client: ClubClient,
    table_info: TableInfo,
    seat: Seat | None,
    robot_level: str,
    on_step: Callable[[int], None],
    on_press: Callable[[], object],
) -> FormRow:
    """Return the form row of a table.

    ``seat`` is the free seat that the player has selected, or ``None`` if there is no choice. ``robot_level`` is the
    level of the robots that would take the free seats. ``on_step`` is called with 1 or -1 if the player selects the
    next or previous seat or level, and ``on_press`` if the player presses Enter.
    """

    def draw(area: scroll_list.BlockArea) -> None:
        inks = area.canvas.theme.inks
        start = area.write_right(0, f"since {format_time(table_info.since)}", area.quiet_ink)
        end = area.write(3, 0, format_game_title(table_info.game), area.name_ink, bold=area.has_cursor) - area.x
        name = format_table_name(client, table_info)
        about = ", ".join(filter(None, (name, *format_access(table_info))))
        area.write(end + 2, 0, about, inks.soft, max_width=max(start - end - 4, 0))
        area.write(3, 1, ", ".join(_format_seats(table_info, seat if area.has_cursor else None)), area.muted_ink)
        area.write(3, 2, format_table_state(client, table_info, robot_level), area.quiet_ink)
        area.write(3, 3, rules, area.quiet_ink)

    rules = format_house_rules(client, table_info)
    changes = on_step if _has_choice(client, table_info) else None
    return FormRow(
        name=table_info.table,
        rows=4 if rules else 3,
        draw=draw,
        on_press=on_press,
        on_step=changes,
        keys=_list_table_keys(client, table_info),
    )


def create_unfinished_row(table_info: TableInfo, on_press: Callable[[], object]) -> FormRow:
    """Return the form row of an unfinished session that the player can resume by pressing Enter."""

    def draw(area: scroll_list.BlockArea) -> None:
        inks = area.canvas.theme.inks
        start = area.write_right(0, f"played {format_time(table_info.since)}", area.quiet_ink)
        end = area.write(3, 0, format_game_title(table_info.game), area.name_ink, bold=area.has_cursor) - area.x
        round_text = f"round {table_info.round}" if table_info.round else ""
        about = "  ".join(filter(None, (sanitize(table_info.name, 40), round_text)))
        area.write(end + 2, 0, about, inks.soft, max_width=max(start - end - 4, 0))
        area.write(3, 1, ", ".join([sanitize(info.name, 20) for info in table_info.seats]), area.muted_ink)

    return FormRow(name=table_info.table, rows=2, draw=draw, on_press=on_press, keys={"play": "call the others back"})


def create_closed_row(table_info: TableInfo) -> FormRow:
    """Return the form row in place of a table or session that has gone while the cursor was on it."""

    def draw(area: scroll_list.BlockArea) -> None:
        area.write(3, 0, format_game_title(table_info.game), area.quiet_ink)
        area.write(3, 1, "This table has closed.", area.muted_ink)

    return FormRow(name=table_info.table, rows=2, draw=draw, keys={})


def _format_seats(table_info: TableInfo, selected_seat: Seat | None) -> list[str]:
    seats = [format_seat_info(info) for info in table_info.seats]
    if selected_seat is not None:
        seats[selected_seat] = f"[{seats[selected_seat]}]"
    return [*seats, f"up to {table_info.grows_to} seats"] if table_info.grows_to else seats


def _has_choice(client: ClubClient, table_info: TableInfo) -> bool:
    """Return True if the player can select a free seat at the table or, as its game master, the level of the robots."""
    if table_info.playing or table_info.resuming or client.find_missing_requirement(table_info.game):
        return False
    return table_info.master == client.nick or any(not info.name for info in table_info.seats)


def _list_table_keys(client: ClubClient, table_info: TableInfo) -> FooterKeys:
    if client.find_missing_requirement(table_info.game):
        return {}
    seat = client.find_own_seat(table_info)
    if table_info.playing:
        if find_offered_seat(client, table_info) is not None:
            return {"play": "take the seat", "watch": "watch"}
        if seat is None:
            return {} if table_info.no_spectators else {"play": "watch"}
        return {"play": "continue"}
    if table_info.resuming:
        if seat is None:
            return {}
        is_present = not table_info.seats[seat].away
        return {"play": "continue with robots", "give_up": "stand up"} if is_present else {"play": "sit down"}
    if table_info.master == client.nick:
        invite = {"invite": "invite"} if table_info.private else {}
        start = {"play": "start, robots take free seats", **invite, "left right": "their level", "give_up": "stand up"}
        return {**start, "watch": "let others watch" if table_info.no_spectators else "no spectators"}
    choice = {"left right": "which seat"} if any(not info.name for info in table_info.seats) else {}
    if seat is not None:
        return {**({"play": "to that seat", **choice} if choice else {}), "give_up": "stand up"}
    return {"play": "sit down", **choice} if choice or table_info.grows_to else {}
