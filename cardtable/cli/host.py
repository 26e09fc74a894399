"""Commands that serve others: ``host`` opens a club, ``reveal`` hidden hands in it, ``serve`` a browser's program.

The host's log is printed as lines with the time, or as JSON objects for programs.
"""

import asyncio
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from ipaddress import IPv4Network, IPv6Network, ip_network
from itertools import combinations
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO, TypedDict, Unpack
from urllib.parse import urlsplit

import click
import msgspec

from cardtable.cli import launch
from cardtable.cli.main import FRONT_END_OPTIONS, commands, has_flag
from cardtable.cli.params import (
    FILE_HELP,
    NEEDS_LIBRARIES,
    UserPath,
    WholeNumber,
    file_argument,
    find_file,
    validate_address,
)
from cardtable.club.addresses import LOCALHOST, WEB_PORTS, enclose_ipv6, fold_host, is_local
from cardtable.club.administration import find_code_error
from cardtable.club.protocol import DEFAULT_PORT
from cardtable.club.server.host_events import InvitationLine, LibraryError, LogEvent, LogLevel
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, shorten_path, to_one_line
from cardtable.games import ABOUT
from cardtable.installation import format_install_command, format_missing_club_libraries
from cardtable.store import home_folder, paths, profiles
from cardtable.store.atomic_io import resolve_links
from cardtable.wording.players import format_club_name

if TYPE_CHECKING:
    from cardtable.club.server.server_options import ServerOptions

REPEAT_SECONDS: Final = 60.0
"""Time in seconds in which log records of the same kind are printed only once."""
_NUMBERS: Final = re.compile(r"\d+")
_PREFIX: Final = "cardtable: "
"""Beginning of the errors of libraries, as of all error messages of commands."""


class OneLineFormatter(logging.Formatter):
    """Log formatter without tracebacks, because invalid data from outside is no fault of the program."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        message = " ".join(f"{record.getMessage()}{f': {error}' if error else ''}".split())
        return f"{_PREFIX}{sanitize(message)}"


class RepeatFilter(logging.Filter):
    """Log filter that drops a record similar to one of the last minute.

    Numbers and data from outside are ignored in the comparison.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock, self._last_times = clock, dict[str, float]()
        """Time of the last record of each kind."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record is to be printed."""
        error = record.exc_info[1] if record.exc_info else None
        template = str(record.msg).partition("\n")[0]  # the template only, without data from outside
        kind = _NUMBERS.sub("#", f"{record.name} {template} {type(error).__name__}")
        now = self._clock()
        self._last_times = {other: last for other, last in self._last_times.items() if now - last < REPEAT_SECONDS}
        if kind in self._last_times:
            return False
        self._last_times[kind] = now
        return True


def configure_logging(formatter: logging.Formatter | None = None) -> None:
    """Configure logging: one line for each record, on standard error, by default in the form of error messages."""
    handler = logging.StreamHandler()
    handler.addFilter(RepeatFilter())
    handler.setFormatter(formatter or OneLineFormatter())
    logging.basicConfig(handlers=[handler])


def create_printer(*, as_json: bool) -> Callable[[LogEvent], None]:
    """Return a function that prints each line of the host's log on standard output.

    With ``as_json`` each line is a JSON object. Errors of the output are ignored, since the club goes on without it.
    """
    format_line = _choose_format(sys.stdout, as_json=as_json)

    def print_line(line: LogEvent) -> None:
        with suppress(OSError):
            click.echo(format_line(line))

    return print_line


def configure_errors(*, as_json: bool) -> None:
    """Have errors of the libraries printed on standard error, in the same form as the log."""
    configure_logging(LogFormatter(_choose_format(sys.stderr, as_json=as_json)))


def _choose_format(stream: TextIO, *, as_json: bool) -> Callable[[LogEvent], str]:
    """Return the format of lines; the time is left out for the journal of systemd, which has its own."""
    if as_json:
        return format_json_line
    return (lambda line: _clean(str(line))) if _is_journal(stream) else _format_with_time


