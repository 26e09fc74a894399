"""Rows of the lobby for tables and unfinished sessions."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from cardtable.club.client.client import ClubClient
from cardtable.club.protocol import AdmitSpectators, ClientMessage, Leave, SitDown, Start, TableInfo, Watch
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
from cardtable.ui.club.people_pages import create_action_row
from cardtable.ui.toolkit import scroll_list
from cardtable.ui.toolkit.form import Arrow, FormRow
from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, shorten_names, wrap
from cardtable.ui.toolkit.painting.card_faces import Size
from cardtable.ui.toolkit.scroll_list import INDENT
from cardtable.ui.toolkit.seat_plan import PLATE_POSITIONS, Plate, paint_felt
from cardtable.wording.terms import format_terms


class Room(NamedTuple):
    """Room for a table in the lobby: size of its felt, and width of felt and text in columns."""

    felt: Size
    width: int


_MIN_TEXT_WIDTH: Final = 30
"""Minimum width of the text beside a felt, in columns; it is below the felt if there is less."""
_TEXT_GAP: Final = 3


def create_table_row(
    client: ClubClient,
    table_info: TableInfo,
    seat: Seat | None,
    robot_level: str,
    on_step: Callable[[int], None],
    send: Callable[[ClientMessage], None],
    room: Room | None,
) -> FormRow:
    """Return the form row of a table.

    ``seat`` is the free seat that the player has selected, or ``None`` if there is no choice. ``robot_level`` is the
    level of the robots that would take the free seats. ``on_step`` is called with 1 or -1 if the player selects the
    next or previous seat or level, and ``send`` if the player presses Enter. The table is painted as a felt if there
    is ``room`` for it, and otherwise in lines.
    """

    def draw_lines(area: scroll_list.BlockArea) -> None:
        _write_title(area, INDENT, 0, client, table_info, terms)
        area.write(INDENT, 1, ", ".join(_format_seats(table_info, seat if area.has_cursor else None)), area.muted_ink)
        for row, text in enumerate((state, *rules), 2):
            area.write(INDENT, row, text, area.quiet_ink)

    def draw_felt(area: scroll_list.BlockArea) -> None:
        assert room is not None
        plates = _create_plates(area, client, table_info, seat)
        own_seat = client.find_own_seat(table_info) or 0
        paint_felt(area, INDENT, room.felt, plates, own_seat, is_in_play=table_info.playing)
        _write_title(area, text_x, text_row, client, table_info)
        for row, line in enumerate(lines, text_row + 1):
            area.write(text_x, row, line, area.muted_ink)

    requests = list_requests(client, table_info, seat, robot_level)
    _, message = requests.get("play", ("", None))
    state, terms = format_table_state(client, table_info, robot_level), format_terms(table_info.terms)
    rules = list(filter(None, [format_house_rules(client, table_info)]))
    draw, rows = draw_lines, 3 + len(rules)
    if room is not None and len(table_info.seats) in PLATE_POSITIONS:
        text_x, text_row = INDENT + room.felt.width + _TEXT_GAP, 0
        if room.width - text_x < _MIN_TEXT_WIDTH:
            text_x, text_row = INDENT, room.felt.height
        remarks = ", ".join(_list_remarks(table_info))
        texts = filter(None, (terms, state, remarks, *rules))
        lines = [line for text in texts for line in wrap(text, room.width - text_x)]
        draw, rows = draw_felt, max(room.felt.height, text_row + 1 + len(lines))
    return FormRow(
        name=table_info.table,
        rows=rows,
        draw=draw,
        on_press=partial(send, message) if message else None,
        on_step=on_step if "left right" in requests else None,
        keys={name: label for name, (label, _) in requests.items() if label},
    )


def create_empty_felt_row(room: Room) -> FormRow:
    """Return the row of a felt without players, which a club without tables shows."""

    def draw(area: scroll_list.BlockArea) -> None:
        plate = Plate("free", area.canvas.theme.inks.muted, area.canvas.theme.grounds.slot)
        paint_felt(area, INDENT, room.felt, [plate] * 4, 0, is_in_play=False)

    return FormRow(rows=room.felt.height, draw=draw)


def _write_title(
    area: scroll_list.BlockArea, x: int, row: int, client: ClubClient, table_info: TableInfo, terms: str = ""
) -> None:
    """Write the game, the name of the table, the terms if there are some, who may come, and the time."""
    start = area.write_right(row, f"since {format_time(table_info.since)}", area.quiet_ink)
    end = area.write(x, row, format_game_title(table_info.game), area.name_ink, bold=area.has_cursor) - area.x
    about = ", ".join(filter(None, (format_table_name(client, table_info), terms, *format_access(table_info))))
    area.write(end + 2, row, about, area.canvas.theme.inks.soft, max_width=max(start - end - 4, 0))


def _create_plates(
    area: scroll_list.BlockArea, client: ClubClient, table_info: TableInfo, selected_seat: Seat | None
) -> list[Plate]:
    """Return the plates of the seats; a click on a free one selects it if the player can sit down there."""
    inks, grounds = area.canvas.theme.inks, area.canvas.theme.grounds
    free = [seat for seat, info in enumerate(table_info.seats) if not info.name]
    plates = []
    for seat, name in enumerate(shorten_names([sanitize(info.name, 20) for info in table_info.seats], NICK_WIDTH)):
        info = table_info.seats[seat]
        if name:
            ink = inks.gold if info.name == client.nick else inks.muted if info.robot or info.away else inks.text
            plates.append(Plate(name, ink, grounds.panel))
        elif selected_seat is None:
            plates.append(Plate("free", inks.muted, grounds.slot))
        elif seat == selected_seat and area.has_cursor:
            plates.append(Plate("[sit here]", grounds.panel, inks.gold))
        else:
            step = free.index(seat) - free.index(selected_seat)
            plates.append(Plate("sit here", inks.text, grounds.slot, Arrow(table_info.table, step) if step else None))
    return plates


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
    return create_action_row(table_info.table, format_game_title(table_info.game), None, "", "This table has closed.")


def _format_seats(table_info: TableInfo, selected_seat: Seat | None) -> list[str]:
    seats = [format_seat_info(info) for info in table_info.seats]
    if selected_seat is not None:
        seats[selected_seat] = f"[{seats[selected_seat]}]"
    return [*seats, *_format_growth(table_info)]


def _list_remarks(table_info: TableInfo) -> list[str]:
    """List what the plates do not tell: robots, absent players, and whether the table gets more seats."""
    return [
        *[format_seat_info(info) for info in table_info.seats if info.robot or info.away],
        *_format_growth(table_info),
    ]


def _format_growth(table_info: TableInfo) -> list[str]:
    return [f"up to {table_info.grows_to} seats"] if table_info.grows_to else []


Requests: TypeAlias = Mapping[str, tuple[str, ClientMessage | None]]
"""What keys do at a table, by their names: the label in the footer, and what is sent to the host, if it is a request.

