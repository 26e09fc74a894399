"""Texts about players: clubs, partnerships, seats to act, robot levels, stakes, and the marks of seats and zones."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import (
    MAX_MARK_NAME,
    MAX_MARK_VALUE,
    MAX_MARKS,
    MAX_ZONE_LABEL,
    MAX_ZONE_SUMMARY,
    AnyGame,
    Mark,
    Seat,
    Sides,
    View,
    Zone,
)
from cardtable.engine.journal import Header
from cardtable.engine.secret_choices import has_chosen, list_seats_to_act
from cardtable.engine.text_format import format_estimate, sanitize
from cardtable.games import ABOUT, guard_part, import_submodule
from cardtable.robots.kit.levels import LEVEL_STYLES, LEVELS, StrengthLadder
from cardtable.store import session_files
from cardtable.store.credit_ledger import compute_payout, get_stake
from cardtable.store.profiles import TransactionReason, map_profile_nicks
from cardtable.store.seating import GUEST
from cardtable.wording.formatting import SUIT_SIGNS, YOU, format_number, join_name_and_verb, join_words

PASSWORD_NOTE: Final = (
    "You are asked for the password before your hand is shown or your credits are staked. It keeps others at "  # noqa: S105 - a text
    "this keyboard from playing as you. It does not encrypt your files."
)
PASSWORD_REMOVAL_WARNING: Final = "Anybody at this computer can then play as {}."  # noqa: S105 - a text
"""Warning before a password is removed, to be formatted with the nick of its player."""
REMOVAL_WARNING: Final = (
    "Name, address, password, {} credits and the ledger are deleted. Sessions stay, under their nick."
)
"""Warning before a player is removed, to be formatted with the number of their credits."""
TRANSACTION_TEXTS: Final[Mapping[TransactionReason, str]] = {
    "stake": "stake",
    "won": "pot won",
    "lost": "session lost",
    "given up": "abandoned",
    "taken back": "restored",
    "returned": "not started",
    "gift": "gift",
}
"""Description of a ledger entry, by its reason."""
READY: Final = "ready"
"""Mark of a seat that has chosen while others, which choose at the same time, have not."""

Names = Sequence[str]
"""Names of the players, by seat."""


def format_club_name(host: str) -> str:
    """Return the default name of a club."""
    return "The club" if host == GUEST else f"The club of {host}"


def list_seat_names(header: Header, *, replace_own: bool = True, people: Sequence[Seat] | None = None) -> list[str]:
    """Return the names of all seats. With ``replace_own``, the only human player is called ``YOU``.

    ``people`` are the seats of the human players at this machine, if others play elsewhere; the default is all of them.
    """
    names, human_seats = session_files.format_names(header.seats), header.people if people is None else people
    if len(human_seats) == 1 and replace_own:
        names[human_seats[0]] = YOU
    return names


def list_names_in_round(names: Names, former: Sequence[Sequence[str]], number: int) -> list[str]:
    """Return the names of those who made a finished round; ``former`` as in ``session_files.list_former_players``."""
    makers = [rounds[number - 1 : number] for rounds in former] or [()] * len(names)
    return [maker[0] if any(maker) else name for name, maker in zip(names, makers, strict=True)]


def format_wait(view: View, names: Names) -> str:
    """Return ``Waiting for Bo and Cy`` if the seat of the view has chosen and others still have to, else ``""``."""
    if not has_chosen(view, view.seat):
        return ""
    return f"Waiting for {join_words([names[seat] for seat in list_seats_to_act(view)])}"


def describe_seats_to_act(view: View, names: Names) -> str:
    """Return a sentence without a full stop, such as ``Bo is to act``; empty if no seat is to act."""
    seats = list_seats_to_act(view)
    if len(seats) > 1:
        return f"{join_words([names[seat] for seat in seats])} are to choose"
    return join_name_and_verb(names[seats[0]], "is to act", "are to act") if seats else ""


def list_side_names(names: Names, side: Sequence[Seat]) -> list[str]:
    """Return the names of a partnership's players, "You" first."""
    return sorted([names[seat] for seat in side], key=lambda name: name != YOU)


def format_side(names: Names, side: Sequence[Seat]) -> str:
    return " & ".join(list_side_names(names, side))