def format_json_line(line: LogEvent) -> str:
    fields = {name: _clean(value) for name, value in line.fields.items()}
    now, text = datetime.now().astimezone().isoformat(timespec="milliseconds"), str(line).removeprefix(_PREFIX)
    shown = {"time": now, "level": line.level, "event": line.kind, "text": _clean(text), "fields": fields}
    return msgspec.json.encode(shown).decode()


def _format_with_time(line: LogEvent) -> str:
    """Return a line with the time, except for one that people copy."""
    text = _clean(str(line))
    return text if isinstance(line, InvitationLine) else f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {text}"


def _clean(text: str) -> str:
    return sanitize(text, launch.MAX_FACT_LENGTH)


def _is_journal(stream: TextIO) -> bool:
    """Return True if a stream leads into the journal of systemd; see ``JOURNAL_STREAM`` in systemd.exec(5)."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


class LogFormatter(OneLineFormatter):
    """Formatter of log records as lines of the host's log."""

    def __init__(self, format_line: Callable[[LogEvent], str]) -> None:
        super().__init__()
        self._format_line = format_line

    def format(self, record: logging.LogRecord) -> str:
        level: LogLevel = "error" if record.levelno >= logging.ERROR else "warning"
        return self._format_line(LibraryError(super().format(record), level, record.name))


_ALL_ADDRESSES: Final = ""
_MAX_NAME_LENGTH: Final = 40
_PORT: Final = WholeNumber(0, 65535)
_FILE_TYPE: Final = UserPath(exists=True, dir_okay=False, path_type=Path)


def _validate_code(_context: click.Context, _option: click.Parameter, code: str | None) -> str | None:
    """Return the value of ``--code`` without blanks around it, which is ``None`` if the option is missing.

    Raises ``UsageError`` if it cannot be a code.
    """
    code = None if code is None else code.strip()
    if code is not None and (wrong := find_code_error(code)):
        raise click.UsageError(wrong)
    return code


