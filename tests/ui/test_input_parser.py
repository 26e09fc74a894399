"""Input: keys, clicks and pastes pass, answers of the terminal never do; what is read late has its own time."""

import os
import re
from inspect import signature
from itertools import product
from random import Random

import pytest
from textual import events

from cardtable.ui.terminal import input_parser, textual_internals
from cardtable.ui.terminal.input_parser import SILENCE, InputParser, InputReader
from tests.budgets import get_trials

ESC, ST, ST_8_BIT, RAW_ST, BEL = b"\x1b", b"\x1b\\", b"\xc2\x9c", b"\x9c", b"\x07"
COLOUR = b"\x1b]11;rgb:0000/b0b0/ffff"
STRINGS = [
    COLOUR,
    b"\x1b]4;1;rgb:cccc/0000/0000",
    b"\x1b]52;c;cXVpdA==",
    b"\x1b]lT\xc3\x9citre \xf0\x9f\x82\xa1",
    b"\x1bP1$r0m",
    b"\x1bP>|XTerm(390)",
    b"\x1bP!|7E565445",
    b"\x1bP1+r544e=787465726d",
    b"\x1b_Gi=31;OK",
    b"\x1b^private message",
    b"\x1bXstart of string",
    b"\xc2\x9d11;rgb:0000/0000/0000",
    b"\x9d11;rgb:0000/0000/0000",
]
CSI_ANSWERS = "?62;22;52c >1;10;0c 0n ?997;1n 24;80R ?24;80;1R ?1049;2$y 4;2$y ?5u 8;24;80t"
STRANGE_CSI = "?1;0;256S >4;2m 32;10;10M 201~ 99999999;9u 48;0;0;0;0t 48;99999;99999;9;9t 1114112;5u 1:2A"
SEQUENCES = [
    *[f"\x1b[{rest}".encode() for rest in f"{CSI_ANSWERS} {STRANGE_CSI}".split()],
    *(b"\x1b[M !!", b"\x1b[M \x9b\x9d", b"\xc2\x9b?62c", b"\x9b?62c"),
]
TERMINATED_STRINGS = [text + end for text, end in product(STRINGS, (ST, ST_8_BIT, RAW_ST, BEL))]
CTRL_Q = b"\x11"