Without a label the footer omits the key, since the host would refuse the request.
"""


def list_requests(client: ClubClient, table_info: TableInfo, seat: Seat | None, robot_level: str) -> Requests:
    """Return what keys do at a table; ``seat`` and ``robot_level`` are those that the player has selected."""
    table, own_seat = table_info.table, client.find_own_seat(table_info)
    stand_up = {"give_up": ("stand up", Leave(table))}
    if client.find_missing_requirement(table_info.game):
        return {}
    if table_info.playing:
        if (offered_seat := find_offered_seat(client, table_info)) is not None:
            return {"play": ("take the seat", SitDown(table, offered_seat)), "watch": ("watch", Watch(table))}
        if own_seat is not None:
            return {"play": ("watch" if table_info.seats[own_seat].lost else "continue", SitDown(table))}
        return {"play": ("" if table_info.no_spectators else "watch", Watch(table)), "watch": ("", Watch(table))}
    if table_info.resuming:
        if own_seat is None or table_info.seats[own_seat].away:
            return {"play": ("" if own_seat is None else "sit down", SitDown(table))}
        return {"play": ("continue with robots", Start(table, robot_level)), **stand_up}
    if table_info.master == client.nick:
        is_closed = table_info.no_spectators
        return {
            "play": ("start, robots take free seats", Start(table, robot_level)),
            **({"invite": ("invite", None)} if table_info.private else {}),
            "left right": ("their level", None),
            **stand_up,
            "watch": ("let others watch" if is_closed else "no spectators", AdmitSpectators(table, admitted=is_closed)),
        }
    choice = {} if seat is None else {"left right": ("which seat", None)}
    if own_seat is not None:
        return {"play": ("to that seat" if choice else "", SitDown(table, seat)), **choice, **stand_up}
    return {"play": ("sit down" if choice or table_info.grows_to else "", SitDown(table, seat)), **choice}