def sort_own_side_first(sides: Sides, own_seat: Seat) -> Sides:
    """Sort the partnerships, and the seats in each, clockwise from ``own_seat``."""
    seats = sum(map(len, sides))
    rotated = [tuple(sorted(side, key=lambda seat: (seat - own_seat) % seats)) for side in sides]
    return tuple(sorted(rotated, key=lambda side: (side[0] - own_seat) % seats))


def get_side_index(sides: Sides, seat: Seat) -> int:
    return next(index for index, side in enumerate(sides) if seat in side)


def list_own_seat_first(header: Header) -> list[Seat]:
    """Return all seats clockwise, beginning with the only human player. With none or several, the first is seat 0."""
    first = header.people[0] if len(header.people) == 1 else 0
    return [(first + i) % len(header.seats) for i in range(len(header.seats))]


def find_seat(header: Header, name_or_number: str) -> Seat:
    """Return the seat with this name or number, which is numbered from 0 as in journals.

    Raises ``CardtableError`` if there is none.
    """
    names = session_files.format_names(header.seats)
    numbers = list(map(str, range(len(names))))
    for known in (names, numbers):
        if name_or_number in known:
            return known.index(name_or_number)
    raise CardtableError(
        f"nobody called {sanitize(name_or_number, 30)!r} played in it: {', '.join(names)}, or 0 to {numbers[-1]}"
    )


def describe_level(key: str, level: str, seats: int | None = None) -> str:
    """Return a sentence on how a robot level plays a game, or ``""`` if the levels were not measured.

    It has the strength of the level unless there are other ``seats`` than the usual number.
    """
    ladder = _load_ladder(key)
    if ladder is None:
        return ""
    gap = ladder.expert if level == "expert" else ladder.steady
    relation = "behind steady" if level == "novice" else f"ahead of {LEVELS[LEVELS.index(level) - 1]}"
    is_usual = seats in (None, ABOUT[key].usual_seats)
    strength = f": {format_estimate(gap.points, gap.error)} points a round {relation}" if is_usual else ""
    return f"{level.capitalize()} {LEVEL_STYLES[level]}{strength}."


def describe_level_strength(key: str) -> str:
    """Return a sentence that compares the robot levels in a game, or ``""`` if their strength was not measured.

    A figure is rounded to the place in which its standard error begins, but to tenths at most.
    """
    ladder = _load_ladder(key)
    if ladder is None:
        return ""
    about = ABOUT[key]
    seats = f" ({about.usual_seats} seats)" if len(about.seats) > 1 else ""
    worse, better = [format_estimate(gap.points, gap.error) for gap in (ladder.steady, ladder.expert)]
    return f"Novice: {worse} points a round behind steady; expert: {better} ahead{seats}."


def _load_ladder(key: str) -> StrengthLadder | None:
    measured = import_submodule(key, "level_strength")
    return guard_part(key, "LADDER", measured.LADDER, StrengthLadder) if measured else None


def describe_stake(header: Header) -> str:
    """Return a sentence about the room, the stake and the pot of a session, or ``""`` if no credits are staked."""
    stake = get_stake(header)
    return (
        f"Room {stake}: everyone stakes {stake} credits, and the pot is {stake * len(header.seats)}." if stake else ""
    )


def describe_ties(header: Header, view: View, ranks: Sequence[int], names: Names) -> Iterator[str]:
    """Yield a sentence about each tie that the order of coming to the table, or of the seats, has decided.

    ``view`` is the view of any seat after the session, ``ranks`` are the final ranks by seat.
    """
    first = "whoever came to the table first" if header.arrivals else "the lower seat"
    for tie in view.ties if ranks else ():
        order = [names[seat] for seat in sorted(tie, key=lambda seat: ranks[seat])]
        yield f"A tie goes to {first}: {' before '.join([name.lower() if name == YOU else name for name in order])}."


def describe_payouts(header: Header, ranks: Sequence[int], names: Names) -> Iterator[str]:
    """Yield sentences about the winner of the pot, and about each player's gain and new balance.

    Nothing is yielded if no credits are staked. ``ranks`` are the final ranks by seat.
    """
    if stake := get_stake(header):
        pot = f"the pot of {stake * len(header.seats)} credits"
        yield f"{join_name_and_verb(names[ranks.index(1)], f'takes {pot}', f'take {pot}')}."
        for seat, nick in map_profile_nicks(header).items():
            yield from _describe_payout(header, ranks, names, seat, nick)


