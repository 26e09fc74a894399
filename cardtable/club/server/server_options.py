"""Options with which a club is opened, and its TLS certificate, which can be read again while it is open."""

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from ssl import Purpose, SSLContext, SSLError, create_default_context

import msgspec

from cardtable.club.addresses import LOCALHOST
from cardtable.club.protocol import DEFAULT_PORT
from cardtable.club.server.disk_space import MEGABYTE
from cardtable.club.server.limits import LIMITS
from cardtable.engine.errors import CardtableError
from cardtable.store.errors import format_os_error


class Certificate:
    """Certificate and private key in two files, and the TLS context for new connections."""

    def __init__(self, file: Path, key_file: Path) -> None:
        """Read a certificate and its key.

        Raises ``CardtableError`` if they cannot be read or do not belong together.
        """
        self._file, self._key_file = file, key_file
        self.context = self._read()
        """Context with the certificate that was last read; connections that exist already keep theirs."""

    def reload(self) -> None:
        """Read both files again.

        Raises ``CardtableError`` and leaves the old certificate in use if the new one is not usable.
        """
        self.context = self._read()

    def _read(self) -> SSLContext:
        """Return a new context, so that a certificate without its key never replaces one that works."""
        context = create_default_context(Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self._file, self._key_file, password=lambda: "")
        except SSLError as error:
            raise CardtableError(
                f"{self._file} and {self._key_file} are not a certificate and its key: {error}"
            ) from None
        except OSError as error:
            raise CardtableError(f"{self._file} or {self._key_file}: {format_os_error(error)}") from None
        return context


class ServerOptions(msgspec.Struct, frozen=True):
    """Options with which a club is opened: name, addresses, ports, limits and access code."""

    name: str
    address: str = LOCALHOST
    """Address to listen at; if empty, the server listens at all addresses of this machine."""
    port: int = DEFAULT_PORT
    code: str = ""
    max_guests: int = LIMITS.guests.number
    max_tables: int = LIMITS.tables.number
    max_disk_bytes: int = 4000 * MEGABYTE
    """Maximum size of the sessions; beyond it no table can begin."""
    max_new_nicks: int = LIMITS.new_nicks.number
    """Maximum number of new nicks from one network within an hour."""
    requires_approval: bool | None = None
    """True if the host must approve newcomers; ``None`` if it is as at the last time."""
    certificate: Certificate | None = None
    """Certificate for TLS; ``None`` if the endpoints for client programs and browsers are not encrypted."""
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Networks of trusted proxies; a request that one of them passes on counts for the client that it names."""
    public_url: str = ""
    """Address of the browser endpoint for guests, such as ``https://cards.example.org``; if empty, the host's own."""
    public_join_url: str = ""
    """Address for client programs, such as ``wss://cards.example.org:443``.

    If empty, proxies serve client programs at ``public_url``; without proxies or ``public_url`` it is the host's own.
    """
    ssh_port: int | None = None
    """Port of the ssh endpoint, 0 for any free port; ``None`` if there is none."""
    ssh_timeout: int = 20
    """Seconds without a sign of life after which a connection by ssh ends."""
    web_port: int | None = None
    """Port of the browser endpoint, 0 for any free port; ``None`` if there is none."""
    metrics_port: int | None = None
    """Port of the metrics endpoint, 0 for any free port; ``None`` if there is none."""
    metrics_address: str = "127.0.0.1"
