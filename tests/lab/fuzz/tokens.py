"""Pieces of which inputs consist, in the format of libFuzzer."""

from pathlib import Path

TOKENS = (
    *(b"\\u0000", b"\\ud800", b"1e999", b"NaN", b"Infinity", b"-0.0", b"9" * 15, b"\xed\xa0\x80", b"\xff\xfe"),
    *(
        b'"cardtable":3',
        b'"undo":1',
        b'"end":{}',
        b'"void":"x"',
        b'"seat":',
        b'"action":"',
        b'"chance":"deal ',
        b'"say":"',
    ),
    *(
        b'"forfeit":0',
        b'"sit":1',
        b'"name":"',
        b'"robot":"steady"',
        b'"at":',
        b'"players":[',
        b'"ledger":[',
        b'"type":"',
    ),
    *(
        b'"table":"',
        b'"password":{',
        b"[keys]",
        b"[[a]]",
        b"theme = ",
        b"robot_pace = ",
        b"true",
        b"null",
        b"1979-05-27",
        b"inf",
    ),
)


def write_tokens(path: Path) -> Path:
    """Write the pieces into a file; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(format_token(token) for token in TOKENS), encoding="ascii")
    return path


def format_token(token: bytes) -> str:
    """Return the line of a piece."""
    return '"' + "".join([f"\\x{byte:02x}" for byte in token]) + '"\n'
