"""Replay of a session in plain text: one round or all, with all hands or as one player saw it."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from cardtable.plain import info_text
from cardtable.plain.console import QuitRequested, is_on_terminal, prepare_output, print_lines, read_line
from cardtable.plain.last_round import describe_deal, describe_result, describe_row, describe_title
from cardtable.plain.players import require_password
from cardtable.plain.position_text import describe_own_hand, describe_position
from cardtable.plain.speech_text import format_by_seat, format_log_entry, to_sentence, use_faces
from cardtable.session.round_replay import RoundReplay, SessionReplay, restrict_replay
from cardtable.store import session_files, sessions
from cardtable.store.profiles import map_profile_nicks
from cardtable.store.settings import TerminalFlags
from cardtable.wording.players import Names, describe_seats_to_act, find_seat, list_seat_names
from cardtable.wording.tables import FINISHED_ONLY

HELP = "Enter: continue. round: go to the end of the round. all: go to the end. quit: leave the replay."


def run(path: Path, number: int | None, player: str, flags: TerminalFlags, *, as_open: bool) -> None:
    """Print a session, or only round ``number``; on a terminal one line after each Enter.

    ``player`` is the nick whose view is printed; empty for all hands. ``as_open`` also shows the round in progress of a
    session that people still play. Raises ``CardtableError`` if the cards must not be shown.
    """
    prepare_output(ascii_only="ascii" in flags)
    session_replay = SessionReplay(path, as_open=as_open)
    session_replay.check_finished_or_open()
    print_replay(session_replay, number, player)


def print_replay(session_replay: SessionReplay, number: int | None, player: str = "") -> None:
    """Print the public part of a session, or of its round ``number``, in the form of ``run``.

    Raises ``CardtableError`` if there is no such round or player.
    """
    seat = find_seat(session_replay.header, player) if player else None
    names = session_files.format_names(session_replay.header.seats)
    numbers = [session_replay.check_round_number(number)] if number else range(1, session_replay.rounds + 1)
    game = f"{session_replay.game.about.title}: {', '.join(names)}"
    print_lines(to_sentence(game if seat is None else f"{game}. As {names[seat]} saw it"))
    stops = is_on_terminal()
    if stops:
        print_lines(HELP)
    with suppress(QuitRequested), use_faces(session_replay.game.about.faces):
        for each in numbers:
            replayed = session_replay.get_round(each)
            stops = _print_round(
                replayed if seat is None else restrict_replay(replayed, seat),
                session_files.format_names(replayed.occupants),
                stops=stops,
            )
        if session_replay.is_club_only:
            print_lines(FINISHED_ONLY)
        if session_replay.given_up and numbers[-1] == session_replay.rounds:
            print_lines("The session was abandoned.")


def _print_round(replayed: RoundReplay, names: Names, *, stops: bool) -> bool:
    """Print a round; return True if the next round stops after each line as well.

    Raises ``QuitRequested`` if the user leaves the replay.
    """
    print_lines(describe_title(replayed, names), *[describe_deal(replayed, seat, names) for seat in replayed.seats])
    goes_on = not stops
    for line in _iter_replay_lines(replayed, names):
        if not goes_on:
            typed = read_line()
            if typed == "quit":
                raise QuitRequested
            goes_on = typed in ("round", "all")
            stops = typed != "all"
        print_lines(line)
    return stops


def _iter_replay_lines(replayed: RoundReplay, names: Names) -> Iterator[str]:
    """Yield the steps, messages and points of a round, line by line."""
    for row in replayed.rows:
        for step in row.steps:
            for note in replayed.steps[step].asides:
                yield format_log_entry(note, names)
        yield describe_row(replayed, row, names, {})
    if replayed.score is None:
        yield "The round was not finished."
        return
    for seat in replayed.seats:
        yield describe_result(replayed, seat, names)
    yield to_sentence(f"totals: {format_by_seat(names, replayed.score.totals)}")


def print_position(path: Path) -> None:
    """Print the position of an unfinished session as its only human player sees it.

    If there are several human players, only the public part is printed. Raises ``CardtableError`` if the session cannot
    be read, and ``QuitRequested`` if a required password is not given.
    """
    with closing(sessions.open_read_only(path)) as session:
        if len(session.header.people) == 1:
            require_password(map_profile_nicks(session.header).get(session.header.people[0], ""))
        referee, names = session.referee, list_seat_names(session.header)
        view = referee.view(session.header.people[0])
        lines = describe_position(referee.game, view, names)
        if view.playing and not referee.hide_hands:
            lines.append(describe_own_hand(referee.game, view))
        print_lines(*lines)
        if view.turn >= 0:
            print_lines(to_sentence(describe_seats_to_act(view, names)))
        if referee.scores:
            info_text.print_score_sheet(referee, view, names)