def _parse_proxies(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return the networks given by ``--proxy``; ``localhost`` stands for all loopback addresses.

    Raises ``UsageError`` if one of them is not an address or network.
    """
    networks: list[IPv4Network | IPv6Network] = []
    for text in texts:
        try:
            networks += map(ip_network, ("127.0.0.0/8", "::1") if text == LOCALHOST else (text,))
        except ValueError:
            raise click.UsageError(
                "--proxy takes an address or network, such as 127.0.0.1 or 10.0.0.0/24, not "
                f"{sanitize(text, _MAX_NAME_LENGTH)!r}"
            ) from None
    return tuple(networks)


class _PublicUrls(NamedTuple):
    """Addresses given by ``--public-url``, without default ports; a missing one is empty."""

    for_browsers: str
    for_join: str


def _parse_public_urls(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> _PublicUrls:
    """Return the addresses given by ``--public-url``.

    Raises ``UsageError`` if there are two of a kind, or one is not valid.
    """
    urls = {"browsers": "", "join": ""}
    for scheme, netloc in map(_split_public_url, texts):
        kind = "browsers" if scheme in WEB_PORTS else "join"
        if urls[kind]:
            raise click.UsageError(
                "--public-url takes one https:// address for browsers and one wss:// address for join"
            )
        urls[kind] = f"{scheme}://{netloc}"
    return _PublicUrls(urls["browsers"], urls["join"])


def _split_public_url(text: str) -> tuple[str, str]:
    """Return scheme, and name with port, of an address given by ``--public-url``.

    Raises ``UsageError`` if it is not valid.
    """
    try:
        url = urlsplit(text.strip())
        name, port = fold_host(url.hostname or ""), url.port
    except ValueError:
        url, name, port = urlsplit(""), "", None
    default_port = WEB_PORTS.get(url.scheme, DEFAULT_PORT if url.scheme in ("ws", "wss") else 0)
    if not default_port or "@" in url.netloc:
        raise click.UsageError(
            f"--public-url takes an address such as https://cards.example.org, not {sanitize(text, _MAX_NAME_LENGTH)!r}"
        )
    if url.path not in ("", "/") or url.query or url.fragment:
        raise click.UsageError("--public-url takes no path: give the club a name of its own, as cards.example.org")
    name = enclose_ipv6(name)
    return url.scheme, name if port in (None, default_port) else f"{name}:{port}"


class _HostArguments(TypedDict):
    """Values of the options of ``host``; ``None`` for an option that is not given and has no default."""

    lan: bool
    bind: str | None
    code: str | None
    no_code: bool
    name: str | None
    port: int
    ssh: int | None
    ssh_timeout: int
    web: int | None
    metrics: int | None
    metrics_bind: str | None
    max_guests: int
    max_tables: int
    max_disk: int
    max_new_nicks: int
    approve: bool | None
    log_json: bool
    cert: Path | None
    key: Path | None
    public_url: _PublicUrls
    proxy: tuple[IPv4Network | IPv6Network, ...]


@commands.command(epilog=NEEDS_LIBRARIES)
@click.option("--lan", is_flag=True, help="Admit people from other machines.")
@click.option("--bind", callback=validate_address, metavar="ADDRESS", help="Admit everyone who can reach this address.")
@click.option("--code", callback=_validate_code, metavar="CODE", help="Code that guests must enter.")
@click.option("--no-code", is_flag=True, help="Require no code.")
@click.option("--name", metavar="NAME", help="Name of the club.")
@click.option("--port", type=_PORT, default=DEFAULT_PORT, show_default=True, help="Port to listen on; 0 for any.")
@click.option("--ssh", type=_PORT, metavar="PORT", help="Port for ssh.")
@click.option(
    "--ssh-timeout",
    type=WholeNumber(4),
    default=20,
    show_default=True,
    metavar="SECONDS",
    help="Time after which a dead network of a guest by ssh is noticed.",
)
@click.option("--web", type=_PORT, metavar="PORT", help="Port for browsers.")
@click.option("--metrics", type=_PORT, metavar="PORT", help="Port for metrics and health checks.")
@click.option(
    "--metrics-bind",
    callback=validate_address,
    metavar="ADDRESS",
    help="Address for metrics.  [default: 127.0.0.1]",
)
@click.option("--max-guests", type=WholeNumber(1), default=200, show_default=True, help="Maximum guests.")
@click.option("--max-tables", type=WholeNumber(1), default=100, show_default=True, help="Maximum open tables.")
@click.option(
    "--max-disk",
    type=WholeNumber(1),
    default=4000,
    show_default=True,
    metavar="MB",
    help="Maximum size of the sessions; no table begins beyond it.",
)
@click.option(
    "--max-new-nicks",
    type=WholeNumber(1),
    default=20,
    show_default=True,
    help="Maximum new nicks an hour from one address.",
)
@click.option(
    "--approve/--no-approve",
    default=None,
    help="Let newcomers in by hand, or not; by default as at the last start.",
)
@click.option("--log-json", is_flag=True, help="Print the log as JSON, an object on each line.")
@click.option("--cert", type=_FILE_TYPE, metavar="FILE", help="Certificate for TLS.")
@click.option("--key", type=_FILE_TYPE, metavar="FILE", help="Private key of the certificate.")
@click.option(
    "--public-url",
    multiple=True,
    callback=_parse_public_urls,
    metavar="URL",
    help="Address for guests: https:// for browsers, wss:// for join.",
)
@click.option("--proxy", multiple=True, callback=_parse_proxies, metavar="ADDRESS", help="Trust this reverse proxy.")
def host(**given: Unpack[_HostArguments]) -> int:
    """Open a club for people on other machines.

    Without --lan or --bind only this machine can join. With them, others can join by entering a code. Prints what they
    need to know, then a line for each event. Ctrl+C closes the club.
    """
    _check_combinations(given)
    endpoint_ports = {name: port for name in ("ssh", "web", "metrics") if (port := given[name]) is not None}
    _check_different({"port": given["port"], **endpoint_ports})
    _import_server(endpoint_ports)
    from cardtable.club.server.disk_space import MEGABYTE
    from cardtable.club.server.server_options import Certificate, ServerOptions

    address = _ALL_ADDRESSES if given["lan"] else LOCALHOST if given["bind"] is None else given["bind"]
    urls, name, cert, key = given["public_url"], given["name"], given["cert"], given["key"]
    is_public = not is_local(address) or any(urls)
    options = ServerOptions(
        name=to_one_line((name or format_club_name(profiles.get_current_nick())).strip(), _MAX_NAME_LENGTH),
        address=address,
        port=given["port"],
        code="" if given["no_code"] else given["code"] or _get_default_code(is_public=is_public),
        max_guests=given["max_guests"],
        max_tables=given["max_tables"],
        max_disk_bytes=given["max_disk"] * MEGABYTE,
        max_new_nicks=given["max_new_nicks"],
        requires_approval=given["approve"],
        certificate=Certificate(cert, key) if cert and key else None,
        ssh_port=given["ssh"],
        ssh_timeout=given["ssh_timeout"],
        web_port=given["web"],
        proxies=given["proxy"],
        public_url=urls.for_browsers,
        public_join_url=urls.for_join,
        metrics_port=given["metrics"],
        metrics_address=given["metrics_bind"] or "127.0.0.1",
    )
    return _run_club(options, as_json=given["log_json"])


def _check_combinations(given: _HostArguments) -> None:
    """Raise ``UsageError`` if options exclude each other, or one is missing that another needs.

    Raises ``CardtableError`` if this system cannot do what is asked.
    """
    if given["lan"] and given["bind"] is not None:
        raise click.UsageError("--lan and --bind cannot be combined; leave one out")
    if given["no_code"] and given["code"] is not None:
        raise click.UsageError("--code and --no-code cannot be combined; leave one out")
    if (given["cert"] is None) != (given["key"] is None):
        raise click.UsageError("--cert and --key need each other; give both")
    urls = given["public_url"]
    if given["web"] is not None and urls.for_join and not urls.for_browsers:
        raise click.UsageError("browsers need a --public-url of their own, with https://")
    has_tls = given["cert"] or given["proxy"]
    if not has_tls and (urls.for_browsers.startswith("https:") or urls.for_join.startswith("wss:")):
        raise click.UsageError("a --public-url with TLS needs the --proxy in front of the club, or --cert and --key")
    if given["metrics_bind"] is not None and given["metrics"] is None:
        raise click.UsageError("--metrics-bind needs --metrics; give both")
    if given["ssh"] is not None and sys.platform == "win32":
        raise CardtableError("--ssh needs pseudo-terminals, which Windows does not have; leave it out, or use --web")


def _check_different(ports: Mapping[str, int]) -> None:
    """Raise ``UsageError`` if two options, given with their values, name the same port; 0 stands for any port."""
    for one, other in combinations([option for option, port in ports.items() if port], 2):
        if ports[one] == ports[other]:
            raise click.UsageError(f"--{one} and --{other} cannot both be {ports[one]}")


def _import_server(endpoints: Iterable[str]) -> None:
    """Import the server with these endpoints, such as ``ssh``; raise ``CardtableError`` if a library is missing."""
    try:
        for name in ("server", *[f"{endpoint}_endpoint" for endpoint in endpoints]):
            import_module(f"cardtable.club.server.{name}")
    except ImportError:
        raise CardtableError(format_missing_club_libraries()) from None


def _run_club(options: "ServerOptions", *, as_json: bool) -> int:
    """Run a club until a signal closes it, and return the exit code. ``as_json``: True if the log is printed as JSON.

    Raises ``CardtableError`` if an address or port cannot be bound.
    """
    from cardtable.club.server.server import run_club

    configure_errors(as_json=as_json)
    copies = home_folder.merge_copies()
    for message in (*copies.added, *copies.ignored):
        launch.print_error(message, max_length=launch.MAX_FACT_LENGTH)
    return asyncio.run(run_club(options, create_printer(as_json=as_json)))


def _get_default_code(*, is_public: bool) -> str:
    """Return the access code of the last club, or a new random one; an empty one if only this machine can join."""
    if not is_public:
        return ""
    from cardtable.club.server.accounts import generate_code
    from cardtable.club.server.club_file import read_club_file

    return read_club_file().code or generate_code()


@commands.command(epilog=FILE_HELP)
@file_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def reveal(file: str, yes: bool) -> None:
    """Reveal the hands of a session played at the club.

    Outside the club, only the finished rounds of such a session are shown, and it cannot be continued. This command
    reveals all hands of the current round. Until the next deal, resume, and replay, export and trace with --show-hands,
    then work as for any other session. A message in the session tells all players. The club must be closed.
    """
    from cardtable.club.server import status_file
    from cardtable.store import sessions, summaries, visibility

    with status_file.hold_host_lock("the club is open; close it first, or look at the session there"):
        path = find_file(file)
        summary = summaries.summarize_full(path)
        if summary.header is None:
            raise CardtableError(str(summary.error))
        visibility.check_public(summary.header)
        if not summary.is_club_only:
            raise CardtableError(f"{summary.id}: nothing of this session is hidden from you")
        session = summaries.find_session_file(summary.id)
        if session is None or resolve_links(session) != resolve_links(path):
            raise CardtableError(
                f"{shorten_path(path)}: this is not the club's own file of the session; give its id instead"
            )
        names = dict.fromkeys([occupant.name for occupant in summary.all_occupants if occupant.robot is None])
        people = ", ".join(names) or "nobody"
        hands = f"all hands of round {summary.round} of {ABOUT[summary.header.game].title} with {people}"
        if not yes:
            if not launch.is_terminal(sys.stdin):
                raise CardtableError(f"this reveals {hands}; add --yes to do it without asking")
            click.echo(f"This reveals {hands}. All players will see in the session that you did it.", err=True)
            if not click.confirm("Reveal the hands?", err=True):
                raise CardtableError("nothing was revealed")
        sessions.reveal_hands(path)
    click.echo(f"The hands are revealed until the next deal: cardtable replay {summary.id} --show-hands")


@commands.command(epilog=NEEDS_LIBRARIES)
@click.option(
    "--bind",
    "address",
    metavar="ADDRESS",
    callback=validate_address,
    default="localhost",
    show_default=True,
    help="Address to listen on.",
)
@click.option(
    "--port",
    type=WholeNumber(1, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on.",
)
@click.option("--max-tabs", type=WholeNumber(1), default=16, show_default=True, metavar="N", help="Maximum open tabs.")
@click.pass_context
def serve(context: click.Context, address: str, port: int, max_tabs: int) -> None:
    """Play in a browser.

    Each tab runs its own program. Anyone who has the printed address can do everything that you can at this keyboard.
    Only this machine can reach it, unless --bind names another address.
    """
    paths.home()  # raises if there is none, which the program in a tab could not say
    try:
        from cardtable.cli.web_server import ServeApp
    except ImportError:
        raise CardtableError(f"the browser needs more libraries: {format_install_command('serve')}") from None
    configure_logging()
    flags = [f"--{name}" for name in FRONT_END_OPTIONS if name != "plain" and has_flag(context, name)]
    ServeApp(address, port, max_tabs, flags).serve()
