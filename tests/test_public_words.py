"""The record of public words has those of the program, and all that it ever had."""

import pytest

from tests import public_words


def test_record_has_the_words_of_the_program():
    words = public_words.list_words(public_words.render_page())
    assert words == public_words.load_record(), "run python -m tests.public_words"


def test_record_loses_no_word(tmp_path, monkeypatch):
    record = tmp_path / "record.txt"
    record.write_text("Options: --seeds play\n")
    monkeypatch.setattr(public_words, "RECORD", record)
    with pytest.raises(SystemExit, match="'Options: --seeds "):
        public_words.main()
    assert record.read_text() == "Options: --seeds play\n"
