"""Settings file: validation, and changes that preserve the rest of the file."""

import ast
import tomllib
from pathlib import Path

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, settings
from cardtable.store.settings import Settings, load, save


def write_settings(text):
    """Write the settings file; return its path."""
    path = paths.settings_file()
    paths.create_folder(path.parent)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("robot_pace = 2.1", "robot_pace cannot be 2.1; it can be a number of seconds from 0 to 2"),
        ('robot_pace = "key"', "robot_pace cannot be 'key'; it can be a number of seconds from 0 to 2"),
        ("trick_pause = 11", 'trick_pause cannot be 11; it can be a number of seconds from 0 to 10, or "key"'),
        (
            'round_pause = "never"',
            "round_pause cannot be 'never'; it can be a number of seconds from 0 to 10, or \"key\"",
        ),
        ("beep = 1", "beep cannot be 1; it can be true or false"),
        ('autoplay = "yes"', "autoplay cannot be 'yes'; it can be true or false"),
        (
            'theme = "../../etc"',
            "theme cannot be '../../etc'; it can be a name of lower-case letters, digits and hyphens",
        ),
        (
            'theme = "night\\n"',
            "theme cannot be 'night\\n'; it can be a name of lower-case letters, digits and hyphens",
        ),
        ("speed = 1", "no setting is called 'speed'; the settings page shows every name"),
        ("four_colors = true", "no setting is called 'four_colors'; did you mean four_colours?"),
        ("[robot_pace]\nfast = 1", "robot_pace cannot be {'fast': 1}; it can be a number of seconds from 0 to 2"),
    ],
)
def test_invalid_setting_is_reported_and_ignored(text, message):
    write_settings(f"{text}\n")
    assert load() == (Settings(), [f"settings.toml: {message}"])


def test_saved_settings_are_loaded():
    for chosen in (Settings(theme="light", robot_pace=0, trick_pause="key", round_pause=2.5), Settings(autoplay=True)):
        save(load()[0], chosen)
        assert load() == (chosen, [])


def test_save_keeps_unknown_settings_and_a_backup():
    path = write_settings('# mine\nbeep = true\nfuture = "kept"\n[boards]\nlevel = "expert"\n')
    before = path.read_bytes()
    save(Settings(beep=True), Settings(robot_pace=1.5))
    assert path.with_name("settings.toml.bak").read_bytes() == before
    chosen, complaints = load()
    assert chosen == Settings(robot_pace=1.5)
    assert complaints == [
        "settings.toml: no setting is called 'future'; the settings page shows every name",
        "settings.toml: no setting is called 'boards'; the settings page shows every name",
    ]
    text = path.read_text()
    assert 'future = "kept"' in text
    assert 'level = "expert"' in text
    assert sorted(file.name for file in path.parent.iterdir()) == ["home.lock", "settings.toml", "settings.toml.bak"]


def test_save_writes_only_changed_settings():
    path = write_settings('robot_pace = "fast"\nbeep = true\n[keys]\nhint = "x"\nsheet = "y"\n')
    since, _ = load()
    write_settings(
        'robot_pace = "fast"\ntheme = "night"\n[keys]\nhint = "x"\nprevious_trick = "i"\n'
    )  # another program
    chosen = Settings(autoplay=True, keys={"hint": "ctrl+x", "rules": "q"})
    save(since, chosen)
    assert load()[0] == Settings(
        theme="night", autoplay=True, beep=False, keys={"hint": "ctrl+x", "previous_trick": "i", "rules": "q"}
    )
    assert 'robot_pace = "fast"' in path.read_text(), "what was wrong stays for the person to put right"
    before = path.stat()
    save(since, chosen)
    assert path.stat() == before, "nothing is written where nothing is to be changed"


@pytest.mark.parametrize(
    ("unknown", "message"),
    [
        ('future = """' + ("x" * 300 + "\n") * 2 + '"""\n', "line 2 has more than 500 characters"),
        ("future = [\n" + ("1," * 240 + "\n") * 30 + "]\n", "the file is larger than 16 KiB"),
    ],
    ids=["text of several lines", "long list"],
)
def test_file_that_could_not_be_read_again_is_not_written(unknown, message):
    path = write_settings(f'theme = "night"\n{unknown}')
    before = path.read_bytes()
    assert load()[0] == Settings(theme="night")
    with pytest.raises(CardtableError, match=f"cannot be saved so that they can be read again: {message}"):
        save(Settings(), Settings(beep=True))
    assert path.read_bytes() == before


def test_every_setting_is_used():
    unused = set(Settings.__struct_fields__)
    for path in Path(settings.__file__).parent.parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if any(f".{name}" in text for name in unused):  # to parse the whole package is slow
            unused -= {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
    assert not unused


def test_settings_under_former_names_are_read_and_renamed():
    path = write_settings("pace = 1.4\nguard = 0.1\nbeep = true\n")
    assert load() == (Settings(robot_pace=1.4, key_guard=0.1, beep=True), [])
    save(Settings(robot_pace=1.4), Settings(robot_pace=1.0))
    assert tomllib.loads(path.read_text()) == {"robot_pace": 1.0, "key_guard": 0.1, "beep": True}
