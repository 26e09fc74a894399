"""Finished rounds in plain text: the replay of a session, and the last round at a table with reasons for decisions."""

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from cardtable.engine.cards import iter_cards
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.engine.text_format import format_count
from cardtable.plain import position_text
from cardtable.plain.console import QuitRequested, is_on_terminal, prepare_output, print_lines, read_line
from cardtable.plain.players import require_password
from cardtable.plain.position_text import describe_own_hand, describe_position
from cardtable.plain.speech_text import (
    format_by_seat,
    format_card,
    format_figures,
    format_hand,
    format_log_entry,
    to_ascii,
    to_inline_name,
    to_possessive,
    to_sentence,
    to_spoken,
    use_faces,
)
from cardtable.session import local_robots
from cardtable.session.round_replay import RoundReplay, RoundRow, SessionReplay, restrict_replay
from cardtable.store import session_files, sessions
from cardtable.store.profiles import map_profile_nicks
from cardtable.store.settings import TerminalFlags
from cardtable.wording import review
from cardtable.wording.log_entries import describe_round_title, describe_starter, format_seat_result
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
        for round_number in numbers:
            replayed = session_replay.get_round(round_number)
            stops = _print_round(
                replayed if seat is None else restrict_replay(replayed, seat),
                session_files.format_names(replayed.occupants),
                stops=stops,
            )
        if session_replay.is_club_only:
            print_lines(FINISHED_ONLY)
        if session_replay.is_abandoned and numbers[-1] == session_replay.rounds:
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
            position_text.print_score_sheet(referee, view, names)


def explain_decision(finished: RoundReplay, number: int, header: Header, names: Names) -> list[str]:
    """Explain a decision of a round by its number, in sentences; if there is none, say which numbers there are.

    Raises ``CardtableError`` if a game of another package gives no reasons.
    """
    steps = [finished.steps[step] for step in _number_decisions(finished)]
    if not 1 <= number <= len(steps):
        return [f"Type why and a number from 1 to {len(steps)}, such as why 1. deal shows the numbers."]
    step = steps[number - 1]
    if review.is_forced(step):
        texts = review.explain_forced_step(step, names)
    else:
        advice = local_robots.advise(review.create_hint_request(finished, step, header, names))
        texts = review.explain_decision(step, header, names, advice)
    assert step.seat is not None
    hand_text = to_sentence(f"{names[step.seat]} had {format_hand(iter_cards(step.view.hand), finished.card_order)}")
    return [hand_text, *[to_sentence(to_spoken(text)) for text in texts]]


def describe_round(finished: RoundReplay, names: Names) -> Iterator[str]:
    """Yield the description of a round: its title, results and deals, and its lines with numbered decisions."""
    yield describe_title(finished, names)
    for seat in finished.seats:
        yield describe_result(finished, seat, names)
        yield to_sentence(f"dealt: {format_hand(iter_cards(finished.get_hand(seat, 0)), finished.card_order)}")
    numbers = _number_decisions(finished)
    for row in finished.rows:
        yield describe_row(finished, row, names, numbers)
    yield "why NUMBER: the reason for that move."


def describe_title(finished: RoundReplay, names: Names) -> str:
    """Describe a round by its number, its title and the seat that starts, in a sentence."""
    texts = [f"round {finished.number}", describe_round_title(finished), describe_starter(finished, names)]
    return to_sentence(", ".join(filter(None, texts)))


def describe_result(finished: RoundReplay, seat: Seat, names: Names) -> str:
    """Describe the figures and points of a seat in a finished round, in a sentence."""
    assert finished.score is not None
    figures = format_figures(finished.game.columns, finished.score.figures[seat])
    _, points = format_seat_result(finished, seat)
    return to_sentence(f"{names[seat]}: {', '.join([*figures, f'points {to_ascii(points)}'])}")


def describe_deal(finished: RoundReplay, seat: Seat, names: Names) -> str:
    return to_sentence(f"{to_possessive(names[seat])} hand: {_describe_hand(finished, seat, 0)}")


def _describe_hand(finished: RoundReplay, seat: Seat, step: int) -> str:
    """Describe the visible cards in a seat's hand after ``step`` steps, and the number of hidden ones."""
    cards, unseen = finished.get_hand(seat, step), finished.count_hidden_cards(seat, step)
    open_cards = format_hand(iter_cards(cards), finished.card_order) if cards or not unseen else ""
    return ", ".join(filter(None, [open_cards, format_count(unseen, "hidden card") if unseen else ""]))


def describe_row(finished: RoundReplay, row: RoundRow, names: Names, numbers: Mapping[int, int]) -> str:
    """Describe a line of the round in a sentence; ``numbers`` maps steps to the numbers printed before them."""
    return to_sentence(
        _describe_trick(row, names, numbers) if row.trick else _describe_steps(finished, row, names, numbers)
    )


def _number_decisions(finished: RoundReplay) -> dict[int, int]:
    """Return the number of each step that is a decision, counted from 1."""
    decisions = [step for row in finished.rows for step in row.steps if finished.steps[step].seat is not None]
    return {step: number for number, step in enumerate(decisions, 1)}


def _describe_trick(row: RoundRow, names: Names, numbers: Mapping[int, int]) -> str:
    """Describe a trick by its cards and its winner; cards that were played automatically have no numbers."""
    steps = [_format_number(step, numbers) for step in row.steps] or [""] * len(row.cards)
    played = [f"{step}{names[seat]} {format_card(c)}" for step, (seat, c) in zip(steps, row.cards, strict=True)]
    taken = "never finished" if row.taker is None else f"taken by {to_inline_name(names[row.taker])}"
    return f"trick {row.trick}: {', '.join(played)}; {taken}"


def _format_number(step: int, numbers: Mapping[int, int]) -> str:
    return f"({numbers[step]}) " if step in numbers else ""


def _describe_steps(finished: RoundReplay, row: RoundRow, names: Names, numbers: Mapping[int, int]) -> str:
    """Describe the steps of a line; the last line of a round has no steps and lists the remaining cards."""
    if not row.steps:
        left = [f"{names[seat]} {_describe_hand(finished, seat, len(finished.steps))}" for seat in finished.seats]
        return f"at the end: {'; '.join(left)}"
    parts = []
    for step in row.steps:
        entries = [format_log_entry(note, names).removesuffix(".") for note in finished.steps[step].notes]
        parts.append(_format_number(step, numbers) + "; ".join(entries))
    return ", ".join(parts)
