"""Lessons: positions with questions that teach a game, and the session that a pupil plays in them.

The lessons of a game are a file ``lessons.toml`` beside its rules; ``docs/lessons.md`` describes the format. A lesson
deals fixed cards, shows texts, asks for actions of the pupil, who has seat 0, and plays the actions of the others.
"""

import tomllib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from cardtable.engine import chance as chance_events
from cardtable.engine import options
from cardtable.engine.cards import NAME, Card, iter_cards, names
from cardtable.engine.chance import Deal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE, OVER, Action, AnyGame, Event, GameInfo, Seat, View, find_action
from cardtable.engine.journal import ActionLine, ChanceLine, Occupant
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.options import Options, Value, has_open_hands
from cardtable.engine.referee import IllegalAction, Referee
from cardtable.engine.text_format import sanitize, shorten_path
from cardtable.games import ABOUT, GAMES, KEYS, import_rules, list_keys
from cardtable.session.local_robots import LocalRobots
from cardtable.session.playable_session import TransientSession, create_transient_header
from cardtable.session.session_events import (
    AwaitingPlayer,
    AwaitingReader,
    AwaitingScript,
    ObservedEvent,
    PendingInput,
    SessionEvent,
    SessionOver,
    SessionPrompt,
    SessionSnapshot,
    Shown,
    Stage,
    create_other_view,
    turn_views,
)
from cardtable.store import paths, player_progress
from cardtable.store.player_progress import NOT_BEGUN, LessonProgress
from cardtable.store.seating import ROBOT_NAMES

if TYPE_CHECKING:  # plain text at home needs no event loop
    from cardtable.robots import worker

PUPIL: Final[Seat] = 0
"""Seat of the pupil in every lesson."""
ROBOT_LEVEL: Final = "steady"
"""Level of the robots in the rounds that a pupil plays freely."""
MAX_WRONG_ANSWERS: Final = 2
"""Number of wrong answers to a question after which the pupil is told the right one."""
_DEFAULT_COMMENT: Final = "That is not it. Try again."
"""Comment on a wrong answer for which the file has none."""
_PROBES: Final = 24
"""Number of deals from which the places of the seats in the order of a deal are found."""
_SEED: Final = 1
"""Seed of the cards that a lesson does not name, and of its robots."""


class LessonStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Text to read, or a question with its answers, or the rest of a round to play.

    Actions are in the notation of the journal, cards in texts in that of the log: ``KH``.
    """

    text: str = ""
    """Text that is shown before the question, until the pupil continues; empty if there is none."""
    ask: str = ""
    """Question in one line, which is shown while the pupil chooses; empty in a step that is only read."""
    expect: tuple[str, ...] = ()
    """Right answers: legal actions, the best first."""
    right: str = ""
    """Comment on a right answer, which is shown before the text of the next step."""
    wrong: Mapping[str, str] = {}
    """Comments on legal actions that are not expected."""
    otherwise: str = ""
    """Comment on all other legal actions."""
    refused: Mapping[str, str] = {}
    """Reasons for which the rules refuse cards that the pupil may try, by cards in notation, in the game's words."""
    then: tuple[str, ...] = ()
    """Events after the answer: outcomes of chance, and actions of the seats to act."""
    play_on: bool = False
    """True if the pupil plays the rest of the round freely, with robots."""


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lesson on one deal."""

    name: str
    """Name in the record of the pupil's progress, which never changes."""
    title: str
    steps: tuple[LessonStep, ...]
    start: tuple[str, ...] = ("deal",)
    """Events before the first step. The event ``deal`` deals ``hands`` and ``stock``."""
    hands: tuple[str, ...] = ()
    """Cards of each seat; the cards of further seats, and cards missing from a hand, are drawn at random."""
    stock: str = ""
    """Cards that are dealt to no seat, in the order of the deal; further ones are drawn at random."""
    round: int = 1
    """Number of the round that is played; those before it are played with random cards and actions."""
    seats: int | None = None
    """Number of seats; ``None`` for the usual one."""
    options: Mapping[str, Value] = {}
    """House rules that differ from their defaults."""
    shows: Shown = Shown.ALL
    """What the table shows: less than all of it in the first lessons, which have not taught the rest yet."""
    game: str = ""
    """Key of the game, for a shared lesson; empty in the file of a game."""

    @property
    def id(self) -> str:
        """Id in the record of the pupil's progress; a shared lesson has the same one in all games."""
        return f"{self.game}/{self.name}"


class LessonFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of a file with lessons."""

    lessons: tuple[Lesson, ...]
    include: tuple[str, ...] = ()
    """Names of shared files, such as ``tricks``, whose lessons come before those of the game."""


class Course(NamedTuple):
    """Lessons of a game in their order."""

    game: GameInfo
    lessons: tuple[Lesson, ...]
    error: str | None = None
    """Reason why the file with the lessons is not valid, in one line; ``None`` if it is."""


class LessonError(CardtableError):
    """A file with lessons is not valid."""


def load_lessons(key: str) -> tuple[Lesson, ...]:
    """Return the lessons of a game in their order; empty if it has none.

    Raises ``LessonError`` if the file of a game from another package is not valid, and ``KeyError`` if the game is
    unknown.
    """
    file = _find_file(key)
    if file is None or not file.is_file():
        return ()
    content = _read_file(file)
    shared = [
        lesson
        for name in content.include
        for lesson in _read_file(paths.get_shipped_path("games", f"{name}.toml")).lessons
    ]
    return (*shared, *[replace(lesson, game=key) for lesson in content.lessons])


def load_course(key: str) -> Course:
    """Return the lessons of a game, of which there are none if it has no file or the file is not valid.

    Raises ``KeyError`` if the game is unknown.
    """
    try:
        return Course(ABOUT[key], load_lessons(key))
    except LessonError as error:
        return Course(ABOUT[key], (), str(error))


def list_courses() -> list[Course]:
    """Return the lessons of all games that have some, or whose file is not valid, in the order of the picker."""
    courses = map(load_course, list_keys())
    return [course for course in courses if course.lessons or course.error]


def has_lessons(key: str) -> bool:
    """Return True if the game has a file with lessons, which may be invalid."""
    file = _find_file(key)
    return file is not None and file.is_file()


def should_offer_lessons(key: str, nick: str) -> bool:
    """Return True if the game has lessons and the player has finished none of them."""
    progress, _ = player_progress.load_lessons(nick)
    return has_lessons(key) and not any(own.is_finished for id_, own in progress.items() if id_.startswith(f"{key}/"))


def _find_file(key: str) -> Path | None:
    """Return the path of the file with a game's lessons; ``None`` for a game in a single file."""
    if key in KEYS:
        return paths.get_shipped_path("games", key, "lessons.toml")
    package = import_rules(key).__package__
    return paths.get_shipped_path("lessons.toml", package=package) if package else None


