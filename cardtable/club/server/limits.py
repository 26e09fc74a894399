"""Limits on what one person, address or network may use of a club, and the budgets that enforce them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from math import ceil
from time import monotonic
from typing import Final, Literal, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import msgspec

from cardtable.club.addresses import LoginIdentity
from cardtable.club.protocol import MAX_INVITED, MissingCredential
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Journal, TalkLine
from cardtable.engine.log_entries import split_spectator_talk
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_count
from cardtable.store import profiles
from cardtable.store.seating import compute_nick_key
from cardtable.workers.tasks import run_uninterrupted

Consumer: TypeAlias = Literal["person", "address", "network", "table", "session", "connection", "port"]
"""Whose use a limit counts: an address is an IPv4 address or an IPv6 /64, a network is an IPv4 /24 or an IPv6 /48."""
T = TypeVar("T")
KIB: Final = 1024
HOUR: Final = 3600
DAY: Final = 24 * HOUR
_UNITS: Final = {"second": 1, "minute": 60, "hour": HOUR, "day": DAY}
"""Units of time in seconds, in ascending order."""
TALK_OVERHEAD_BYTES: Final = 90
"""Size of a chat message in the journal besides its text, in bytes."""
MIN_READING_PAUSE: Final = 0.05
"""Minimum pause of an address after a request that reads files, in seconds."""
MAX_READING_PAUSE: Final = 1.0
"""Maximum pause of an address after a request that reads files, in seconds."""
MAX_CONCURRENT_CHECKS: Final = 2
"""Maximum number of passwords that are checked at the same time."""
_PRUNE_SIZE: Final = 64
"""Number of consumers of a budget from which those who have spent nothing are forgotten."""


class RequestRefused(CardtableError):
    """Raised if a request is refused; the message is meant for the client."""


class Limit(msgspec.Struct, frozen=True):
    """How much of one thing a person, address or network may use, and what happens beyond it."""

    what: str
    per: Consumer
    number: int
    """Maximum at a time; with ``every`` at once."""
    refusal: str = ""
    """Text for whoever wants more, in which ``{number}`` and other names stand for figures and nicks."""
    every: float = 0
    """Time in seconds after which one more is allowed; 0 if nothing comes back."""
    within: float = 0
    """Time in seconds for which each use counts; 0 if only what is in use counts."""
    share_refusal: str = ""
    """Text for whoever has used their share of a ``number`` that is for all; see ``compute_share``."""
    effect: str = ""
    """What happens in place of a refusal, in words."""

    @property
    def extent(self) -> str:
        """How much is allowed, in words."""
        if self.share_refusal:
            return f"half of what others leave of {self.number}"
        unit, seconds = next(item for item in _UNITS.items() if item[1] >= (self.within or self.every))
        if self.within:
            return f"{self.number} per {unit}"
        return f"{self.number} at once, then {seconds / self.every:g} per {unit}" if self.every else str(self.number)

    @property
    def consequence(self) -> str:
        """What the refused one is told, and what happens, in words."""
        texts = [text.format(number=self.number, nick="NICK", own="N") for text in (self.refusal, self.share_refusal)]
        return "; ".join([*[f'"{text}"' for text in texts if text], *([self.effect] if self.effect else [])])

    def check(self, used: int, **names: str) -> None:
        """Raise ``RequestRefused`` if as much is used as is allowed; ``names`` are those of the text."""
        if used >= self.number:
            raise RequestRefused(self.format_refusal(**names))

    def format_refusal(self, **names: str) -> str:
        return self.refusal.format(number=self.number, **names)

    def compute_share(self, used_by_others: int) -> int:
        """Return how much of what is for all one address or network may use.

        It is half of what the others leave, so that neither one nor a few can use up all, but at least two.
        """
        return max(2, (self.number - used_by_others) // 2)

    def is_used_up(self, own: int, used_by_all: int) -> bool:
        """Return True if an address or network has as much of what is stored for all as is still free."""
        return own >= self.number - used_by_all


_TOO_MUCH_TALK: Final = "you are talking too fast; wait a few seconds"
_SESSION_FULL_OF_TALK: Final = "you have said as much as this session can hold"
_TOO_MANY_TRIES: Final = "too many wrong tries"


class Limits(msgspec.Struct):
    """All limits on guests of a club, in the order in which they are listed."""

    messages: Limit = Limit(
        "messages",
        "person",
        60,
        "too many messages came at once: 20 a second are allowed",
        every=1 / 20,
        effect="the connection ends",
    )
    address_messages: Limit = Limit("messages", "address", 300, every=1 / 100, effect="further ones wait")
    answers: Limit = Limit(
        "unread answers", "connection", 100, "your connection is too slow to follow; join again", effect="it ends"
    )
    unread: Limit = Limit(
        "MiB of unread answers", "network", 16, effect="the connection ends of the person for whom most waits"
    )
    log_lines: Limit = Limit(
        "lines in the host's log", "person", 10, within=60, effect="further ones are counted in one line"
    )
    talk: Limit = Limit("chat messages", "person", 6, _TOO_MUCH_TALK, every=1 / 2)
    address_talk: Limit = Limit("chat messages", "address", 18, _TOO_MUCH_TALK, every=1 / 6)
    private_talk: Limit = Limit(
        "private messages", "person", 10, "you are writing to people alone too often; wait a minute", every=6
    )
    reports: Limit = Limit("reports", "person", 3, "you have reported enough; the host will see it", every=HOUR)
    all_reports: Limit = Limit(
        "reports of 30 days", "network", 200, share_refusal="the host has enough reports from your network to read"
    )
    held_talk: Limit = Limit(
        "messages in a round of a tournament, which are held back",
        "person",
        20,
        "{number} of your messages wait for the end of the round; the club holds back no more",
    )
    seats_talk: Limit = Limit("KiB of chat for the seats", "session", 384, _SESSION_FULL_OF_TALK)
    spectator_talk: Limit = Limit("KiB of chat in a session as a spectator", "person", 32, _SESSION_FULL_OF_TALK)
    spectators_talk: Limit = Limit(
        "KiB of chat in a session as spectators", "network", 128, share_refusal=_SESSION_FULL_OF_TALK
    )
    substitutions: Limit = Limit(
        "robots for players", "session", 1000, "robots have stood in too often in this session; wait for the players"
    )
    """Each robot that stands in takes room in the journal."""
    invitations: Limit = Limit(
        "invitations and offers", "network", MAX_INVITED, "you are inviting too many people; wait a minute", every=10
    )
    invitations_of_one: Limit = Limit(
        "invitations and offers to one person",
        "network",
        5,
        "you have asked {nick} often enough; wait a minute",
        every=60,
    )
    invited: Limit = Limit(
        "people invited to a private table",
        "table",
        MAX_INVITED,
        "{number} people are invited to that table; withdraw an invitation first",
    )
    sent_away: Limit = Limit(
        "spectators sent away", "table", 100, "{number} people have been sent away; close the table to spectators"
    )
    waiting_tables: Limit = Limit(
        "waiting tables", "person", 3, "{number} of your tables are already waiting for players; start one first"
    )
    joined_tables: Limit = Limit("tables at a time", "person", 8, "you are already at {number} tables; leave one first")
    reopened_tables: Limit = Limit(
        "sessions opened again", "person", 8, "you are opening tables too fast; wait a few seconds", every=1
    )
    watched_tables: Limit = Limit(
        "tables watched", "address", 24, "too many people on your network come to watch; wait a few seconds", every=2
    )
    unfinished: Limit = Limit(
        "unfinished sessions", "person", 50, "{number} of your sessions are not over yet; finish one of them first"
    )
    all_unfinished: Limit = Limit(
        "unfinished sessions",
        "network",
        2000,
        share_refusal="too many sessions of people on your network are not over yet; finish one of yours first",
    )
    tables: Limit = Limit(
        "tables",
        "address",
        100,
        "{number} tables are open, and the club has room for no more; try again later",
        share_refusal="there is no room for more tables from your address; try later",
    )
    growth: Limit = Limit(
        "percent of the disk space",
        "person",
        1,
        "the tables of {nick} have filled their part of the club's disk for today; try again later",
        every=DAY,
    )
    network_growth: Limit = Limit(
        "percent of the disk space",
        "network",
        10,
        "the tables of people on the network of {nick} have filled their part of the club's disk for today; "
        "try again later",
        every=DAY / 10,
    )
    pending: Limit = Limit(
        "connections without a login", "port", 128, effect="the oldest one of the busiest address ends"
    )
    address_pending: Limit = Limit("percent of these connections", "address", 75, effect="the oldest one ends")
    guests: Limit = Limit(
        "guests",
        "address",
        200,
        "{number} guests are here, and the club is full",
        share_refusal="{own} guests are here from your address; there is no room for more",
    )
    connections: Limit = Limit(
        "connections", "person", 8, "you have joined with {number} other programs since", effect="the oldest one ends"
    )
    programs: Limit = Limit(
        "programs by ssh or in a browser",
        "person",
        2,
        "You have joined again, and the oldest of your programs ends.",
        effect="the oldest one ends",
    )
    all_programs: Limit = Limit(
        "programs by ssh or in a browser",
        "address",
        32,
        "{number} guests are here by ssh or in a browser; no room for more. Try again later.",
        share_refusal="{own} guests are here from your address by ssh or in a browser. Try again later.",
    )
    new_nicks: Limit = Limit("new nicks", "address", 20, "too many new nicks came from your address", within=HOUR)
    accounts: Limit = Limit(
        "known nicks",
        "network",
        5000,
        "the club knows too many people to take a new nick; ask its host to forget some",
        share_refusal="the club knows too many people to take a new nick from you; ask its host to forget some",
    )
    players: Limit = Limit(
        "players of the club",
        "network",
        profiles.MAX_PROFILES,
        share_refusal="the host has too many players to take a new one from you; stay a guest",
    )
    newcomers: Limit = Limit(
        "newcomers who wait to be let in", "address", 8, "{number} newcomers from your address wait to be let in; wait"
    )
    device_words: Limit = Limit(
        "words for devices", "person", 3, "you have {number} words that are still good; use one, or wait ten minutes"
    )
    all_device_words: Limit = Limit(
        "words for devices",
        "network",
        1000,
        share_refusal="too many words for other devices are in use; wait ten minutes",
    )
    wrong_codes: Limit = Limit("wrong codes", "address", 5, _TOO_MANY_TRIES, every=10)
    wrong_passwords: Limit = Limit("wrong passwords", "address", 20, _TOO_MANY_TRIES, every=10)
    wrong_passwords_of_one: Limit = Limit("wrong passwords for one nick", "address", 5, _TOO_MANY_TRIES, every=10)
    password_checks: Limit = Limit(
        "passwords to be checked", "address", 2, "other passwords from your address are being checked"
    )


LIMITS: Final = Limits()


class LoginError(Exception):
    """Refusal of a login, with a text for the client."""

    def __init__(self, reason: str, missing: MissingCredential = "", retry_after: int | None = None) -> None:
        """Create a refusal with a text for the client.

        ``missing`` is the credential that the client should send or change; it is empty if none would help.
        ``retry_after`` is the number of seconds after which the same login may succeed, or ``None`` if waiting does not
        help.
        """
        super().__init__(reason)
        self.missing: Final = missing
        self.retry_after: Final = retry_after


def create_retry_error(reason: str, seconds: int) -> LoginError:
    return LoginError(f"{reason}; try again in {format_count(seconds, 'second')}", retry_after=seconds)


class Budget:
    """Token buckets of one limit: one for each consumer, which all of their connections share; each starts full."""

    def __init__(self, limit: Limit) -> None:
        self.limit: Final = limit
        self._full_at: dict[str, float] = {}
        """Time at which the bucket of a consumer is full again; others are full."""
        self._prune_size = _PRUNE_SIZE

    def count_left(self, consumer: str) -> float:
        """Return how much a consumer has left; below zero if too much was spent."""
        missing_seconds = max(self._full_at.get(consumer, 0) - monotonic(), 0)
        return round(self.limit.number - missing_seconds / self.limit.every, 6)

    def spend(self, consumer: str, amount: float = 1) -> None:
        """Count what a consumer has used, even if it is more than is left."""
        if consumer not in self._full_at and len(self._full_at) >= self._prune_size:
            now = monotonic()
            self._full_at = {other: time for other, time in self._full_at.items() if time > now}
            self._prune_size = max(2 * len(self._full_at), _PRUNE_SIZE)
        self._full_at[consumer] = max(self._full_at.get(consumer, 0), monotonic()) + amount * self.limit.every

    def take(self, consumer: str, **names: str) -> None:
        """Spend one; raise ``RequestRefused`` if less is left. ``names`` are those of the text."""
        if self.count_left(consumer) < 1:
            raise RequestRefused(self.limit.format_refusal(**names))
        self.spend(consumer)

    async def wait(self, consumer: str) -> None:
        """Spend one as soon as there is one; whoever waits longest gets the next one."""
        self.spend(consumer)
        if (left := self.count_left(consumer)) < 0:
            await asyncio.sleep(-left * self.limit.every)

    def check_delay(self, consumer: str) -> None:
        """Raise ``LoginError`` with the time to wait if less than one is left."""
        if (left := self.count_left(consumer)) < 1:
            raise create_retry_error(self.limit.refusal, ceil((1 - left) * self.limit.every))

    def refill(self, consumer: str) -> None:
        self._full_at.pop(consumer, None)


class ReadingTurns:
    """Turns of networks for requests that read files, which may take long.

    Each network has one such request executed at a time, and then a pause as long as it took, so that no network needs
    more than half of the host's time.
    """

    def __init__(self) -> None:
        self._locks = WeakValueDictionary[str, asyncio.Lock]()

    @asynccontextmanager
    async def take(self, network: str) -> AsyncIterator[None]:
        """Return a context in which a request of a network is executed, once it is the network's turn."""
        lock, loop = self._locks.setdefault(network, asyncio.Lock()), asyncio.get_running_loop()
        await lock.acquire()
        begun_at = loop.time()
        try:
            yield
        finally:
            loop.call_later(min(max(loop.time() - begun_at, MIN_READING_PAUSE), MAX_READING_PAUSE), lock.release)


