"""``cardtable club backup`` and ``cardtable club restore``."""

from cardtable.club.server import status_file
from tests.cli.playing import parse_error


def test_commands_back_up_and_restore(cardtable, home, tmp_path):
    (home / "sessions").mkdir(parents=True)
    (home / "club.json").write_text("accounts")
    (home / "link").symlink_to("/etc/passwd")
    result = cardtable("club", "backup", "b.zip")
    assert result.code == 0
    assert result.out.splitlines()[0].startswith("Saved 1 file (0.0 kB) in b.zip (0.")
    assert "left out, since" in result.err
    assert "link" in result.err
    result = cardtable("club", "restore", "b.zip")
    assert (result.code, result.out) == (1, "")
    assert "is not empty (club.json, link, sessions); move it away" in parse_error(result.err)
    with status_file.hold_host_lock(home=tmp_path / "other"):
        result = cardtable("club", "restore", "b.zip", "--into", "other")
        assert (result.code, parse_error(result.err)) == (1, "the club is open; close it first")
    result = cardtable("club", "restore", "b.zip", "--into", "other")
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "other/club.json").read_text() == "accounts"
    result = cardtable("club", "backup", "b.zip")
    assert (result.code, parse_error(result.err)) == (1, "b.zip: it exists already; choose another name")
    result = cardtable("club", "backup", "-")
    assert (result.code, result.out) == (2, "")
    assert parse_error(result.err) == "a backup cannot be printed; give it the name of a new file"
    assert not (tmp_path / "-").exists()
