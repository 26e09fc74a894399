"""Texts of log entries, rounds and the coach. No other module turns the events of a game into words."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from cardtable.engine.cards import NAME
from cardtable.engine.cards import names as format_card_names
from cardtable.engine.game import Note, Seat
from cardtable.engine.log_entries import (
    CustomLogEntry,
    Dealt,
    Drew,
    MadeBid,
    MadePoints,
    Manner,
    PlayedCard,
    Said,
    SeatChanged,
    SystemLogEntry,
    TookTrick,
    split_spectator_talk,
)
from cardtable.engine.presentation import SEAT_NAMES
from cardtable.engine.text_format import capitalize_first, format_count, format_estimate, format_weighted, sanitize
from cardtable.store.session_files import MAX_NAME_LENGTH
from cardtable.wording.formatting import YOU, describe_title, format_figure, format_gain, join_words
from cardtable.wording.players import Names, format_side

if TYPE_CHECKING:  # a table reads no round again, and its coach is in another process
    from cardtable.records.review import CoachVerdict
    from cardtable.session.round_replay import RoundReplay, RoundRow, Step

SYSTEM_SENDER: Final = "****"
"""Sender of the program's own messages, which no player can imitate."""
QUIET_SENDER: Final = "—"
"""Sender of the same messages where nobody can talk, or where the talk of people is marked as theirs."""
SPECTATOR: Final = "Spectator"
"""Title before the nick of a spectator, so that no spectator looks like a seated player."""
SOMEBODY: Final = "Somebody"
"""Sender of table talk that names neither a seat nor a spectator."""
_PLAYED: Final[Mapping[Manner, tuple[str, str]]] = {
    "": ("plays {}", "play {}"),
    "leads": ("leads {}", "lead {}"),
    "heads": ("heads with {}", "head with {}"),
    "lowest": ("plays {} (lowest)", "play {} (your lowest)"),
    "second": ("plays {} (second copy)", "play {} (second copy)"),
    "by lot": ("plays {} by lot", "play {} by lot"),
}
"""Texts for a played card by manner, in the third and in the second person."""
_RULINGS: Final[Mapping[str, tuple[str, str]]] = {
    "taken back": ("move undone", ""),
    "unrated": ("no longer rated", ""),
    "dealt again": ("time is up: the round is dealt again", ""),
    "lost": ("has no time left: the session is lost", "have no time left: the session is lost"),
    "plays out": ("plays out the rest", "play out the rest"),
    "finished": ("robots finish the round", ""),
    "late": ("has no time left: a robot decides", "have no time left: a robot decides"),
    "late in round": (
        "is late: a robot plays to the end of the round",
        "are late: a robot plays to the end of the round",
    ),
    "timed out": ("has lost on time: a robot plays on", "have lost on time: a robot plays on"),
    "left": ("has left and lost: a robot plays on", "have left and lost: a robot plays on"),
}


def is_you(note: Note, names: Names) -> bool:
    return note.seat is not None and names[note.seat] == YOU


def format_message(note: Note, names: Names) -> str:
    """Return the text of a log entry in the message log, in the second person if it is about the reader.

    Cards are in notation.
    """
    return format_note(note, names, you=is_you(note, names))


def format_note(note: Note, names: Names = SEAT_NAMES, *, you: bool) -> str:
    """Return the text of a log entry without its subject, in the second person if ``you`` is True.

    Cards are in notation.
    """
    match note:
        case CustomLogEntry():
            text = note.second_person if you and note.second_person else note.third_person
            text = text.replace("{}", format_card_names(note.cards)) if note.cards else text
            for seat, name in enumerate(names):
                text = text.replace(f"{{{seat}}}", "you" if name == YOU else name)
            return text
        case PlayedCard(manner=""):
            return NAME[note.card]
        case PlayedCard():
            return _choose_person(_PLAYED[note.manner], you=you).format(NAME[note.card])
        case MadePoints():
            return f"{format_points(note)} in round {note.round}"
        case Said():
            return note.text if note.seat is not None else split_spectator_talk(note.text)[1]
        case Dealt():
            return f"round {note.round}" + (f": {format_deal(note)}" if note.cards is not None else "")
        case SeatChanged():
            robot = f", a {sanitize(note.robot, MAX_NAME_LENGTH)} robot," if note.robot else ""
            return f"{sanitize(note.name, MAX_NAME_LENGTH)}{robot} takes {sanitize(note.left, MAX_NAME_LENGTH)}'s seat"
        case SystemLogEntry():
            return _choose_person(_RULINGS[note.what], you=you)
        case _:
            verb, rest = _split_verb(note)
            return f"{verb}{'' if you else 's'} {rest}"


def _choose_person(forms: tuple[str, str], *, you: bool) -> str:
    third_person, second_person = forms
    return second_person if you else third_person


