"""Mutants: the places of the program where a small fault can be planted, and a choice among them."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from parso.python.tree import Name
from parso.tree import NodeOrLeaf

SUBJECTS: Final = (
    "cardtable/engine/*.py",
    "cardtable/store/*.py",
    "cardtable/club/protocol.py",
    "cardtable/club/administration.py",
    "cardtable/club/addresses.py",
    "cardtable/club/client/connection.py",
    "cardtable/club/server/websocket_endpoint.py",
)
"""Modules that are mutated: the engine, the files, and the protocol of the club with its two ends."""
FAMILIES: Final = ("ReplaceBinaryOperator", "ReplaceComparisonOperator", "ReplaceUnaryOperator")
"""Beginnings of names of operators that are different answers to one question."""
TYPING_DECORATORS: Final = frozenset({"override", "overload", "final", "abstractmethod", "runtime_checkable"})
"""Decorators for mypy, which refuses what they forbid."""
CACHES: Final = frozenset({"cache", "cached_property", "lru_cache"})
"""Decorators that change speed alone."""
TYPING_CALLS: Final = frozenset({"TypeVar", "ParamSpec", "NewType", "cast"})

Position = tuple[int, int]
"""Line from 1, and column from 0."""
Span = tuple[Position, Position]


class RemoveCall(Operator):
    """Operator that replaces a statement that is a call by ``pass``."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Span]:
        """Yield the position of a statement that is a call, if the node is one."""
        if node.type == "simple_stmt" and self._is_call(node.children[0]):
            yield node.children[0].start_pos, node.children[0].end_pos

    @staticmethod
    def _is_call(node: NodeOrLeaf) -> bool:
        last = node.children[-1] if node.type == "atom_expr" else None
        return last is not None and last.type == "trailer" and last.children[0].value == "("

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        """Replace the call."""
        old = node.children[0]
        node.children[0] = Name("pass", old.start_pos, old.get_first_leaf().prefix)
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """Return no examples."""
        return ()


def compares_identity(operator: str) -> bool:
    """Return True if an operator exchanges a comparison by identity with one by value.

    Such a mutant is the same for most values, or a warning of Python.
    """
    _, *comparisons = operator.split("_")
    return len({"Is", "IsNot"}.intersection(comparisons)) == 1


OPERATORS: Final[dict[str, type[Operator]]] = {
    **{
        name.partition("/")[2]: plugins.get_operator(name)
        for name in plugins.operator_names()
        if name not in ("core/VariableReplacer", "core/VariableInserter")  # they need names of variables
        and not compares_identity(name)
    },
    "RemoveCall": RemoveCall,
}


class Mutant(msgspec.Struct, frozen=True):
    """Small fault at one place of the program."""

    id: str
    """Short id, which stays the same while the line and the module's name do."""
    module: str
    """Path of the module, from the root of the repository."""
    line: int
    last_line: int
    operator: str
    """Name of the operator of cosmic-ray that makes the mutant, or ``RemoveCall``."""
    occurrence: int
    """Number, from 0, of the place among those of the operator in the module."""
    before: str
    """Lines that are changed, without indentation."""
    after: str


class Place(NamedTuple):
    """Place at which a fault can be planted, with all faults of one family."""

    key: str
    """Text that tells the place from all others of the module."""
    span: Span
    faults: list[tuple[str, int]]
    """Operators, each with the number of the place among its places."""


def find_modules(root: Path) -> list[Path]:
    """Return the modules that are mutated, sorted."""
    return sorted(path for pattern in SUBJECTS for path in root.glob(pattern))


def choose_mutants(root: Path, count: int, seed: int) -> list[Mutant]:
    """Return mutants at ``count`` places that are drawn at random, one at each place.

    Each place has the same chance, and so has each fault at it. Places are drawn by a hash of their lines: a change of
    one line draws no other places anew.
    """
    drawn = []
    for path in find_modules(root):
        module = path.relative_to(root).as_posix()
        source = path.read_text(encoding="utf-8")
        drawn += [(hash_text(f"{seed} {module} {place.key}"), module, source, place) for place in find_places(source)]
    drawn.sort(key=lambda row: row[0])
    mutants: list[Mutant] = []
    for digest, module, source, place in drawn:
        if len(mutants) == count:
            break
        mutant = create_mutant(digest, module, source, place)
        if mutant is not None:
            mutants.append(mutant)
    return mutants


def hash_text(text: str) -> str:
    """Return a digest in hexadecimal digits."""
    return sha256(text.encode()).hexdigest()


def create_mutant(digest: str, module: str, source: str, place: Place) -> Mutant | None:
    """Return a mutant at a place, or ``None`` if no fault there gives other code that Python can read."""
    for operator, occurrence in sorted(place.faults, key=lambda fault: hash_text(digest + fault[0])):
        mutated = apply_fault(source, operator, occurrence)
        if mutated is not None and is_other_code(source, mutated):
            before, after = find_change(source, mutated)
            (line, _), (last_line, _) = place.span
            return Mutant(digest[:8], module, line, last_line, operator, occurrence, before, after)
    return None


