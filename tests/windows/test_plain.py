"""Plain text and commands on Windows: code pages, whole games, signals and the console."""

import io
import signal
import sys
import zipfile
from types import SimpleNamespace

import pytest

from cardtable.cli import main as cli
from cardtable.plain import console
from cardtable.store import archive_index, paths, summaries
from tests.cli.playing import write_session

ALWAYS_FIRST = ["1"] * 5000
GAME = ("play", "gurka", "--seed", "7", "--seats", "me,random,random,random", "--option", "limit=21")


@pytest.fixture
def run(windows, monkeypatch):
    """Return a function that runs a command line with pipes in a code page, and returns exit code and output."""

    def run_command(*arguments, typed=(), encoding="cp1252"):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\r\n") for _ in range(2)]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO("".join([f"{line}\n" for line in typed])))
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            patch.setattr(console, "_EXIT_SIGNALS", (signal.SIGTERM, signal.SIGBREAK))
            code = cli.run([*map(str, arguments)])
            for stream in streams:
                stream.flush()
        out, err = [stream.buffer.getvalue() for stream in streams]
        return SimpleNamespace(code=code, data=out, out=out.decode(encoding), err=err.decode(encoding))

    return run_command


def test_game_is_played_left_resumed_archived_exported_and_backed_up(run, tmp_path):
    begun = run(*GAME, "--plain", typed=["1"] * 5)
    assert (begun.code, begun.err) == (0, "")
    [unfinished] = summaries.list_unfinished()
    resumed = run("resume", unfinished.id, "--plain", typed=ALWAYS_FIRST)
    assert (resumed.code, resumed.err) == (0, "")
    assert "The session is over." in resumed.out
    [finished] = archive_index.list_finished()
    assert finished.path.parent == paths.archive_folder()
    assert list(paths.sessions_folder().iterdir()) == []
    journal = run("export", finished.id, "--format", "journal")
    assert journal.data == finished.path.read_bytes()
    assert "♣" in run("export", finished.id).data.decode()
    assert run("verify", finished.id).out.startswith(f"ok {finished.id} gurka")
    assert run("club", "backup", tmp_path / "backup.zip").code == 0
    with zipfile.ZipFile(tmp_path / "backup.zip") as backup:
        assert backup.read(f"archive/{finished.path.name}") == journal.data


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "cp850"])
def test_suits_are_letters_in_a_code_page(run, encoding):
    assert "Q♥ is on top and you hold 6♥ 6♣ K♣ 9♦." in run("rules", "bridge", encoding="utf-8").out
    printed = run("rules", "bridge", encoding=encoding)
    assert (printed.code, printed.err) == (0, "")
    assert "QH is on top and you hold 6H 6C KC 9D." in printed.out
    assert run("play", "bridge", "--seats", "Zoë♥", encoding=encoding).err.endswith("not 1: ZoëH\r\n")


def test_csv_has_the_same_bytes_everywhere(run, tmp_path):
    write_session(tmp_path / "one.jsonl", rounds=2)
    result = run("show", tmp_path / "one.jsonl", "--csv")
    assert result.code == 0
    assert b"\r" not in result.data
    assert result.data == run("show", tmp_path / "one.jsonl", "--csv", encoding="utf-8").data


def test_ssh_is_refused_with_the_reason(run):
    refused = run("host", "--ssh", "7037")
    assert refused.code == 1
    assert refused.err.splitlines() == [
        "cardtable: --ssh needs pseudo-terminals, which Windows does not have; leave it out, or use --web"
    ]


def test_console_obeys_escape_sequences(run, windows):
    run(*GAME, "--plain")
    assert windows.obeys_escape_sequences


def test_keys_before_the_curtain_are_discarded(windows, monkeypatch):
    monkeypatch.setattr(console, "is_on_terminal", lambda: True)
    monkeypatch.setattr(console, "sleep", lambda _seconds: None)
    windows.typed_keys += "yes\r"
    console.discard_input()
    assert windows.typed_keys == []


@pytest.mark.usefixtures("windows")
def test_control_break_ends_the_program(monkeypatch):
    monkeypatch.setattr(console, "_EXIT_SIGNALS", (signal.SIGTERM, signal.SIGBREAK))
    with pytest.raises(SystemExit) as ended, console.exit_on_signals():
        signal.raise_signal(signal.SIGBREAK)
    assert ended.value.code == 128 + signal.SIGBREAK
