"""``cardtable doctor``: what there is, and what is wrong."""

from cardtable import __version__
from cardtable.store import paths
from tests.store.playing import begin


def test_of_an_empty_home_it_tells_where_things_will_be(cardtable, home):
    told = cardtable("doctor")
    assert told.code == 0
    assert told.out.startswith(f"program       cardtable {__version__}, Python ")
    assert f"home          {home} (not made yet)\n" in told.out
    assert "sessions, 0 sessions not over\n" in told.out
    assert "settings.toml (none: all is as usual)\n" in told.out
    assert "files         nothing is wrong with them\n" in told.out
    assert told.err == ""
    assert not home.exists(), "looking changes nothing"


def test_every_wrong_file_is_a_line_and_the_exit_code_says_so(cardtable, home):
    begin("rikiki").close()
    paths.make(home / "themes")
    paths.settings_file().write_text('pace = "fast"\ntheme = "mine"\n[keys]\nhint = "l"\n')
    (home / "themes" / "mine.toml").write_text("title = 1\n")
    (home / "sessions" / "broken.jsonl").write_text("not a journal\n")
    told = cardtable("doctor")
    assert told.code == 1
    assert "1 session not over" not in told.out, "the broken one is counted, too"
    assert "sessions, 2 sessions not over\n" in told.out
    lines = told.err.splitlines()
    assert all(line.startswith("cardtable: ") for line in lines)
    for wrong in ("pace cannot be 'fast'", "'l' is both hint and last_trick", "mine.toml", "broken.jsonl"):
        assert [line for line in lines if wrong in line], wrong
    assert "nothing is wrong" not in told.out
    [themes] = [line for line in told.out.splitlines() if line.startswith("themes ")]
    assert "mine" not in themes.partition(";")[0], "what is left out is no theme"


def test_a_terminal_that_is_none_and_one_without_colours_are_told(cardtable, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    told = cardtable("doctor")
    assert "terminal      none here: the table needs one, --plain does not\n" in told.out
    assert "NO_COLOR=1" in told.out


def test_hostile_values_of_the_environment_are_printed_harmlessly(cardtable, monkeypatch):
    monkeypatch.setenv("TERM", "xterm\x1b[31m")
    assert "\x1b" not in cardtable("doctor").out