def _describe_payout(header: Header, ranks: Sequence[int], names: Names, seat: Seat, nick: str) -> Iterator[str]:
    """Yield a sentence about the gain or loss of one player, and the new balance.

    A player without a stake has no sentence.
    """
    if (made := compute_payout(header, ranks, nick)) is None:
        return
    name = names[seat]
    won = join_name_and_verb(name, "wins", "win") if made.change > 0 else join_name_and_verb(name, "loses", "lose")
    has = "have" if name == YOU else "has"
    gift = f", including a gift of {made.gift}" if made.gift else ""
    yield f"{won} {abs(made.change)} credits, and now {has} {made.credits}{gift}."


def list_marks(game: AnyGame, view: View) -> tuple[Mark, ...]:
    """Return the marks of a position with texts that are safe to show; empty between rounds.

    A seat, and the middle, has at most ``MAX_MARKS`` of them.
    """
    if not view.playing:
        return ()
    seats = (None, *range(len(view.totals)))
    marks = [*[Mark(READY, seat) for seat, chosen in enumerate(view.chosen) if chosen], *game.marks(view)]
    return tuple([_sanitize_mark(mark) for seat in seats for mark in filter_marks(marks, seat)[:MAX_MARKS]])


def _sanitize_mark(mark: Mark) -> Mark:
    value = mark.value if isinstance(mark.value, int) else sanitize(mark.value, MAX_MARK_VALUE)
    return Mark(sanitize(mark.name, MAX_MARK_NAME), mark.seat, value, mark.of, mark.suit)


def filter_marks(marks: Sequence[Mark], seat: Seat | None) -> tuple[Mark, ...]:
    """Return the marks of a seat, or those of the middle if ``seat`` is ``None``."""
    return tuple([mark for mark in marks if mark.seat == seat])


def format_mark(mark: Mark) -> str:
    """Format a mark: ``count 27 of 31``, ``scope 2`` or ``passed``."""
    return " ".join(filter(None, (mark.name, format_value(mark))))


def format_short_mark(mark: Mark) -> str:
    """Format a mark for a plate: ``27/31`` for a track, without its name."""
    return format_mark(mark) if mark.of is None else f"{_format_own_value(mark)}/{mark.of}"


def format_plate_mark(mark: Mark) -> str:
    """Format a mark for a wide plate: ``pegs 27/31`` for a track."""
    return format_mark(mark) if mark.of is None else f"{mark.name} {format_short_mark(mark)}".strip()


def format_value(mark: Mark) -> str:
    """Format the value of a mark, with the end of its track: ``27 of 31``; empty if the name is all."""
    return _format_own_value(mark) if mark.of is None else f"{_format_own_value(mark)} of {mark.of}"


def _format_own_value(mark: Mark) -> str:
    if mark.suit is not None:
        return SUIT_SIGNS[mark.suit]
    return format_number(mark.value) if isinstance(mark.value, int) else mark.value


def describe_marks(game: AnyGame, view: View, names: Names) -> list[str]:
    """Describe the marks of a position in parts of sentences: those of the middle, then those of the seats by name.

    ``count: 27 of 31``, ``trumps: hearts``, ``pegs: You 12 of 61, Bo 30 of 61``, ``passed: Bo, Cy``.
    """
    middle: list[str] = []
    owners: dict[str, list[str]] = {}
    for mark in list_marks(game, view):
        value = format_value(mark) if mark.suit is None else game.about.faces.suits[mark.suit].many
        if mark.seat is None:
            middle.append(f"{mark.name}: {value}" if value else mark.name)
        else:
            owners.setdefault(mark.name, []).append(f"{names[mark.seat]} {value}".strip())
    return [*middle, *[f"{name}: {', '.join(texts)}" for name, texts in owners.items()]]


def format_zone_label(zone: Zone) -> str:
    return sanitize(zone.label or zone.name, MAX_ZONE_LABEL)


def format_zone_summary(zone: Zone) -> str:
    return sanitize(zone.summary, MAX_ZONE_SUMMARY)