class TalkBudget:
    """Budget for the chat of a session, in bytes: for each seat, each spectator, and each network of spectators."""

    def __init__(self, journal: Journal, get_network: Callable[[str], str]) -> None:
        """Count the chat that is already in the journal.

        ``get_network`` returns the network of a nick, or an empty string if the nick counts alone.
        """
        self._get_network = get_network
        self._seat_share = LIMITS.seats_talk.number * KIB // len(journal.header.seats)
        self._seat_bytes: Counter[Seat] = Counter()
        self._spectator_bytes: Counter[str] = Counter()
        """Bytes by key of the spectator's nick; the empty key stands for messages of the host itself."""
        for entry in journal.entries:
            if isinstance(line := entry.line, TalkLine):
                self.add(line.text, split_spectator_talk(line.text)[0] if line.seat is None else line.seat)

    def check_room(self, text: str, speaker: Seat | str) -> None:
        """Raise ``IllegalAction`` if there is no room for a chat message.

        ``speaker`` is a seat, or the nick of a spectator.
        """
        size = _compute_talk_bytes(text)
        if isinstance(speaker, int):
            has_room = self._seat_bytes[speaker] + size <= self._seat_share
        else:
            key = compute_nick_key(speaker)
            network = self._get_usage_key(key)
            own = sum(used for nick, used in self._spectator_bytes.items() if self._get_usage_key(nick) == network)
            free = LIMITS.spectators_talk.number * KIB - self._spectator_bytes.total()
            has_room = self._spectator_bytes[key] + size <= LIMITS.spectator_talk.number * KIB and own + size <= free
        if not has_room:
            raise IllegalAction(LIMITS.seats_talk.refusal)

    def add(self, text: str, speaker: Seat | str) -> None:
        """Count a chat message that has been written; ``speaker`` is a seat, or the nick of a spectator."""
        if isinstance(speaker, int):
            self._seat_bytes[speaker] += _compute_talk_bytes(text)
        else:
            self._spectator_bytes[compute_nick_key(speaker)] += _compute_talk_bytes(text)

    def _get_usage_key(self, key: str) -> str:
        """Return the key for summing spectators' chat: the network, or ``key`` itself if the nick counts alone."""
        return self._get_network(key) or key


