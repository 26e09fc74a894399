"""Context of the pages: the objects that all pages share, navigation between pages, and new sessions from old ones."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias, TypeVar

from textual.app import App
from textual.screen import Screen

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.session.robot_client import RobotClient
from cardtable.store import home_folder, passwords, profiles, seating, sessions
from cardtable.store.profiles import ProfileStore
from cardtable.store.session_setup import SessionSetup
from cardtable.store.sessions import Session
from cardtable.ui.toolkit.dialog import MAX_ANSWER_LENGTH, Dialog, UnsavedWorkGuard
from cardtable.ui.toolkit.page import ask, run_with_questions
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.workers.tasks import start_task

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
    from cardtable.records.personal_bests import Achievements
    from cardtable.records.puzzles import SearchProgress
    from cardtable.records.review import Review, ReviewPiece
    from cardtable.workers.client import WorkerProcess
    from cardtable.workers.server import WorkerRequest


class CurrentPlayer:
    """Signed-in player, or the guest if nobody is signed in."""

    def __init__(self) -> None:
        copies = home_folder.merge_copies()
        store, problem = profiles.load()
        self.load_errors = [*copies.added, *copies.ignored, *filter(None, [problem])]
        """Messages on copies of files by other machines, and on the profiles file, when the program started."""
        self.nick = store.signed_in or seating.GUEST
        self._id = self._find_id(store)

    def switch_to(self, nick: str) -> None:
        """Switch to the player with this nick, or follow a new nick of the same player."""
        self.nick = nick
        self._id = self._find_id(profiles.load()[0])

    def reload(self) -> None:
        """Read the profiles file again, because another program may have changed the player's nick.

        If the profile has been removed, the player becomes the guest. An unreadable file changes nothing.
        """
        store, problem = profiles.load()
        if problem or self.nick == seating.GUEST:
            return
        profile = store.find_by_id(self._id)
        self.nick = profile.nick if profile else seating.GUEST
        self._id = self._find_id(store)

    def _find_id(self, store: ProfileStore) -> str:
        profile = store.find(self.nick)
        return profile.id if profile else ""


Check: TypeAlias = Callable[[str], str | None]
"""Function that returns why a typed text is refused, or ``None`` if it is accepted."""
P = ParamSpec("P")
T = TypeVar("T")
STOP_TIMEOUT: Final = 1.0
"""Number of seconds in which the worker process may write its cache before it is stopped."""


class ProcessStarter:
    """Starter of a worker process for each request."""

    def __init__(self) -> None:
        self._processes: set[WorkerProcess] = set()
        """Processes that have not ended yet."""

    async def ask(
        self, module: str, request: "WorkerRequest[T]", grace_seconds: float = 0.0
    ) -> "AsyncGenerator[T, None]":
        """Yield the answers of a new process, which is stopped at the end, also if the caller is cancelled.

        ``grace_seconds``: as for ``WorkerProcess``. Raises ``OSError`` if the process cannot be started or fails.
        """
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - lazy: startup

        process = WorkerProcess(module, grace_seconds)
        self._processes.add(process)
        try:
            async with aclosing(process.ask(request)) as answers:
                async for answer in answers:
                    yield answer
        finally:
            ending = start_task(process.stop())
            ending.add_done_callback(lambda _: self._processes.discard(process))

    async def stop(self) -> None:
        for process in list(self._processes):
            await process.stop()


class StatisticsWorker(ProcessStarter):
    """Requests of pages for statistics, each in a process of its own; stores the last records received."""

    def __init__(self) -> None:
        super().__init__()
        self.records: AggregatedRecords | None = None
        """Last records received; ``None`` before the first ones."""

    async def compute_records(self, report: "Callable[[AggregationProgress], None]") -> None:
        """Compute the records in a worker process, which is stopped at the end, also if the caller is cancelled.

        ``report`` is called with each message of progress. Raises ``OSError`` if the worker process cannot be started
        or fails.
        """
        from cardtable.records.aggregation import AggregationRequest  # noqa: PLC0415 - lazy: startup

        answers = self.ask("cardtable.records.aggregation", AggregationRequest(), STOP_TIMEOUT)
        async with aclosing(answers) as messages:
            async for message in messages:
                self.records = message.records or self.records
                report(message)


class SessionEvaluator(ProcessStarter):
    """Requests for the evaluation of finished sessions, each in a process of its own."""

    async def find_achievements(self, path: Path, seats: Sequence[Seat]) -> "Achievements":
        """Return the achievements of the people in ``seats``. Raises ``OSError`` if the process fails."""
        from cardtable.records.personal_bests import AchievementsRequest  # noqa: PLC0415 - lazy: startup

        request = AchievementsRequest(path, tuple(seats))
        async with aclosing(self.ask("cardtable.records.personal_bests", request)) as answers:
            [achievements] = [answer async for answer in answers]
        return achievements

    def iter_review(self, path: Path, seat: Seat, *, deals_first: bool) -> "AsyncGenerator[Review | ReviewPiece, None]":
        """Yield the stored part of a review, and then each new piece. Raises ``OSError`` if the process fails."""
        from cardtable.records.review_worker import ReviewRequest  # noqa: PLC0415 - lazy: startup

        return self.ask("cardtable.records.review_worker", ReviewRequest(path, seat, deals_first))

    async def complete_review(
        self, path: Path, seat: Seat, review: "Review", save: Callable[[], None], *, deals_first: bool = False
    ) -> "AsyncGenerator[Review | ReviewPiece, None]":
        """Add the stored part and each new piece to ``review``, and yield them.

        ``save`` saves the review. It is called in a thread after every ``PIECES_PER_SAVE`` new pieces, and at the end
        even if the caller stops early. Raises ``OSError`` if the process fails.
        """
        from cardtable.records.review import Review  # noqa: PLC0415 - lazy: startup
        from cardtable.records.review_worker import PIECES_PER_SAVE  # noqa: PLC0415 - lazy: startup

        saved = review.done_count
        try:
            async with aclosing(self.iter_review(path, seat, deals_first=deals_first)) as pieces:
                async for piece in pieces:
                    review.add(piece)
                    if isinstance(piece, Review):
                        saved = review.done_count
                    elif review.done_count >= saved + PIECES_PER_SAVE:
                        saved = review.done_count
                        await asyncio.to_thread(save)
                    yield piece
        finally:
            if review.done_count > saved:
                await asyncio.to_thread(save)

    def search_puzzles(self, nick: str) -> "AsyncGenerator[SearchProgress, None]":
        """Look for puzzles in the last sessions of a player, and yield the progress.

        Raises ``OSError`` if the process fails.
        """
        from cardtable.records.puzzles import SearchRequest  # noqa: PLC0415 - lazy: startup
        from cardtable.store.puzzle_files import get_today  # noqa: PLC0415 - lazy: startup

        return self.ask("cardtable.records.puzzles", SearchRequest(nick, time.time(), get_today()))


class PageContext(ABC):
    """Services of the program for its pages.

    Navigation is asynchronous: a page requests a navigation and returns. Requests are run one after the other, after
    the keys that were pressed before them.
    """

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        self.app, self.preferences = app, preferences
        self.player = CurrentPlayer()
        self.robot_client = RobotClient()
        self.statistics_client = StatisticsWorker()
        self.session_evaluator = SessionEvaluator()
        self.unsaved_work = UnsavedWorkGuard(app, preferences)
        self.last_session: Session | None = None
        """Session whose table was opened last; ``None`` if there was none."""
        self.close_hosted_club: Callable[[], Awaitable[None]] | None = None
        """Coroutine function that closes the club which this program hosts; ``None`` if it hosts none."""
        self._page_states: dict[type, object] = {}

    @property
    def nick(self) -> str:
        return self.player.nick

    def get_page_state(self, state_class: type[T]) -> T:
        """Return the state that a page retains until it is opened again, at first a new ``state_class()``."""
        state = self._page_states.setdefault(state_class, state_class())
        assert isinstance(state, state_class)
        return state

    async def confirm(self, title: str, text: str, yes_label: str, no_label: str) -> bool:
        """Ask a question whose answers have the effects that the labels describe; return True for yes."""
        return await ask(Dialog(self.preferences.appearance, title, text, yes_label, no_label)) is not None

    async def ask_text(
        self,
        title: str,
        text: str,
        yes_label: str,
        no_label: str,
        *,
        initial_text: str = "",
        empty_label: str = "",
        max_length: int = MAX_ANSWER_LENGTH,
        masked: bool = False,
    ) -> str | None:
        """Ask for a line of text, as ``Dialog`` does; return ``None`` if the player does not give it."""
        look, limit = self.preferences.appearance, max_length
        dialog = Dialog(
            look, title, text, yes_label, no_label,
            initial_text=initial_text, empty_label=empty_label, max_length=limit, masked=masked,
        )  # fmt: skip
        return await ask(dialog)

    async def ask_until_accepted(
        self, title: str, text: str, yes_label: str, no_label: str, check: Check, *, masked: bool = True
    ) -> bool:
        """Ask for a password or a nick until ``check``, called in a thread, accepts it.

        Returns False if the player does not give it.
        """
        limit, message = passwords.MAX_CHARACTERS, text
        while True:
            typed = await self.ask_text(title, message, yes_label, no_label, max_length=limit, masked=masked)
            if typed is None:
                return False
            reason = await asyncio.to_thread(check, typed)
            if not reason:
                return True
            message = f"{reason}. {text}"

    def run_later(self, function: Callable[P, Coroutine[Any, Any, object]], *args: P.args, **kwargs: P.kwargs) -> None:
        """Run a coroutine function, which may ask questions, after the requests and keys that came before it."""
        self.app.call_later(run_with_questions, self.app, function, *args, **kwargs)

    @abstractmethod
    def show(self, page: str, *arguments: object) -> None:
        """Open a page by name over the current screen.

        If the page is open already, it is closed first, with all screens above it. ``arguments`` are passed to the
        function that creates its screen, after the context, as in ``show("replay", path)``.
        """

    @abstractmethod
    def leave(self, screen: Screen[Any]) -> None:
        """Close a screen and all screens above it; if work on them is unsaved, the player is asked first."""

    @abstractmethod
    def begin(self, setup: SessionSetup) -> None:
        """Begin a session; players whose credits are at stake have to enter their passwords first."""

    @abstractmethod
    def resume_session(self, path: Path) -> None:
        """Continue a session; if it is already open below the pages, return to it."""

    @abstractmethod
    def open_session(self, opener: Callable[[], Session]) -> None:
        """Close all pages and the table, and open the session that ``opener()`` returns.

        If it raises ``CardtableError``, the error is shown and nothing is closed.
        """

    @abstractmethod
    def show_error(self, error: CardtableError) -> None:
        """Show an error in a notification, and let the active page read its files again."""

    async def close_club(self) -> None:
        """Close the club that this program hosts, if any, and notify its guests."""
        if self.close_hosted_club:
            await self.close_hosted_club()
            self.close_hosted_club = None  # only now: the end of the program waits for the club to close

    async def end(self) -> None:
        """Close the hosted club, and stop the worker processes, because the program ends."""
        await self.close_club()
        await self.robot_client.stop()
        await self.statistics_client.stop()
        await self.session_evaluator.stop()


async def fork_session(
    context: PageContext, path: Path, header: Header, lines: int, when: str, seat: Seat, seat_text: str
) -> None:
    """Start a new session with the first ``lines`` of a journal, and with robots in all seats but the player's.

    The player is asked for confirmation if the settings require it. ``when`` says in words where the new session
    starts, such as "at this moment of round 3", and ``seat_text`` which seat is the player's, such as "Ada's seat".
    """
    seats = seating.replace_other_people(header.seats, seat, context.nick)
    text = (
        f"A new session starts {when}, with you in {seat_text} and robots in all other seats. "
        "It does not count in the rankings, and this session stays as it is."
    )
    asks = context.preferences.settings.confirm
    if not asks or await context.confirm("Play from here", text, "start it", "go back"):
        context.open_session(lambda: sessions.fork(path, lines, seats))