class InputSimulation:
    """Input in pieces with pauses between them, on a simulated clock."""

    def __init__(self) -> None:
        self.parser, self.now = InputParser(), 100.0
        self.messages: list[object] = []

    def send(self, *parts: bytes, pause: float = 0.0) -> list[object]:
        """Send pieces; return all messages so far."""
        for part in parts:
            self.messages += self.parser.feed(part, self.now)
            self.wait(pause)
        return self.messages

    def wait(self, seconds: float) -> list[object]:
        """Let time pass in steps of the driver; return all messages so far."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(self.now + max(self.parser.compute_wait(self.now, 0.1), 0.001), end)
            self.messages += self.parser.tick(self.now)
        return self.messages


def name_messages(messages: list[object]) -> list[str]:
    """Return the names of keys and the class names of other messages."""
    return [each.key if isinstance(each, events.Key) else type(each).__name__ for each in messages]


def parse_keys(*parts: bytes, pause: float = 0.0) -> list[str]:
    """Return the names of all messages from pieces of input, including those that come after a silence."""
    typing = InputSimulation()
    typing.send(*parts, pause=pause)
    return name_messages(typing.wait(2 * SILENCE))


@pytest.mark.parametrize("pause", [0.0, 0.05, 0.8])
def test_answer_cut_at_every_byte(pause):
    for answer in (*TERMINATED_STRINGS, *SEQUENCES):
        for cut in range(1, len(answer)):
            pressed = ["escape"] if answer[:cut] == ESC and pause > 0.1 else []
            parts = (answer[:cut], answer[cut:])
            assert parse_keys(*parts, CTRL_Q, pause=pause) == [*pressed, "ctrl+q"], parts


def test_answer_byte_by_byte():
    for answer in (*TERMINATED_STRINGS, *SEQUENCES):
        parts = [bytes([byte]) for byte in answer]
        assert parse_keys(*parts, CTRL_Q, pause=0.05) == ["ctrl+q"], answer


@pytest.mark.parametrize("start", [*STRINGS, *[each[:-1] for each in SEQUENCES[:10]]], ids=repr)
def test_answer_without_end(start):
    for cut in range(2, len(start) + 1):
        typing = InputSimulation()
        typing.send(start[:cut])
        assert name_messages(typing.wait(SILENCE)) in ([], ["alt+shift+o"])
        typing.messages.clear()
        assert name_messages(typing.send(CTRL_Q)) == ["ctrl+q"], start[:cut]


def test_keys_do_not_prolong_an_unfinished_answer():
    typing = InputSimulation()
    typing.send(COLOUR)
    typing.send(*[CTRL_Q] * 4, pause=SILENCE / 4)
    assert name_messages(typing.send(CTRL_Q)) == ["ctrl+q"]


@pytest.mark.parametrize("unfinished", [COLOUR, b"\x1bP1$r", b"\x1b[?62;"], ids=repr)
def test_sequence_after_an_unfinished_answer(unfinished):
    assert parse_keys(unfinished + b"\x1b[A") == ["up"]
    assert parse_keys(unfinished + COLOUR + ST + b"x") == ["x"]


def test_empty_paste():
    assert parse_keys(b"\x1b[200~\x1b[201~x") == ["x"]


def test_answers_in_a_row():
    assert parse_keys(b"".join([*TERMINATED_STRINGS, *SEQUENCES]) + b"q") == ["q"]


ESCAPE_SEQUENCES = """
    [A up              OA up              OP f1                [[A f1               [1;2D shift+left
    [1;5:1D ctrl+left  [1;5:3D -          [3~ delete           [3;5~ ctrl+delete    [Z shift+tab
    [7$ shift+home     [27u escape        [9;2u shift+tab      [13u enter           [113;5u ctrl+q
    [113;69u ctrl+q    [113;133u ctrl+q   [113;5:3u -          [97:65;2u A          [113:81;6u ctrl+shift+q
    [97;;97u a         [57400;129u 1      [57414u enter        [57441;2u -          [57358u -
    [27;5;113~ ctrl+q  a alt+a            A alt+shift+a        O alt+shift+o        [<64;5;7M MouseScrollUp
    [?2026;2$y TerminalSupportsSynchronizedOutput   [?2048;1$y InBandWindowResize   [48;24;80;480;640t Resize
"""
"""Sequences after ESC, each with the name of its key or message, or none."""


@pytest.mark.parametrize(
    ("typed", "pressed"),
    [
        *[(char.encode(), [char]) for char in "qQй"],
        (b"\r", ["enter"]),
        (b"\t", ["tab"]),
        (b"\x7f", ["backspace"]),
        (b"\x11", ["ctrl+q"]),
        (b"\x1b", ["escape"]),
        (b"\x1b\x1b", ["escape", "escape"]),
        (b"\x1b\r", ["escape", "enter"]),
        (b"\x1b\x11", ["escape", "ctrl+q"]),
        (b"\x1b\x1b[A", ["escape", "up"]),
        (b"\x1b\x7f", ["ctrl+w"]),
        *[
            (f"\x1b{sequence}".encode(), [name] if name != "-" else [])
            for sequence, name in re.findall(r"(\S+) (\S+)", ESCAPE_SEQUENCES)
        ],
        (b"\x1b[I\x1b[O", ["AppFocus", "AppBlur"]),
        (b"\x1b[<0;5;7M\x1b[<0;5;7m", ["MouseDown", "MouseUp"]),
        (b"\x1b[<16;5;7M\x1b[<127;5;7M", ["MouseDown", "MouseScrollRight"]),
        *[(b"\x1b[<%d;5;7M\x1b[<%d;5;7m" % (code, code), []) for code in (128, 129, 131, 156, 160, 192, 255, 256, 999)],
        *[(b"\x1b[%d;5;7M" % (code + 32), []) for code in (0, 2, 64, 128, 131)],
        *[(b"\x1b[M%c+)" % (code + 32), []) for code in (0, 2, 64, 128, 131)],
    ],
    ids=repr,
)
def test_keys_and_events(typed, pressed):
    assert parse_keys(typed) == pressed
    assert parse_keys(*[bytes([byte]) for byte in typed], pause=0.01) == pressed


def test_escape_alone_is_reported_soon():
    typing = InputSimulation()
    assert typing.send(ESC) == []
    assert name_messages(typing.wait(0.1)) == ["escape"]
    assert name_messages(typing.send(b"m")) == ["escape", "m"]


@pytest.mark.parametrize("key", [b"X", b"P", b"O", b"_"], ids=repr)
def test_letter_typed_after_escape(key):
    assert parse_keys(ESC, key, b"a", pause=0.3) == ["escape", key.decode().replace("_", "underscore"), "a"]


@pytest.mark.parametrize(
    ("pasted", "text"),
    [
        (b"Anna", "Anna"),
        ("жук ♠".encode(), "жук ♠"),
        (b"one\r\ntwo\tthree", "one\r\ntwo\tthree"),
        (b"a\x1b[31mred\x1b[0m b", "ared b"),
        (b"a\x1b]11;rgb:0000/0000/0000\x1b\\b", "ab"),
        (b"a\x1b[Ab\x1bOAc\x1bd", "abc"),
        (b"\x1b[200~twice", "twice"),
        (b"\xff raw", "\ufffd raw"),
        (b"q" * 5000, "q" * 5000),
    ],
)
def test_paste(pasted, text):
    typing = InputSimulation()
    [paste] = typing.send(b"\x1b[200~" + pasted + b"\x1b[201~")
    assert isinstance(paste, events.Paste)
    assert paste.text == text
    assert name_messages(typing.send(b"x")) == ["Paste", "x"]


def test_paste_cut_at_every_byte():
    whole = b"\x1b[200~" + "ja ♠".encode() + b"\x1b[201~"
    for cut, pause in product(range(2, len(whole)), (0.0, 0.8)):
        typing = InputSimulation()
        typing.send(whole[:cut], whole[cut:], b"x", pause=pause)
        assert name_messages(typing.messages) == ["Paste", "x"]
        assert typing.messages[0].text == "ja ♠"


@pytest.mark.parametrize("sequence", [b"\x1b[13u", b"\x1bOA", b"\x1b[<0;5;7M", b"\x1b[200~Anna\x1b[201~"], ids=repr)
def test_message_is_as_old_as_its_first_byte(sequence):
    parser = InputParser()
    for cut in range(2, len(sequence)):
        assert parser.feed(sequence[:cut], 100) == []
        assert [message.time for message in parser.feed(sequence[cut:] + b"x", 100.05)] == [100, 100.05]


@pytest.mark.parametrize("end", [b"", b"\x1b", b"\x1b[", b"\x1b[20", b"\x1b[201"], ids=repr)
def test_paste_without_end(end):
    typing = InputSimulation()
    assert typing.send(b"\x1b[200~Anna" + end) == []
    typing.wait(SILENCE)
    assert [each.text for each in typing.messages] == ["Anna"]
    assert name_messages(typing.send(CTRL_Q)) == ["Paste", "ctrl+q"]


def test_keys_do_not_prolong_an_unfinished_paste():
    typing = InputSimulation()
    typing.send(b"\x1b[200~")
    typing.send(*[CTRL_Q] * 4, pause=SILENCE / 4)
    assert name_messages(typing.send(CTRL_Q))[-1] == "ctrl+q"


def test_huge_paste():
    typing = InputSimulation()
    typing.send(b"\x1b[200~" + b"a" * 101_000 + b"\x1b[201~", b"x")
    assert name_messages(typing.messages) == ["Paste", "x"]
    assert len(typing.messages[0].text) == 100_000


def test_parser_recovers_from_any_bytes():
    rng = Random(32)
    pieces = [*STRINGS, *SEQUENCES, ESC, ST, BEL]
    pieces += [b"\x1b[200~", b"\x1b[201~", b"q", b"\x1b[", b"\x1b[<", b";", b"9", b"u"]
    for _ in range(get_trials("input bytes")):
        typing = InputSimulation()
        for _ in range(rng.randrange(1, 8)):
            typing.send(rng.choice(pieces) if rng.random() < 0.7 else rng.randbytes(rng.randrange(1, 9)))
            typing.wait(rng.choice([0.0, 0.02, 0.15, 1.1]))
        typing.wait(SILENCE)
        typing.messages.clear()
        assert name_messages(typing.send(CTRL_Q))[-1:] == ["ctrl+q"]


class Typist:
    """A pipe to a reader, and a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(input_parser, "monotonic", lambda: self.now)
        self.descriptors = os.pipe()
        self.reader = InputReader(self.descriptors[0])

    def type(self, keys: bytes) -> None:
        """Write keys to the pipe."""
        os.write(self.descriptors[1], keys)

    def read(self) -> float | None:
        """Read; return the time of the input, or None if there was none."""
        return None if self.reader.read(0) is None else self.reader.typed_at


@pytest.fixture
def typist(monkeypatch):
    typist = Typist(monkeypatch)
    yield typist
    for each in typist.descriptors:
        os.close(each)


def test_input_is_dated_when_it_is_read(typist):
    for seconds in (0.0, 0.05, 0.1, 0.15):
        assert typist.read() is None
        typist.now += seconds
        typist.type(b"q")
        assert typist.read() == typist.now


@pytest.mark.parametrize("seconds", [0.2, 0.8, 5.0])
def test_input_of_a_stopped_program_is_dated_before_the_stop(typist, seconds):
    assert typist.read() is None
    before = typist.now
    typist.type(b"\r")
    typist.now += seconds
    assert typist.read() == before
    typist.type(b"\r")
    assert typist.read() == typist.now


def test_input_right_after_other_input(typist):
    typist.type(b"\r")
    assert typist.read() == 100.0
    typist.now += 2.0
    typist.type(b"\r")
    assert typist.read() == 100.0, "the input may have been typed right after the last read"


def test_much_input_of_a_stopped_program(typist):
    assert typist.read() is None
    typist.type(b"q" * 10_000)
    typist.now += 1.0
    assert [typist.read() for _ in range(3)] == [100.0] * 3
    assert typist.read() is None


def test_input_waiting_at_paint_is_dated_before_it(typist):
    typist.reader.note_waiting()
    typist.now += 0.05
    typist.type(b"\r")
    typist.now += 0.05
    typist.reader.note_waiting()
    paint_time = typist.now
    typist.now += 0.05
    assert typist.read() == paint_time
    typist.type(b"\r")
    assert typist.read() == typist.now


def test_input_after_paint_keeps_its_time_if_read_late(typist):
    assert typist.read() is None
    typist.now += 0.05
    typist.reader.note_waiting()
    painted = typist.now
    typist.type(b"\r")
    typist.now += 1.0
    assert typist.read() == painted


def test_end_of_input(typist, monkeypatch):
    monkeypatch.setattr(os, "read", lambda *_: b"")
    typist.type(b"q")
    assert typist.reader.read(0) == b""


def test_private_parts_of_textual_are_those_that_are_used():
    parser = textual_internals.XTermParser
    parts = parser.feed, parser.parse_mouse_code, parser._sequence_to_key_events, textual_internals.ByteStream.feed
    assert {part.__qualname__: str(signature(part)) for part in parts} == {
        "XTermParser.feed": "(self, data: 'str') -> 'Iterable[Message]'",
        "XTermParser.parse_mouse_code": "(self, code: 'str') -> 'Message | None'",
        "XTermParser._sequence_to_key_events": "(self, sequence: 'str', alt: 'bool' = False) -> 'Iterable[events.Key]'",
        "ByteStreamParser.feed": "(self, data: 'bytes') -> 'Iterable[TokenType]'",
    }
