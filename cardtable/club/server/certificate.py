"""TLS certificate of a host, which can be read again while the club is open."""

from pathlib import Path
from ssl import Purpose, SSLContext, SSLError, create_default_context

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
