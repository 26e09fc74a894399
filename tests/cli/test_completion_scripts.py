"""Installation of shell completion."""

import sys
from pathlib import Path

import pytest

from cardtable.engine.text_format import shorten_path
from tests.cli.playing import parse_error

FILES = {
    "bash": "bash-completion/completions/cardtable",
    "zsh": "zsh/site-functions/_cardtable",
    "fish": "fish/vendor_completions.d/cardtable.fish",
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Return the folder of the user's data, which does not exist yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("SHELL", raising=False)
    return tmp_path / "data"


@pytest.mark.parametrize("shell", FILES)
def test_installs_and_removes_completion(cardtable, data, shell):
    path = data / FILES[shell]
    first = cardtable("completion", "install", shell)
    script = path.read_text(encoding="utf-8")
    assert first.code == 0
    assert f"_CARDTABLE_COMPLETE={shell}_complete" in script
    assert first.out.startswith(f"The completion for {shell} is in {path}; ")
    assert first.out.count("\n") == 1
    # a second time nothing changes
    assert cardtable("completion", "install", shell).out == first.out
    assert path.read_text(encoding="utf-8") == script
    # the file is removed, and that, too, can be done twice
    assert cardtable("completion", "uninstall", shell).out == f"The completion for {shell} is removed: {path}\n"
    assert not path.exists()
    again = cardtable("completion", "uninstall", shell)
    assert (again.code, again.out) == (0, f"The completion for {shell} is not installed: there is no {path}\n")


def test_install_for_zsh_prints_the_folder(cardtable, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "my data"))
    line = f"fpath=('{tmp_path / 'my data' / 'zsh' / 'site-functions'}' $fpath)\n"
    assert cardtable("completion", "install", "zsh").out.endswith(line)


def test_zsh_registers_completion_when_it_loads_the_file(cardtable, data):
    """Only the first call runs the part for autoloading; without ``compdef`` the second Tab would offer nothing."""
    cardtable("completion", "install", "zsh")
    script = (data / FILES["zsh"]).read_text(encoding="utf-8")
    (loading,) = [part for part in script.split("if [[") if "== loadautofunc ]]" in part]
    calls = [line.strip() for line in loading.partition("else")[0].splitlines() if "_completion" in line]
    assert calls == ["compdef _cardtable_completion cardtable", '_cardtable_completion "$@"']


@pytest.mark.parametrize("variable", ["/bin/zsh", "/usr/local/bin/zsh", "zsh.exe"])
def test_shell_of_the_user(cardtable, data, monkeypatch, variable):
    monkeypatch.setenv("SHELL", variable)
    assert cardtable("completion", "install").out.startswith("The completion for zsh is in ")


def test_unknown_shell_is_one_line(cardtable, data, monkeypatch):
    names = "name one of bash, zsh, fish"
    assert (
        parse_error(cardtable("completion", "install").err) == f"the variable SHELL does not name your shell; {names}"
    )
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    result = cardtable("completion", "install")
    assert (result.code, parse_error(result.err)) == (2, f"there is no completion for tcsh; {names}")
    result = cardtable("completion", "install", "nu")
    assert (result.code, result.out) == (2, "")
    assert parse_error(result.err).startswith("SHELL: 'nu' is not one of 'bash', 'zsh', 'fish'; ")
    assert not data.exists()


def test_unusable_folder_is_one_line(cardtable, data):
    data.write_text("a file where the folder should be")
    result = cardtable("completion", "install", "fish")
    assert (result.code, result.out) == (1, "")
    assert parse_error(result.err).startswith(f"{shorten_path(data / FILES['fish'])}: ")


def test_relative_data_folder_is_ignored(cardtable, tmp_path, monkeypatch):
    """The specification of XDG_DATA_HOME demands an absolute path."""
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "me")
    cardtable("completion", "install", "bash")
    assert (tmp_path / "me/.local/share" / FILES["bash"]).is_file()
    assert not Path("data").exists()


def test_unknown_home_is_one_line(cardtable, monkeypatch):
    def fail():
        raise RuntimeError

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    result = cardtable("completion", "install", "bash")
    assert (result.code, parse_error(result.err)) == (1, "your home folder is not known; set XDG_DATA_HOME")


@pytest.mark.skipif(sys.platform == "win32", reason="there links need a privilege")
def test_linked_file_stays_a_link(cardtable, data, tmp_path):
    path = data / FILES["fish"]
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "kept elsewhere")
    cardtable("completion", "install", "fish")
    assert path.is_symlink()
    assert "cardtable" in (tmp_path / "kept elsewhere").read_text(encoding="utf-8")