def _compute_talk_bytes(text: str) -> int:
    return len(msgspec.json.encode(text)) + TALK_OVERHEAD_BYTES


class PasswordQueue:
    """Queue of password checks.

    At most ``MAX_CONCURRENT_CHECKS`` run at the same time, only one of them for each address; the others of its limit
    wait.
    """

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_CHECKS)
        self._locks = WeakValueDictionary[str, asyncio.Lock]()
        self._pending = Counter[str]()

    async def run(self, identity: LoginIdentity, check: Callable[[], T]) -> T:
        """Run ``check`` in a thread when the address's turn comes, and return its result.

        The check completes even if the caller is cancelled. Raises ``LoginError`` if as many checks as
        are allowed for this address are running or waiting.
        """
        client = identity.network
        if self._pending[client] >= LIMITS.password_checks.number:
            raise create_retry_error(LIMITS.password_checks.refusal, 1)
        self._pending[client] += 1
        try:
            async with self._locks.setdefault(client, asyncio.Lock()), self._slots:
                return await run_uninterrupted(asyncio.to_thread(check))
        finally:
            self._pending -= Counter([client])  # without those who have none left


class LoginThrottle:
    """Wrong tries of those who log in, each of whom has to wait alone."""

    def __init__(self) -> None:
        self.codes: Final = Budget(LIMITS.wrong_codes)
        self._passwords = Budget(LIMITS.wrong_passwords)
        self._passwords_of_one = Budget(LIMITS.wrong_passwords_of_one)
        self.queue: Final = PasswordQueue()

    async def check_password(self, identity: LoginIdentity, is_correct: Callable[[], bool]) -> bool:
        """Return the result of ``is_correct``, which is called in a thread, and count a wrong try.

        Raises ``LoginError`` if the address has to wait.
        """
        self._passwords.check_delay(identity.network)
        self._passwords_of_one.check_delay(identity.nick_in_network)
        if await self.queue.run(identity, is_correct):
            self._passwords_of_one.refill(identity.nick_in_network)
            return True
        self._passwords.spend(identity.network)
        self._passwords_of_one.spend(identity.nick_in_network)
        return False


