"""The page of public words has those of the program, and all that it ever had."""

import pytest

from tests import public_words


def test_page_has_the_words_of_the_program():
    assert public_words.PAGE.read_text(encoding="utf-8") == public_words.render_page(), (
        "run python -m tests.public_words"
    )


def test_page_loses_no_word(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(public_words.render_page().replace("| `--seed` |", "| `--seeds` |"))
    monkeypatch.setattr(public_words, "PAGE", page)
    with pytest.raises(SystemExit, match="'--seeds "):
        public_words.main()
    assert "`--seeds`" in page.read_text()
