"""Fuzzing of the loaders of journals, score tables, settings and profiles."""

import sys
from pathlib import Path
from random import Random

from cardtable.engine.checksummed_jsonl import seal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import read
from cardtable.engine.text_format import sanitize, split_graphemes
from cardtable.scoring import score_table
from cardtable.store import profiles, score_tables, session_files, settings
from tests.scoring.tables import NAMES, play_session_with_entries

JUNK = [
    b"\0", b"\n", b"\r\n", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"{", b"}", b"[", b"]", b'"', b"\\",
    b"\\ud800", b"\\u0000", b",", b":", b"null", b"true", b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"-0.0",
    b"9" * 15, b"9" * 400, b"[" * 60, b'{"a":' * 40, b"\xe2\x80\xae", b"\x1b]52;c;AAAA\x07", b'"cardtable":1',
    b'"undo":1', b'"end":{}', b'"at":-1', b'"void":"x"', b'"seat":-1', b'"seat":9', b'"action":"bid 1"',
    b'"chance":"deal 2C"', b'"crc":"00000000"', b"deal ", b"first 0", b"trump H", b"play AS",
    b'"round":{}', b'"number":1', b'"taken":[13,0,0,0]', b'"koz"', b'"cardtable_scores":1', b"x" * 4200, b"=",
    b"a.a.a", b"[[a]]", b"inf", b"nan", b"1979-05-27", b'"""', b"'''",
]  # fmt: skip


def mutate(data, rng, times):
    """Return the bytes after `times` random changes: a byte, a bit, a deletion, a token, or a repetition."""
    data = bytearray(data)
    for _ in range(times):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + rng.randrange(1, 9)]
        elif kind == 2:
            data[at:at] = rng.choice(JUNK)
        elif kind == 3:
            data[at : at + rng.randrange(1, 9)] = rng.choice(JUNK)
        elif kind == 4:
            start = rng.randrange(len(data) + 1)
            data[at:at] = data[start : start + rng.randrange(40)]
        else:
            data[at : at + 1] = bytes([data[at] ^ 1 << rng.randrange(8)]) if at < len(data) else b""
    return bytes(data)


class JournalInputs:
    """Inputs derived from one journal; half of them have valid checksums."""

    def __init__(self, data):
        self.data = data
        journal = read(data)
        self.bodies = [journal.header_body, *[entry.body for entry in journal.entries]]

    def generate(self, rng):
        if rng.random() < 0.5:
            return mutate(self.data, rng, rng.randrange(1, 4))
        bodies = self.bodies.copy()
        for _ in range(rng.randrange(1, 3)):
            at, kind = rng.randrange(len(bodies)), rng.randrange(5)
            if kind == 0 and len(bodies) > 2:
                del bodies[at]
            elif kind == 1:
                bodies.insert(at, rng.choice(self.bodies))
            else:
                bodies[at] = mutate(bodies[at], rng, rng.randrange(1, 3))
        return seal(bodies)

    def is_accepted(self, data):
        """Return True if the input is accepted; any error other than a one-line message is raised."""
        path = Path("/somewhere/sessions/fuzzed.jsonl")
        try:
            journal = session_files.parse_session(path, data)
            table = session_files.replay_journal(path, journal)
        except CardtableError as error:
            assert_printable(error)
            return False
        table.state.assert_invariants()
        return True


def create_score_table_bytes(game):
    """Return the bytes of a score table with a few rounds, a change and an undo."""
    engine, first, rounds = play_session_with_entries(game, 1)
    opened = score_tables.create(engine.game, NAMES[: engine.seats], engine.options, first)
    for entered in rounds[:4]:
        opened.enter_round(entered)
    opened.enter_round(rounds[0], 1)
    opened.undo()
    opened.rename("Friday")
    opened.close()
    return opened.path.read_bytes()


class ScoreTableInputs(JournalInputs):
    """Inputs derived from one score table; half of them have valid checksums."""

    def __init__(self, data):
        self.data = data
        table = score_table.read(data)
        self.bodies = [table.header_body, *[entry.body for entry in table.entries]]

    def is_accepted(self, data):
        path = Path("/somewhere/sessions/fuzzed.jsonl")
        try:
            table = score_tables.replay(path, score_tables.parse(path, data))
        except CardtableError as error:
            assert_printable(error)
            return False
        assert len(table.sheet.scores) == len(table.rounds)
        return True


class SettingsInputs:
    """Inputs derived from a settings file."""

    data = (
        b'# mine\ntheme = "night"\nrobot_pace = 0.25\ntrick_pause = "key"\nround_pause = 3\nautoplay = true\n'
        b"beep = false\nfour_colours = true\nfuture = [1, 2.5, {a = 'b'}]\n\n[keys]\nhint = \"h\"\n"
    )

    def generate(self, rng):
        return mutate(self.data, rng, rng.randrange(1, 5))

    def is_accepted(self, data):
        try:
            values = settings.parse_toml(data)
        except ValueError as error:
            assert_printable(error)
            return False
        chosen, complaints = settings.parse_values(values)
        for complaint in complaints:
            assert_printable(complaint)
        assert 0 <= chosen.robot_pace <= 2
        return True


class ProfileInputs:
    """Inputs derived from a profiles file."""

    data = (
        b'{"profiles":2,"signed_in":"Anna","players":[{"nick":"Anna","id":"00112233445566aa",'
        b'"name":"Anna B","email":"a@example.org",'
        b'"password":{"n":32768,"r":8,"p":1,"salt":"00112233445566778899aabbccddeeff",'
        b'"key":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"},'
        b'"ledger":[{"at":"2026-11-20T08:37:28Z","session":"20261120-083728-ten_down-7f3a","why":"stake","change":-50},'
        b'{"at":"2026-11-20T09:00:00Z","session":"20261120-083728-ten_down-7f3a","why":"won","change":200}]},'
        b'{"nick":"Tom","id":"00112233445566bb","name":"Tom \\u200cB\\u200c"},'
        b'{"nick":"AnT\\u0300","id":"00112233445566cc"}]}'
    )

    def generate(self, rng):
        return mutate(self.data, rng, rng.randrange(1, 4))

    def is_accepted(self, data):
        try:
            store = profiles.PROFILES.file.parse(data)
        except ValueError as error:
            assert_printable(error)
            return False
        for player in store.players:
            assert sanitize(player.nick) == player.nick
            assert all(grapheme[0].isalnum() for grapheme in split_graphemes(player.nick))
            assert "\ufffd" not in sanitize(player.name.replace("\ufffd", ""))  # only joiners may be left out
            assert sanitize(player.email) == player.email
            assert player.password is None or (player.password.n, player.password.r) == (2**15, 8)
            assert abs(player.credits) < 10**12
        return True


def assert_printable(error):
    """Assert that a message is one line that can be shown."""
    text = str(error)
    assert text
    assert sanitize(text) == text if isinstance(error, CardtableError) else "\n" not in text


def compute_accepted_share(maker, number):
    """Return the share of accepted inputs among a number of them."""
    rng, accepted = Random(1), 0
    for _ in range(number):
        data = maker.generate(rng)
        try:
            accepted += maker.is_accepted(data)
        except Exception:
            print(f"fails for {data!r}", file=sys.stderr)
            raise
    return accepted / number