def _read_file(file: Path) -> LessonFile:
    try:
        return parse_lessons(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LessonError(f"the lessons in {shorten_path(file)} cannot be read: {sanitize(str(error))}") from None


def parse_lessons(text: str) -> LessonFile:
    """Parse the content of a file with lessons. Raises ``ValueError`` if it is not valid."""
    try:
        return msgspec.convert(tomllib.loads(text), LessonFile)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def create_deal(referee: Referee, hands: Sequence[str], stock: str) -> Deal:
    """Return the deal that gives each seat these cards, in notation.

    Cards that are not named are drawn at random, always the same ones. The deal that is due must be the next event.
    Raises ``LessonError`` if a hand has too many cards or a card is named too often.
    """
    index_lists = _find_deal_indices(referee)
    left, order = _draw_sample(referee), dict[int, Card]()
    card_texts = [*hands, *[""] * (referee.seats - len(hands)), stock]
    for text, indices in zip(card_texts, index_lists, strict=True):
        chosen = [_take_card(left, name) for name in text.split()]
        if len(chosen) > len(indices):
            raise LessonError(f"{text!r}: these are more cards than are dealt there ({len(indices)})")
        order.update(zip(sorted(indices), chosen, strict=False))
    for index in sorted(set(range(len(left) + len(order))) - order.keys()):
        order[index] = left.pop(0)
    dealt = chance_events.read(f"deal {names([order[index] for index in sorted(order)])}")
    assert isinstance(dealt, Deal)
    return dealt


def _draw_sample(referee: Referee, number: int = 0) -> list[Card]:
    """Return the cards of a random deal in their order."""
    sample = referee.state.draw_chance(Random(f"{_SEED} {number}"))
    if not isinstance(sample, Deal):
        raise LessonError(f"not a deal, but {sample} is due")
    return list(sample.order)


def _find_deal_indices(referee: Referee) -> list[list[int]]:
    """Return the indices of each seat's cards in the order of the deal, and as the last item all others.

    They are found from deals, because each game deals in its own way. Copies of a card look alike, so that one deal
    does not tell at which of their indices a seat got it.
    """
    owners: list[set[Seat]] = []
    for number in range(_PROBES):
        sample, probe = _draw_sample(referee, number), referee.state.copy()
        probe.apply(chance_events.read(f"deal {names(sample)}"))
        hands = [{NAME[card] for card in iter_cards(probe.view(seat).hand)} for seat in range(referee.seats)]
        new_owners = [{seat for seat, hand in enumerate(hands) if NAME[dealt] in hand} for dealt in sample]
        owners = [old & new for old, new in zip(owners, new_owners, strict=True)] if owners else new_owners
    indices = [[index for index, seats in enumerate(owners) if seat in seats] for seat in range(referee.seats)]
    return [*indices, [index for index, seats in enumerate(owners) if not seats]]


def _take_card(left: list[Card], name: str) -> Card:
    """Remove and return the first card with this name."""
    for card in left:
        if names([card]) == name:
            left.remove(card)
            return card
    raise LessonError(f"there is no {name} (left) in the pack")


def _read_house_rules(lesson: Lesson, seats: int) -> Options:
    """Return the house rules of a lesson. Raises ``LessonError`` if the game does not know one of them."""
    try:
        return options.read(GAMES[lesson.game].options, lesson.options, seats)
    except ValueError as error:
        raise LessonError(f"lesson {lesson.name!r} of {lesson.game}: {error}") from None


class LessonSession(TransientSession):
    """Implementation of ``PlayableSession`` for a lesson; nothing of it is stored.

    The lesson alternates between texts (``AwaitingReader``), questions (``AwaitingPlayer``) and the events of its
    script (``AwaitingScript``). A wrong answer changes nothing but the text.
    """

    can_tell_answer = True

    def __init__(
        self,
        lesson: Lesson,
        pupil_name: str,
        first_step: int = 0,
        *,
        needed_answer: bool = False,
        save: "Callable[[LessonSession], None]" = lambda _session: None,
    ) -> None:
        """Begin the lesson at its step ``first_step``, with the best answers to the questions before it.

        ``needed_answer``: True if the pupil was given the answer to one of those questions. ``save`` is called when a
        step is done, and when the pupil is given an answer. Raises ``LessonError`` if the events of the lesson are not
        possible.
        """
        super().__init__(PUPIL)
        self.lesson: Final = lesson
        self._save: Final = save
        self.game: Final[AnyGame] = GAMES[lesson.game]
        self.people: Final[Sequence[Seat]] = (PUPIL,)
        self.initial_seat: Final = PUPIL
        seats = lesson.seats or self.game.about.usual_seats
        house_rules = _read_house_rules(lesson, seats)
        self.hands_open: Final = has_open_hands(house_rules.to_dict())
        occupants = (Occupant(pupil_name), *[Occupant(name, ROBOT_LEVEL) for name in ROBOT_NAMES[: seats - 1]])
        id_ = f"lesson-{lesson.game}-{lesson.name}"
        self.header: Final = create_transient_header(id_, self.game, house_rules, occupants, _SEED)
        self.step = 0
        """Index of the current step; the number of steps once all are done."""
        self.needed_answer = needed_answer
        """True if the pupil was given the answer to a question."""
        self.save_error: str | None = None
        """Reason why the progress could not be saved last, in one line; ``None`` if it was."""
        self._visible_seats: Final = range(seats) if self.hands_open else (PUPIL,)
        self._referee = Referee(self.game, seats, house_rules, _SEED)
        self._robots = LocalRobots()
        self._views: Mapping[Seat, View] = {}
        self._other_views: Mapping[Seat, View] = {}
        self._events: list[SessionEvent] = []
        self._script: deque[str] = deque()
        """Events that follow before the next text or question."""
        self._text = ""
        """Text that the pupil has to read; empty if there is none."""
        self._comment = ""
        """Comment on the last right answer, which precedes the next text."""
        self._announcement = ""
        """Sentence on cards of the pupil in the script."""
        self._wrong_answers = 0
        """Number of wrong answers to the current question."""
        self._play_earlier_rounds()
        self._update_views()
        self._referee.on_event = self._observe
        self._go_to_step(first_step)
        self._begin_step()

    def _go_to_step(self, number: int) -> None:
        """Apply the events before this step, with the best answers to the questions, and random play in free rounds."""
        rng = Random(_SEED)
        for text in self.lesson.start:
            self._apply(text)
        while self.step < number:
            step = self.current_step
            while step.play_on and self._referee.playing:
                self._advance_at_random(rng)
            for text in (*step.expect[:1], *step.then):
                self._apply(text)
            self.step += 1
        self._events.clear()

    # State

    @property
    def current_step(self) -> LessonStep:
        """Step in progress; must not be read once all are done."""
        return self.lesson.steps[self.step]

    @property
    def is_finished(self) -> bool:
        """True once all steps are done and the last text has been read."""
        return self.pending == SessionOver()

    @property
    def _has_steps_left(self) -> bool:
        return self.step < len(self.lesson.steps)

    @property
    def prompt(self) -> SessionPrompt:
        """Text and question for the pupil now."""
        is_told, legal = self._wrong_answers >= MAX_WRONG_ANSWERS, self._views[PUPIL].legal
        is_asked = isinstance(self.pending, AwaitingPlayer) and not is_told
        return SessionPrompt(
            title=self.lesson.title,
            step=min(self.step + 1, len(self.lesson.steps)),
            steps=len(self.lesson.steps),
            text=self._text,
            question=self.current_step.ask if isinstance(self.pending, AwaitingPlayer) else "",
            answer=find_action(legal, self.current_step.expect[0]) if is_told else None,
            right_actions=tuple([action for action in legal if is_asked and str(action) in self.current_step.expect]),
            announcement=self._announcement,
            is_free_play=self._has_steps_left and self.current_step.play_on,
            shown=self.lesson.shows,
        )

    @property
    def pending(self) -> PendingInput:
        if self._text:
            return AwaitingReader()
        turn = self._referee.turn
        if self._script:
            return AwaitingScript(turn if turn >= 0 else None)
        if not self._has_steps_left:
            return SessionOver()
        if turn < 0 or (self.current_step.play_on and self._find_silent_action()):
            return AwaitingScript()
        return AwaitingPlayer(PUPIL) if turn == PUPIL else AwaitingScript(turn)

    def _find_silent_action(self) -> Action | None:
        return self.game.forced_silent_action(self._referee.view(self._referee.turn))

    @property
    def progress(self) -> tuple[int, int]:
        return self._referee.round, self._referee.decisions

    # Display

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        is_round_over = bool(self._referee.scores) and not self._referee.playing
        return SessionSnapshot(
            view=self._views[seat],
            others={other: view for other, view in self._views.items() if other != seat},
            stage=Stage.ROUND_END if is_round_over else Stage.PLAY,
            scores=tuple(self._referee.scores),
            messages=self.get_messages(seat),
            prompt=self.prompt,
        )

    # Input

    def advance(self) -> Sequence[SessionEvent]:
        """Continue after a text, or apply the next event of the script or of a robot."""
        if self._text:
            self._text = ""
            self._after_text()
        elif self._script:
            self._apply(self._script.popleft())
            if not self._script:
                self._finish_step()
        else:
            self._advance_freely()
            self._end_free_round()
        return self._take_events()

    def play(self, action: Action) -> Sequence[SessionEvent]:
        if not isinstance(self.pending, AwaitingPlayer):
            raise IllegalAction("nobody is to choose now")
        step, text = self.current_step, str(action)
        if step.play_on:
            self._referee.play(self._referee.turn, action)
            self._end_free_round()
        elif text in step.expect:
            self._apply(text)
            self._start_script()
        else:
            self._wrong_answers += 1
            self._text = step.wrong.get(text) or step.otherwise or _DEFAULT_COMMENT
            if self._wrong_answers >= MAX_WRONG_ANSWERS:
                return self.tell_answer(self._text)
        return self._take_events()

    def tell_answer(self, reason: str) -> Sequence[SessionEvent]:
        self._text, self._wrong_answers, self.needed_answer = reason, MAX_WRONG_ANSWERS, True
        self._save(self)
        return self._take_events()

    def read_again(self) -> Sequence[SessionEvent]:
        """Show the text of the question again, because the pupil has asked for it."""
        if isinstance(self.pending, AwaitingPlayer):
            self._text = self.current_step.text or self.current_step.ask
        return self._take_events()

    def create_hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup

        key, referee = self.lesson.game, self._referee
        decisions, worlds = referee.decisions, referee.worlds
        return worker.HintRequest(key, view, _SEED, decisions, for_other_player=to_another, worlds=worlds)

    def close(self) -> None:
        self._robots.stop()

    # Steps

    def _begin_step(self) -> None:
        """Show the comment on the last answer, and the text of the step that begins."""
        text = self.current_step.text if self._has_steps_left else ""
        self._text = "\n\n".join(filter(None, [self._comment, text]))
        self._comment, self._wrong_answers = "", 0
        if not self._text:
            self._after_text()

    def _after_text(self) -> None:
        if self._has_steps_left and not self.current_step.ask and not self.current_step.play_on:
            self._start_script()

    def _start_script(self) -> None:
        self._script.extend(self.current_step.then)
        self._announcement = self._announce_script()
        if not self._script:
            self._finish_step()

    def _announce_script(self) -> str:
        """Return a sentence on how far the script plays if it plays cards of the pupil, else ``""``."""
        state, own_cards = self._referee.state.copy(), 0
        for text in self._script:
            if state.turn == CHANCE:
                state.apply(chance_events.read(text))
            elif action := find_action(state.legal(), text):
                own_cards += action.cards_used().bit_count() if state.turn == PUPIL else 0
                state.apply(action)
        if not own_cards:
            return ""
        if state.finished > self._referee.state.finished:
            return "The lesson plays on to the end of the round."
        trick = self.game.trick(state.view(PUPIL))
        if trick:
            return f"The lesson plays on to trick {trick.number}."
        return f"The lesson plays your next {'card' if own_cards == 1 else 'cards'}."

    def _finish_step(self) -> None:
        self._comment, self._announcement = self.current_step.right, ""
        self.step += 1
        self._save(self)
        self._begin_step()

    # Events

    def _play_earlier_rounds(self) -> None:
        """Play the rounds before that of the lesson with random cards and actions, always the same ones."""
        rng, referee = Random(_SEED), self._referee
        while referee.turn != OVER and (referee.playing or referee.round < self.lesson.round - 1):
            self._advance_at_random(rng)

    def _advance_at_random(self, rng: Random) -> None:
        referee = self._referee
        is_chance = referee.turn == CHANCE
        self._apply(str(referee.state.draw_chance(rng)) if is_chance else rng.choice(referee.list_legal_texts()))

    def _advance_freely(self) -> None:
        """Apply the next event of a round that is played freely: chance, a silent action, or the choice of a robot."""
        referee = self._referee
        if referee.turn == CHANCE:
            referee.advance()
        elif silent := self._find_silent_action():
            referee.play(referee.turn, silent)
        else:
            self._play_robot()

    def _play_robot(self) -> None:
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup

        referee, key = self._referee, self.lesson.game
        view, worlds = referee.view(referee.turn), referee.worlds
        request = worker.ChooseRequest(key, ROBOT_LEVEL, view, _SEED, referee.decisions, worlds)
        action, worlds, notice = self._robots.choose(request)
        if notice:
            note = CustomLogEntry(None, notice)
            self._log.log_note(note)
            self._events.append(note)
        referee.play(referee.turn, action, worlds=worlds)

    def _end_free_round(self) -> None:
        """Continue with the script once the round that is played freely is over."""
        if not self._referee.playing:
            self._start_script()

    def _apply(self, text: str) -> None:
        """Apply an event of the lesson. Raises ``LessonError`` if it is not possible now."""
        referee = self._referee
        try:
            if referee.turn != CHANCE:
                referee.apply_line(ActionLine(referee.turn, text))
            elif text == "deal":
                deal = create_deal(referee, self.lesson.hands, self.lesson.stock)
                referee.apply_line(ChanceLine(str(deal)))
            else:
                referee.apply_line(ChanceLine(text))
        except IllegalAction as error:
            raise LessonError(f"lesson {self.lesson.name!r} of {self.lesson.game}: {error}") from None

    def _update_views(self) -> None:
        self._views = {seat: self._referee.view(seat) for seat in self._visible_seats}
        self._other_views = create_other_view(self._referee, [PUPIL])

    def _observe(self, event: Event) -> None:
        actor = self._referee.actor
        before, others = turn_views(self._views, event, actor), turn_views(self._other_views, event, actor)
        self._update_views()
        self._events.append(ObservedEvent(event, before, self._views))
        views = {**others, **before}, {**self._other_views, **self._views}
        self._log.log_event(self.game, event, *views)

    def _take_events(self) -> Sequence[SessionEvent]:
        events, self._events = self._events, []
        return events


def continue_lesson(lesson: Lesson, nick: str) -> LessonSession:
    """Return the session of a lesson at the step at which the player has left it; its progress is saved.

    The lesson begins anew if it has changed and the step cannot be reached any more. Raises ``LessonError`` if the
    events of the lesson are not possible.
    """
    before = player_progress.load_lessons(nick)[0].get(lesson.id, NOT_BEGUN)

    def save(session: LessonSession) -> None:
        if session.step < len(lesson.steps):
            progress = replace(before, step=session.step, needed_answer=session.needed_answer)
        elif session.needed_answer:
            progress = LessonProgress(before.done, helped=True)
        else:
            progress = LessonProgress(done=True)
        session.save_error = None
        try:
            player_progress.save_lesson(nick, lesson.id, progress)
        except CardtableError as error:
            session.save_error = str(error)

    if 0 < before.step < len(lesson.steps):
        with suppress(LessonError):
            return LessonSession(lesson, nick, before.step, needed_answer=before.needed_answer, save=save)
    return LessonSession(lesson, nick, save=save)