def _split_verb(note: Note) -> tuple[str, str]:
    """Return the verb of a log entry, without the s of the third person, and the object.

    Raises ``TypeError`` if this kind of log entry has no such verb.
    """
    match note:
        case MadeBid():
            return "bid", str(note.tricks)
        case TookTrick() if note.cards:
            return "take", join_words([NAME[card] for card in note.cards])
        case TookTrick():
            return "take", f"the {'last ' if note.last else ''}trick"
        case Drew() if note.cards:
            return "draw", format_card_names(note.cards)
        case Drew():
            return "draw", "a card" if note.number == 1 else format_count(note.number, "card")
        case _:
            raise TypeError(note)


def format_points(note: MadePoints) -> str:
    return format_weighted(format_gain(note.points), note.weight)


def format_deal(note: Dealt) -> str:
    """Return the text about a deal, as in ``4 cards each, QH is turned up``.

    Return ``""`` if there is nothing to say.
    """
    cards = "" if note.cards is None else f"{format_count(note.cards, 'card')} each"
    trump = ("no trump" if note.no_trump else "") if note.turned is None else f"{NAME[note.turned]} is turned up"
    return ", ".join(filter(None, [cards, trump]))


def get_sender(note: Note, names: Names) -> str:
    """Return the sender of a log entry.

    It is a player, a partnership for its points, a spectator with their title, or ``SYSTEM_SENDER``.
    """
    if note.seat is None:
        nick = find_spectator(note)
        return f"{SPECTATOR} {nick}" if nick else SOMEBODY if isinstance(note, Said) else SYSTEM_SENDER
    if isinstance(note, MadePoints):
        return format_side(names, (note.seat, *note.partners))
    return names[note.seat]


def find_spectator(note: Note) -> str | None:
    """Return the nick of the spectator whose chat message a log entry is, or ``None``."""
    return (split_spectator_talk(note.text)[0] or None) if isinstance(note, Said) and note.seat is None else None


def format_in_sentence(note: Note, names: Names) -> str:
    """Return the text of a log entry to be appended to the name of its seat.

    It begins with a space, or with a colon if the text has no verb.
    """
    you = is_you(note, names)
    if isinstance(note, PlayedCard):
        return f" {_choose_person(_PLAYED[note.manner], you=you).format(NAME[note.card])}"
    colon = isinstance(note, MadePoints) or (isinstance(note, CustomLogEntry) and not note.second_person)
    return f"{':' if colon else ''} {format_note(note, names, you=you)}"


def join_notes(notes: Sequence[Note], names: Names) -> str:
    """Join the texts of successive log entries of one seat: ``draws 2 cards, plays 8H 8S and goes out``.

    There must be at least one entry. Successive cards have one verb, and successive draws are added up.
    """
    you, phrases = is_you(notes[0], names), list[str]()
    for kind, group in groupby(notes, key=_get_joint_kind):
        some = list(group)
        if kind == "cards":
            cards = [note.card for note in some if isinstance(note, PlayedCard)]
            phrases.append(_choose_person(_PLAYED[""], you=you).format(format_card_names(cards)))
        elif kind:
            draws = [note for note in some if isinstance(note, Drew)]
            cards = [card for draw in draws for card in draw.cards]
            sum_of_draws = Drew(draws[0].seat, sum([draw.number for draw in draws]), tuple(cards))
            phrases.append(format_note(sum_of_draws, names, you=you))
        else:
            phrases += [format_note(note, names, you=you) for note in some]
    return join_words(phrases)


def _get_joint_kind(note: Note) -> Literal["cards", "seen draws", "unseen draws"] | None:
    """Return the kind of log entries that share a verb with their like; ``None`` for all others."""
    match note:
        case PlayedCard(manner=""):
            return "cards"
        case Drew():
            return "seen draws" if note.cards else "unseen draws"
        case _:
            return None


class Message(NamedTuple):
    """Line of the message log. Cards are in notation."""

    sender: str
    text: str
    quiet: bool
    """True for a message of the program."""


def format_messages(notes: Sequence[Note], names: Names, *, joins: bool, has_talk: bool = True) -> list[Message]:
    """Return the messages about log entries, with the names that the seats had at the time.

    With ``joins``, successive actions of one seat become one message. ``has_talk`` is False if no other person is at
    the table: the program's messages then need no mark, and the beginning of a round is a heading.
    """
    turns: list[list[Note]] = []
    for note in notes:
        alone = not joins or note.seat is None or isinstance(note, Said | MadePoints | SystemLogEntry)
        if alone or not turns or turns[-1][-1].seat != note.seat or isinstance(turns[-1][-1], Said | SystemLogEntry):
            turns.append([])
        turns[-1].append(note)
    names_by_turn = list_former_names([some[0] for some in turns], names)
    texts = zip(turns, names_by_turn, strict=True)
    messages = [_create_message(some, then, joins=joins) for some, then in texts]
    if has_talk:
        return messages
    return [_remove_mark(message, some[0]) for message, some in zip(messages, turns, strict=True)]


