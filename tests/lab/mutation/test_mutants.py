"""Places at which faults are planted, and the tests that are run for them."""

from textwrap import dedent

import pytest

from tests.lab.mutation.mutants import apply_fault, find_places, is_other_code


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