def apply_fault(source: str, operator: str, occurrence: int) -> str | None:
    """Return the source of a module with a fault; ``None`` if there is no such place."""
    mutated: str | None = mutate_code(source, OPERATORS[operator](), occurrence)
    return mutated


def is_other_code(source: str, mutated: str) -> bool:
    """Return True if a mutated source compiles, to other code than the source."""
    try:
        return ast.dump(ast.parse(source)) != ast.dump(ast.parse(mutated)) and bool(compile(mutated, "", "exec"))
    except (SyntaxError, ValueError):
        return False


def find_change(source: str, mutated: str) -> tuple[str, str]:
    """Return the lines that differ, before and after, each joined to one line."""
    old, new = source.split("\n"), mutated.split("\n")
    first = next(index for index, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    last = 0
    while last < min(len(old), len(new)) - first - 1 and old[-1 - last] == new[-1 - last]:
        last += 1

    def join(lines: list[str]) -> str:
        return " ".join(line.strip() for line in lines[first : len(lines) - last])

    return join(old), join(new)


def find_places(source: str) -> list[Place]:
    """Return the places of a module at which faults are planted, in their order."""
    lines = source.split("\n")
    left_out = list(find_excluded_spans(ast.parse(source), lines))
    faults: defaultdict[tuple[Span, str], list[tuple[str, int]]] = defaultdict(list)
    counts: defaultdict[str, int] = defaultdict(int)
    operators = {name: operator() for name, operator in OPERATORS.items()}
    for node in ast_nodes(get_ast(source)):
        for name, operator in operators.items():
            for span in operator.mutation_positions(node):
                family = next((family for family in FAMILIES if name.startswith(family)), name)
                if not (
                    any(is_inside(span, excluded) for excluded in left_out)
                    or is_marker(node)
                    or is_harmless_decorator(name, span, lines)
                ):
                    faults[span, family].append((name, counts[name]))
                counts[name] += 1
    texts: defaultdict[str, int] = defaultdict(int)
    places = []
    for (span, family), numbered in sorted(faults.items()):
        text = lines[span[0][0] - 1]
        key = f"{family} {span[0][1] - len(text) + len(text.lstrip())} {text.strip()}"
        places.append(Place(f"{key} {texts[key]}", span, numbered))
        texts[key] += 1
    return places


def is_inside(span: Span, other: Span) -> bool:
    """Return True if a span lies in another."""
    return other[0] <= span[0] and span[1] <= other[1]


def is_marker(node: NodeOrLeaf) -> bool:
    """Return True for the ``*`` or ``/`` between parameters, which cosmic-ray takes for operators."""
    return node.parent is not None and node.parent.type == "parameters"


def is_harmless_decorator(operator: str, span: Span, lines: list[str]) -> bool:
    """Return True if a mutant would remove a decorator that is for mypy or for speed alone."""
    if operator != "RemoveDecorator":
        return False
    name = lines[span[0][0] - 1].strip().removeprefix("@").partition("(")[0].rpartition(".")[2]
    return name in TYPING_DECORATORS or name in CACHES


def find_excluded_spans(tree: ast.Module, lines: list[str]) -> Iterator[Span]:
    """Yield what is left out: types, wording of the log, and calls by which a mutant could end strange processes."""

    def locate(node: ast.expr | ast.stmt | ast.keyword) -> Span:
        # the columns of ast count bytes, those of parso letters
        def count_letters(line: int, column: int) -> Position:
            return line, len(lines[line - 1].encode()[:column].decode())

        return (
            count_letters(node.lineno, node.col_offset),
            count_letters(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
        )

    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign(annotation=annotation, value=value):
                yield from map(locate, find_types(annotation))
                if ast.unparse(annotation).endswith("TypeAlias") and value is not None:
                    yield from map(locate, find_types(value))
            case ast.arg(annotation=ast.expr() as annotation):
                yield from map(locate, find_types(annotation))
            case ast.FunctionDef(returns=ast.expr() as returns) | ast.AsyncFunctionDef(returns=ast.expr() as returns):
                yield locate(returns)
            case ast.ClassDef(bases=bases, keywords=keywords):
                yield from map(locate, bases)
                yield from (locate(each) for each in keywords if each.arg == "frozen")
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                yield locate(node)
            case ast.Call(func=ast.Name(name)) if name in TYPING_CALLS or name in CACHES:
                yield locate(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(owner), attr=name)):
                if (owner, name) == ("os", "kill") or owner in {"log", "logger", "logging"}:
                    yield locate(node)


def find_types(annotation: ast.expr) -> Iterator[ast.expr]:
    """Yield an annotation, or its parts that are types alone if it has limits that are checked as data are read."""
    calls = [node for node in ast.walk(annotation) if isinstance(node, ast.Call)]
    if not calls:
        yield annotation
        return
    for node in ast.walk(annotation):
        if isinstance(node, ast.BinOp) and not any(isinstance(each, ast.Call) for each in ast.walk(node)):
            yield node