class NewNicks:
    """New nicks that each address has brought within an hour."""

    def __init__(self, number: int, clock: Callable[[], float]) -> None:
        """Allow ``number`` new nicks; ``clock`` returns the time in seconds."""
        self._number, self._clock = number, clock
        self._times: dict[str, list[float]] = {}
        """Times at which new nicks came, by address."""

    def check(self, identity: LoginIdentity) -> None:
        """Raise ``LoginError`` if the address can bring no new nick now."""
        now, limit = self._clock(), LIMITS.new_nicks
        recent = {key: [time for time in times if now - time < limit.within] for key, times in self._times.items()}
        self._times = {key: times for key, times in recent.items() if times}
        times = self._times.get(identity.network, [])
        if len(times) >= self._number:
            minutes = ceil((times[-self._number] + limit.within - now) / 60)
            wait = f"try again in {format_count(minutes, 'minute')}"
            raise LoginError(f"{limit.refusal}; {wait}", identity.origin.alternative)

    def count(self, identity: LoginIdentity) -> float:
        """Count a new nick, and return its time. Raises ``LoginError`` as ``check`` does."""
        self.check(identity)
        now = self._clock()
        self._times.setdefault(identity.network, []).append(now)
        return now

    @contextmanager
    def counted(self, identity: LoginIdentity) -> Iterator[None]:
        """Return a context in which a new nick is saved; it counts unless the body raises ``LoginError``."""
        counted_at = self.count(identity)
        try:
            yield
        except LoginError:
            times = self._times.get(identity.network, [])
            if counted_at in times:
                times.remove(counted_at)
            raise
