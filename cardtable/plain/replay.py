"""Replay of a session in plain text: one round or all, with all hands or as one player saw it."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from cardtable.plain import info_commands
from cardtable.plain.console import QuitRequested, on_terminal, print_ascii_only, print_lines, read_line
from cardtable.plain.last_round import dealt, result, row_line, title
from cardtable.plain.players import require_password
from cardtable.plain.position_text import own, situation
from cardtable.plain.speech_text import by_seat, message, sentence
from cardtable.session.round_replay import RoundReplay, SessionReplay, restricted_to
from cardtable.store import session_files, sessions
from cardtable.store.profiles import players_at
from cardtable.store.settings import TerminalFlags
from cardtable.wording.formatting import YOU, name_and_verb
from cardtable.wording.players import Names, seat_names, seat_of
from cardtable.wording.tables import FINISHED_ONLY

HELP = "Enter: on. round: on to the end of the round. all: on to the end. quit: leave the replay."


def run(path: Path, number: int | None, who: str, flags: TerminalFlags, *, as_open: bool) -> None:
    """Print a session, or only round ``number``; on a terminal one line after each Enter.

    ``player`` is the nick whose view is printed; empty for all hands. ``as_open`` also shows the round in progress of a
    session that people still play. Raises ``CardtableError`` if the cards must not be shown.
    """
    if flags.ascii:
        print_ascii_only()
    again = SessionReplay(path, as_open=as_open)
    if again.hidden and not again.is_club_only:
        raise session_files.refusal(again.header, "replay")
    tell(again, number, who)


def tell(again: SessionReplay, number: int | None, who: str = "") -> None:
    """Print the public part of a session, or of its round ``number``, in the form of ``run``.

    Raises ``CardtableError`` if there is no such round or player.
    """
    seat = seat_of(again.header, who) if who else None
    names = session_files.names(again.header.seats)
    numbers = [again.checked_round_number(number)] if number else range(1, again.rounds + 1)
    game = f"{again.game.about.title}: {', '.join(names)}"
    print_lines(sentence(game if seat is None else f"{game}. As {names[seat]} saw it"))
    stops = on_terminal()
    if stops:
        print_lines(HELP)
    with suppress(QuitRequested):
        for each in numbers:
            replayed = again.round(each)
            stops = _tell(
                replayed if seat is None else restricted_to(replayed, seat),
                session_files.names(replayed.occupants),
                stops=stops,
            )
        if again.is_club_only:
            print_lines(FINISHED_ONLY)
        if again.given_up and numbers[-1] == again.rounds:
            print_lines("The session was given up.")


def _tell(replayed: RoundReplay, names: Names, *, stops: bool) -> bool:
    """Print a round; return True if the next round stops after each line as well.

    Raises ``QuitRequested`` if the user leaves the replay.
    """
    print_lines(title(replayed, names), *[dealt(replayed, seat, names) for seat in replayed.seats])
    goes_on = not stops
    for line in _lines(replayed, names):
        if not goes_on:
            typed = read_line()
            if typed == "quit":
                raise QuitRequested
            goes_on = typed in ("round", "all")
            stops = typed != "all"
        print_lines(line)
    return stops


def _lines(replayed: RoundReplay, names: Names) -> Iterator[str]:
    """Yield the steps, messages and points of a round, line by line."""
    for row in replayed.rows:
        for step in row.steps:
            for note in replayed.steps[step].aside:
                yield message(note, names)
        yield row_line(replayed, row, names, {})
    if replayed.score is None:
        yield "The round was not finished."
        return
    for seat in replayed.seats:
        yield result(replayed, seat, names)
    yield sentence(f"totals: {by_seat(names, replayed.score.totals)}")


def look(path: Path) -> None:
    """Print the position of an unfinished session as its only human player sees it.

    If there are several human players, only the public part is printed. Raises ``CardtableError`` if the session cannot
    be read, and ``QuitRequested`` if a required password is not given.
    """
    with closing(sessions.open_read_only(path)) as session:
        if len(session.header.people) == 1:
            require_password(players_at(session.header).get(session.header.people[0], ""))
        table, names = session.table, seat_names(session.header, YOU)
        view = table.view(session.header.people[0])
        lines = situation(table.game, view, names)
        if view.playing and not table.hide_hands:
            lines.append(own(table.game, view))
        print_lines(*lines)
        if view.turn >= 0:
            print_lines(sentence(name_and_verb(names[view.turn], "is to act", "are to act")))
        if table.scores:
            info_commands.say_sheet(table, view, names)
