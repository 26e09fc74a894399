"""Readers that are fuzzed: what each reads at first, and what must hold for any input."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.club import protocol
from cardtable.engine.checksummed_jsonl import seal
from cardtable.games import KEYS
from tests.club.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from tests.store.fuzz import JUNK, JournalInputs, ProfileInputs, SettingsInputs
from tests.store.playing import create_closed_session


class Reader(NamedTuple):
    """Reader of some input. ``read`` raises an exception if something is wrong with the program."""

    make_seeds: Callable[[], list[bytes]]
    read: Callable[[bytes], object]


def make_journal_seeds() -> list[bytes]:
    """Return the lines of an unfinished session of each game, without checksums, which `read_journal` adds."""
    played = [create_closed_session(9, game) for game in KEYS]
    return [b"\n".join(JournalInputs(session.path.read_bytes()).bodies) for session in played]


def read_journal(data: bytes) -> None:
    """Read the bytes as a journal, as they are and with valid checksums, without which few lines would be judged."""
    for journal in (data, seal(data.split(b"\n"))):
        JournalInputs.is_accepted(_ANY_JOURNAL, journal)


_ANY_JOURNAL: Final = JournalInputs.__new__(JournalInputs)


def read_frame(data: bytes) -> None:
    """Decode the bytes as a frame of either side; what is accepted is the same after encoding."""
    for decode in (protocol.decode_client, protocol.decode_server):
        try:
            message = decode(data)
        except msgspec.MsgspecError:
            continue
        assert decode(protocol.encode(message)) == message


READERS: Final = {
    "journals": Reader(make_journal_seeds, read_journal),
    "profiles": Reader(lambda: [ProfileInputs.data], ProfileInputs().is_accepted),
    "frames": Reader(
        lambda: [protocol.encode(message).encode() for message in (*CLIENT_MESSAGES, *SERVER_MESSAGES)], read_frame
    ),
    "settings": Reader(lambda: [SettingsInputs.data], SettingsInputs().is_accepted),
}


def write_tokens(path: Path) -> Path:
    """Write pieces of which inputs consist into a file, in the format of libFuzzer, and return its path."""
    words = [
        "".join([f"\\x{byte:02x}" for byte in piece]) for piece in JUNK if len(piece) <= 64
    ]  # libFuzzer takes no longer ones
    path.write_text("".join([f'"{word}"\n' for word in words]), encoding="ascii")
    return path
