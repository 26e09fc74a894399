"""The settings file: read strictly, changed carefully."""

import ast
from pathlib import Path

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, settings
from cardtable.store.settings import Settings, load, save


def write(text):
    """A settings file of this text."""
    path = paths.settings_file()
    paths.create_folder(path.parent)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_all_is_as_usual():
    assert load() == (Settings(), [])
    assert Settings() == Settings("auto", 0.6, 1.2, "key", False, False, True)


def test_each_setting_can_be_set():
    write(
        'theme = "night"\npace = 2\ntrick_pause = "key"\nround_pause = 0\nautoplay = true\nbeep = true\n'
        "four_colours = false\n"
    )
    assert load() == (Settings("night", 2.0, "key", 0.0, True, True, False), [])


@pytest.mark.promise("Settings and display", "An invalid setting is reported and ignored.")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pace = -0.1", "pace cannot be -0.1; it can be a number of seconds from 0 to 2"),
        ("pace = 2.1", "pace cannot be 2.1; it can be a number of seconds from 0 to 2"),
        ('pace = "key"', "pace cannot be 'key'; it can be a number of seconds from 0 to 2"),
        ("pace = true", "pace cannot be true; it can be a number of seconds from 0 to 2"),
        ("trick_pause = 11", 'trick_pause cannot be 11; it can be a number of seconds from 0 to 10, or "key"'),
        (
            'round_pause = "never"',
            "round_pause cannot be 'never'; it can be a number of seconds from 0 to 10, or \"key\"",
        ),
        ("beep = 1", "beep cannot be 1; it can be true or false"),
        ('autoplay = "yes"', "autoplay cannot be 'yes'; it can be true or false"),
        ('theme = "../../etc"', "theme cannot be '../../etc'; it can be a name of small letters, digits and hyphens"),
        ('theme = "night\\n"', "theme cannot be 'night\\n'; it can be a name of small letters, digits and hyphens"),
        ("speed = 1", "no setting is called 'speed'; the settings page shows every name"),
        ("four_colors = true", "no setting is called 'four_colors'; did you mean four_colours?"),
        ("[pace]\nfast = 1", "pace cannot be {'fast': 1}; it can be a number of seconds from 0 to 2"),
    ],
)
def test_what_is_wrong_is_named_and_left_out(text, said):
    write(f"{text}\n")
    assert load() == (Settings(), [f"settings.toml: {said}"])


def test_the_rest_of_a_file_with_a_wrong_value_holds():
    write('theme = "night"\npace = "fast"\nbeep = true\n')
    chosen, complaints = load()
    assert chosen == Settings(theme="night", beep=True)
    assert len(complaints) == 1


def test_a_byte_order_mark_and_an_editor_s_line_ends_are_no_harm():
    path = write("")
    path.write_bytes(b"\xef\xbb\xbfbeep = true\r\npace = 1\r\n")
    assert load() == (Settings(beep=True, pace=1.0), [])


def test_what_was_saved_is_loaded():
    for chosen in (Settings(theme="light", pace=0, trick_pause="key", round_pause=2.5), Settings(autoplay=True)):
        save(load()[0], chosen)
        assert load() == (chosen, [])


def test_saving_keeps_what_this_version_does_not_know_and_the_file_as_it_was():
    path = write('# mine\nbeep = true\nfuture = "kept"\n[robots]\nlevel = "expert"\n')
    before = path.read_bytes()
    save(Settings(beep=True), Settings(pace=1.5))
    assert path.with_name("settings.toml.bak").read_bytes() == before
    chosen, complaints = load()
    assert chosen == Settings(pace=1.5)
    assert complaints == [
        "settings.toml: no setting is called 'future'; the settings page shows every name",
        "settings.toml: no setting is called 'robots'; the settings page shows every name",
    ]
    text = path.read_text()
    assert 'future = "kept"' in text
    assert 'level = "expert"' in text
    assert sorted(file.name for file in path.parent.iterdir()) == ["home.lock", "settings.toml", "settings.toml.bak"]


def test_only_what_was_changed_since_is_written():
    path = write('pace = "fast"\nbeep = true\n[keys]\nhint = "x"\nsheet = "y"\n')
    since, _ = load()
    write('pace = "fast"\ntheme = "night"\n[keys]\nhint = "x"\nprevious_trick = "i"\n')  # another program
    chosen = Settings(autoplay=True, keys={"hint": "ctrl+x", "rules": "q"})
    save(since, chosen)
    assert load()[0] == Settings(
        theme="night", autoplay=True, beep=False, keys={"hint": "ctrl+x", "previous_trick": "i", "rules": "q"}
    )
    assert 'pace = "fast"' in path.read_text(), "what was wrong stays for the person to put right"
    before = path.stat()
    save(since, chosen)
    assert path.stat() == before, "nothing is written where nothing is to be changed"


def test_what_two_programs_choose_comes_together():
    since = Settings(pace=1.0, keys={"hint": "x", "sheet": "y"})
    here = Settings(pace=1.5, keys={"hint": "x"})
    there = Settings(pace=0.5, beep=True, keys={"hint": "ctrl+x", "sheet": "y"})
    assert settings.merge_changes(since, here, there) == Settings(pace=1.5, beep=True, keys={"hint": "ctrl+x"})
    assert settings.merge_changes(since, since, there) == there


def test_a_file_that_could_not_be_read_is_never_written():
    path = write("pace = fast\n")
    chosen, (complaint,) = load()
    assert chosen == Settings()
    assert "settings.toml: Invalid value" in complaint
    with pytest.raises(CardtableError, match=r"settings\.toml: Invalid value"):
        save(Settings(), Settings(pace=1))
    assert path.read_text() == "pace = fast\n"
    assert not path.with_name("settings.toml.bak").exists()


def test_a_link_to_a_settings_file_stays_a_link(tmp_path):
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("beep = true\n")
    paths.create_folder(paths.home())
    paths.settings_file().symlink_to(kept)
    assert load() == (Settings(beep=True), [])
    save(Settings(), Settings(pace=1))
    assert paths.settings_file().is_symlink()
    assert "pace = 1" in kept.read_text()
    assert (tmp_path / "dotfiles.toml.bak").read_text() == "beep = true\n"


def test_every_setting_says_what_it_may_be():
    assert set(settings.ALLOWED_VALUES) == set(Settings.__struct_fields__)


def test_every_setting_is_used_somewhere():
    package = Path(settings.__file__).parent.parent
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in package.rglob("*.py")]
    used = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert set(Settings.__struct_fields__) <= used
