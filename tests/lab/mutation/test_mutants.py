"""Places at which faults are planted, and the tests that are run for them."""

import ast
from textwrap import dedent

import pytest

from tests.lab.mutation.line_coverage import find_last_line, find_names, find_statement, is_test_of
from tests.lab.mutation.mutants import apply_fault, choose_mutants, find_change, find_places, is_other_code


def mutate(source):
    """Return all mutants of a source that are other code."""
    source = dedent(source)
    faults = [fault for place in find_places(source) for fault in place.faults]
    mutated = [apply_fault(source, *fault) for fault in faults]
    return [each for each in mutated if is_other_code(source, each)]


@pytest.mark.parametrize(
    "source",
    [
        "def add(one: int | None, *, other: 'int | str') -> int | None: ...",
        "Message: TypeAlias = Hello | Say",
        "class Card(Struct, frozen=True): pass",
        "T = TypeVar('T', covariant=True)",
        "@lru_cache(maxsize=10)\ndef add(): pass",
        "class Card:\n    @abstractmethod\n    def add(self): pass",
        "logger.info('Three', 3)",
        "os.kill(process, 0)",
        "'''Text of 3 lines.'''",
        "if TYPE_CHECKING:\n    size = 3",
    ],
)
def test_excluded_code_has_no_mutants(source):
    assert mutate(source) == []


@pytest.mark.parametrize(
    ("source", "mutant"),
    [
        ("x = a < b\n", "x = a <= b\n"),
        ("if a: pass\n", "if not a: pass\n"),
        ("size: Annotated[int, Meta(ge=0)] = 5\n", "size: Annotated[int, Meta(ge= 1)] = 5\n"),
        ("def f(a=True): pass\n", "def f(a=False): pass\n"),
        ("if a:\n    save(a)\n", "if a:\n    pass\n"),
        ("flag = a is None\n", "flag = a is not None\n"),
    ],
)
def test_mutants_of_source(source, mutant):
    assert mutant in mutate(source)


def test_comparisons_by_identity_are_exchanged_among_themselves():
    assert mutate("flag = a is b\n") == ["flag = a is not b\n"]
    assert not any(" is " in mutant for mutant in mutate("flag = a == b\n"))


def test_choice_depends_on_the_seed_and_not_on_other_lines(tmp_path):
    module = tmp_path / "cardtable" / "engine" / "cards.py"
    module.parent.mkdir(parents=True)
    lines = [f"x{number} = {number} + y\n" for number in range(40)]
    module.write_text("".join(lines))
    chosen = choose_mutants(tmp_path, 10, 1)
    assert len({mutant.id for mutant in chosen}) == 10
    assert choose_mutants(tmp_path, 10, 1) == chosen
    assert choose_mutants(tmp_path, 10, 2) != chosen
    module.write_text("z = 1 + 2\n" + "".join(lines))
    again = choose_mutants(tmp_path, 10, 1)
    assert len({mutant.id for mutant in again} & {mutant.id for mutant in chosen}) >= 8


def test_change_is_described_by_differing_lines():
    assert find_change("a\nif b:\n    c\n", "a\nif b:\n    d\n") == ("c", "d")


def test_statement_of_a_line():
    source = dedent("""\
        class Box:
            size: int = 3

            def fill(self):
                if (
                    self.size
                ):
                    return 1
        """)
    tree = ast.parse(source)
    statement, path = find_statement(tree, 6)
    assert (statement.lineno, find_last_line(statement)) == (5, 7), "the condition without what it decides on"
    assert [each.name for each in path] == ["Box", "fill"]
    statement, _ = find_statement(tree, 2)
    assert list(find_names(statement)) == ["size"]


def test_file_of_tests_of_a_module():
    assert is_test_of("tests/engine/test_cards.py::test_it", "cards")
    assert is_test_of("tests/store/test_places.py::TestIt::test_it[1]", "place")
    assert not is_test_of("tests/engine/test_claim.py::test_cards", "cards")
