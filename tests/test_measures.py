"""The shape of the code stays what it has come to."""

import pytest

from tests import measures


@pytest.fixture(scope="module")
def texts():
    return measures.sources()


def test_nothing_imports_what_imports_it(texts):
    graph = measures.imports(texts)
    assert measures.circles(graph) == []
    assert measures.circles(measures.folders_of_ui(graph)) == []


def test_a_circle_that_is_planted_is_found():
    texts = {"cardtable.a": "from cardtable import b", "cardtable.b": "def f():\n    import cardtable.c",
             "cardtable.c": "from cardtable.a import x", "cardtable.d": "import cardtable.a"}  # fmt: skip
    graph = measures.imports(texts)
    assert graph["cardtable.a"] == {"cardtable.b"}
    assert [sorted(circle) for circle in measures.circles(graph)] == [["cardtable.a", "cardtable.b", "cardtable.c"]]


def test_views_options_and_games_are_known_by_their_types(texts):
    assert measures.guesses(texts) == []


def test_a_guess_that_is_planted_is_found():
    texts = {"cardtable.a": "def f(view: Any):\n    return getattr(self.view, name)"}
    assert len(measures.guesses(texts)) == 2