def _remove_mark(message: Message, note: Note) -> Message:
    if message.sender != SYSTEM_SENDER:
        return message
    text = message.text
    if isinstance(note, Dealt):
        text = f"Round {note.round} {QUIET_SENDER} {format_deal(note)}".rstrip()
    return message._replace(sender=QUIET_SENDER, text=text)


def list_former_names(notes: Sequence[Note], names: Names) -> list[Names]:
    """Return the names of the seats at the time of each log entry.

    ``names`` are the present ones, with ``YOU`` for the reader.
    """
    former_names, reader = list[Names](), ""
    for note in reversed(notes):
        former_names.append(names)
        if isinstance(note, SeatChanged) and note.place is not None:
            reader = note.name if names[note.place] == YOU else reader
            left = YOU if note.left == reader else sanitize(note.left, MAX_NAME_LENGTH)
            names = [*names[: note.place], left, *names[note.place + 1 :]]
    return former_names[::-1]


def _create_message(notes: Sequence[Note], names: Names, *, joins: bool) -> Message:
    first = notes[0]
    if isinstance(first, Said) and find_spectator(first):
        return Message(SPECTATOR, first.text, quiet=False)  # the nick wraps with the words in a narrow panel
    talk = isinstance(first, Said)
    text = join_notes(notes, names) if joins else format_message(first, names)
    return Message(get_sender(first, names) + (":" if talk else ""), text, first.seat is None and not talk)


def describe_round_title(replay: "RoundReplay") -> str:
    return describe_title(replay.score.title) if replay.score else ""


def describe_starter(replay: "RoundReplay", names: Names) -> str:
    """Return a phrase about the declarer or the dealer, else about the first player, such as ``dealer Ada``."""
    if by := replay.game.dealer_or_declarer(replay.dealt[0]):
        role, seat = by
        return f"{role} {names[seat]}"
    seats_that_acted = [step.seat for step in replay.steps if step.seat is not None]
    first = seats_that_acted[0] if seats_that_acted else replay.get_views_after(len(replay.steps))[0].turn
    if first < 0:
        return "nobody has started"
    return "you start" if names[first] == YOU else f"{names[first]} starts"


def format_seat_result(replay: "RoundReplay", seat: Seat) -> tuple[tuple[str, ...], str]:
    """Return the figures of a seat in a finished round, each with its heading, and the weighted points."""
    score = replay.score
    assert score is not None
    columns = zip(replay.game.columns, score.figures[seat], strict=True)
    figures = tuple([f"{head} {format_figure(head, number)}" for head, number in columns])
    return figures, format_weighted(format_gain(score.points[seat]), score.weight)


def describe_step(step: "Step", names: Names) -> list[tuple[str, str]]:
    """Return the log entries of a step as pairs of name and text. Cards are in notation.

    The name is ``""`` for a log entry without a seat.
    """
    return [("" if note.seat is None else names[note.seat], format_message(note, names)) for note in step.notes]


def describe_row(replay: "RoundReplay", row: "RoundRow", names: Names) -> str:
    """Return a description of a line of the round: who led to and won a trick, or what the seats did."""
    if row.trick:
        inline_names = ["you" if name == YOU else name for name in names]
        led = f"Led by {inline_names[row.cards[0][0]]}"
        if row.taker is None:
            return f"{led}, never finished"
        return f"{led}, taken by {inline_names[row.taker]}" + (", played automatically" if not row.steps else "")
    if not row.steps:
        return "Cards left at the end"
    texts = [f"{name} {text}".strip() for step in row.steps for name, text in describe_step(replay.steps[step], names)]
    return ", ".join(texts)


NOT_RATED: Final = "Coached games do not count in the rankings."


def format_coach_note(*, speaks_of_all: bool) -> str:
    """Return the message to a player who has switched the coach on, for all mistakes or for big ones only."""
    return f"The coach will speak up after {'any' if speaks_of_all else 'a big'} mistake. {NOT_RATED}"


def list_verdict_sentences(verdict: "CoachVerdict") -> Sequence[str]:
    """Return sentences on what a decision costs, why, and what is better. Cards are in notation."""
    from cardtable.robots.kit.hint_spec import make_clause  # noqa: PLC0415 - lazy: startup, only the coach needs it

    own = [f"{capitalize_first(verdict.own)} {verdict.against}."] if verdict.against else []
    better = f"Better {verdict.better}{make_clause([verdict.instead] if verdict.instead else [])}."
    cost = format_estimate(verdict.cost, verdict.error)
    return f"Coach: about {cost} {'point' if cost == '1' else 'points'} lost.", *own, better


def format_verdict(verdict: "CoachVerdict") -> Sequence[str]:
    """Return the sentences in one line, and in shorter ones that leave out reasons."""
    lost, *_, better = sentences = list_verdict_sentences(verdict)
    return " ".join(sentences), f"{lost} {better}", f"{lost} Better {verdict.better}."
