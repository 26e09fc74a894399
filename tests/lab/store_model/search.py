"""Exhaustive search of the states that programs on one home, kills and power failures can lead to."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from tests.lab.store_model import model
from tests.lab.store_model.disk import FOLDER, Call, Disk, DiskError, Failure, File
from tests.lab.store_model.model import (
    INDEX,
    PERSON,
    PROFILES,
    SESSION_FOLDERS,
    Damaged,
    Line,
    Row,
    Violation,
    get_parent,
    is_journal,
    is_over,
    names_person,
    parse,
)

KILLED: Final = "killed"
ENDED: Final = "ended"


Program: TypeAlias = Callable[[model.Process], Iterator[Call]]


class Process(NamedTuple):
    """Process, whose program counter and knowledge are the results of its calls so far."""

    program: Program
    number: int
    results: tuple[Hashable, ...] = ()
    state: str = ""


class Truth(NamedTuple):
    """Facts that users have been told, which the disk must keep."""

    acknowledged: frozenset[tuple[str, ...]] = frozenset()
    places: tuple[tuple[int, str, str], ...] = ()
    """Moves of sessions in order: process, name of the session, folder. The first is the last acknowledged one."""


class State(NamedTuple):
    """State of the disk, of all processes and of what was acknowledged. All but the last two are numbers in tables."""

    disk: int
    processes: tuple[int, ...]
    truth: int
    failures: int = 0
    """Number of power failures so far."""
    is_last: bool = False
    """True if the program that is started after everything runs."""


T = TypeVar("T", bound=Hashable)


class Table(Generic[T]):
    """Numbers of equal values: a number is faster to compare than a disk."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}
        self._values: list[T] = []

    def add(self, value: T) -> int:
        """Return the number of a value."""
        number = self._numbers.setdefault(value, len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return number

    def __getitem__(self, number: int) -> T:
        return self._values[number]


class Scenario(NamedTuple):
    """Disk at the beginning, programs that run at the same time, and the program that is started afterwards."""

    name: str
    disk: Disk
    programs: tuple[Program, ...]
    restart: Program


class Fault:
    """Change of a program, by which it must be shown that the search can fail."""

    def plant(self, calls: Iterator[Call]) -> Iterator[Call]:
        """Return the calls of a program with the fault in them."""
        raise NotImplementedError


class Counterexample(NamedTuple):
    """Violation, and the shortest way to it."""

    scenario: str
    violation: str
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.scenario}: {self.violation}", *[f"  {step}" for step in self.steps]])


class Result(NamedTuple):
    """Result of a search that is complete, or that has found a violation."""

    states: int
    counterexample: Counterexample | None


class Step(NamedTuple):
    """Step from one state to another: a call of a process, its end or kill, a power failure, or the next start."""

    kind: str
    place: int
    """Place of the process in ``State.processes``."""


class Search:
    """Breadth-first search of all states of a scenario."""

    def __init__(
        self, scenario: Scenario, fault: Fault | None = None, *, failures: int = 1, kills: bool = True
    ) -> None:
        self._scenario, self._fault = scenario, fault
        self._failures, self._kills = failures, kills
        self._disks, self._processes, self._truths = Table[Disk](), Table[Process](), Table[Truth]()
        self._calls: dict[int, Call | str | None] = {}
        self._done: dict[tuple[int, int, int], tuple[int, int, int] | None] = {}
        """Disk, process and truth after the next call of a process; ``None`` if it blocks."""
        self._lost: dict[int, list[int]] = {}
        """Disks that a power failure may leave."""
        self._before: dict[State, tuple[Step, State] | None] = {}

    def run(self) -> Result:
        """Search all states, or until something is violated."""
        disk, processes = self._scenario.disk, []
        for number, program in enumerate(self._scenario.programs):
            disk = disk.start(number)
            processes.append(self._processes.add(Process(program, number)))
        first = State(self._disks.add(disk), tuple(processes), self._truths.add(get_truth(disk)))
        self._before[first] = None
        waiting = deque([first])
        while waiting:
            state = waiting.popleft()
            try:
                for step, after in self._iter_steps(state):
                    if after not in self._before:
                        self._before[after] = step, state
                        waiting.append(after)
            except Violation as error:
                return Result(len(self._before), Counterexample(self._scenario.name, str(error), self._explain(state)))
        return Result(len(self._before), None)

    def _iter_steps(self, state: State) -> Iterator[tuple[Step, State]]:
        running = [place for place, number in enumerate(state.processes) if not self._processes[number].state]
        private = [place for place in running if is_private(self._find_call(state.processes[place]))]
        for place in private[:1] or running:
            yield from self._iter_process_steps(state, place)
        if running and state.failures < self._failures:
            for disk in self._lose_power(state.disk):
                yield Step("power", 0), self._start_last(state, disk, state.failures + 1)
        if not running and not state.is_last:
            yield Step("start", 0), self._start_last(state, state.disk, state.failures)
        elif not running:
            check_end(self._disks[state.disk], self._truths[state.truth])

    def _iter_process_steps(self, state: State, place: int) -> Iterator[tuple[Step, State]]:
        number = state.processes[place]
        call = self._find_call(number)
        if isinstance(call, str):
            raise Violation(call)
        if call is None:
            yield Step(ENDED, place), self._end_process(state, place, ENDED)
            return
        key = state.disk, number, state.truth
        if key not in self._done:
            self._done[key] = self._execute(*key, call)
        if done := self._done[key]:
            disk, after, truth = done
            processes = _put(state.processes, place, after)
            yield Step("call", place), State(disk, processes, truth, state.failures, state.is_last)
        if self._kills and not state.is_last and not any(self._is_killed(other) for other in state.processes):
            yield Step(KILLED, place), self._end_process(state, place, KILLED)

    def _is_killed(self, number: int) -> bool:
        return self._processes[number].state == KILLED

    def _execute(self, disk_number: int, number: int, truth_number: int, call: Call) -> tuple[int, int, int] | None:
        disk, process, truth = self._disks[disk_number], self._processes[number], self._truths[truth_number]
        result: Hashable = None
        if call.name == "note":
            truth = note(disk, truth, process, call)
        else:
            done = disk.execute(process.number, len(process.results), call)
            if done is None:
                return None
            disk, result = done
            check_write(disk, process, call)
            if not isinstance(result, Failure):
                truth = add_move(truth, process, call, disk)
        after = process._replace(results=(*process.results, result))
        return self._disks.add(disk), self._processes.add(after), self._truths.add(truth)

    def _end_process(self, state: State, place: int, how: str) -> State:
        process = self._processes[state.processes[place]]
        ended = self._processes.add(Process(process.program, process.number, (), how))
        disk = self._disks.add(self._disks[state.disk].end(process.number))
        return state._replace(disk=disk, processes=_put(state.processes, place, ended))

    def _start_last(self, state: State, disk: int, failures: int) -> State:
        number = self._processes[state.processes[-1]].number + 1
        process = self._processes.add(Process(self._scenario.restart, number))
        return State(self._disks.add(self._disks[disk].start(number)), (process,), state.truth, failures, is_last=True)

    def _lose_power(self, disk: int) -> list[int]:
        if disk not in self._lost:
            self._lost[disk] = [self._disks.add(left) for left in self._disks[disk].lose_power()]
        return self._lost[disk]

    def _find_call(self, number: int) -> Call | str | None:
        """Return the next call of a process, an error that the program reports, or ``None`` at its end."""
        if number not in self._calls:
            self._calls[number] = self._compute_call(self._processes[number])
        return self._calls[number]

    def _compute_call(self, process: Process) -> Call | str | None:
        calls = process.program(model.Process(process.number))
        if self._fault:
            calls = self._fault.plant(calls)
        try:
            call = next(calls)
            for result in process.results:
                call = calls.throw(DiskError(result.error)) if isinstance(result, Failure) else calls.send(result)
        except StopIteration:
            return None
        except DiskError as error:
            return f"program {process.number} reports {error} though the disk works"
        except Damaged:
            return f"program {process.number} finds a damaged journal"
        except Violation as error:
            return str(error)
        return call

    def _explain(self, state: State) -> tuple[str, ...]:
        """Return the steps that lead to a state, in words."""
        steps, before = [], self._before[state]
        while before is not None:
            step, earlier = before
            steps.append(self._describe(step, earlier, state))
            state, before = earlier, self._before[earlier]
        return tuple(reversed(steps))

    def _describe(self, step: Step, before: State, after: State) -> str:
        process = self._processes[before.processes[step.place]]
        if step.kind == "power":
            return f"the power fails; on the disk are {describe(self._disks[after.disk])}"
        if step.kind == "start":
            return "the program is started"
        if step.kind == "call":
            call = self._find_call(before.processes[step.place])
            assert isinstance(call, Call)
            result = self._processes[after.processes[step.place]].results[-1]
            outcome = f": {result.error}" if isinstance(result, Failure) else ": no" if result is False else ""
            return f"program {process.number}: {describe_call(call)}{outcome}"
        return f"program {process.number} {'ends' if step.kind == ENDED else 'is killed'}"


def is_private(call: Call | str | None) -> bool:
    """Return True for a call that no other process can notice or hinder.

    Such a call is made before those of all other processes, since another order leads to the same states.
    """
    if not isinstance(call, Call):
        return False
    if call.name == "note":
        return call.target == "trust" or call.value[0] != "place"
    return call.name in ("write", "flush") and call.path.endswith(".new")


def _put(processes: tuple[int, ...], place: int, process: int) -> tuple[int, ...]:
    return (*processes[:place], process, *processes[place + 1 :])


def get_truth(disk: Disk) -> Truth:
    """Return the facts that users have been told about the files that exist at the beginning."""
    known = set[tuple[str, ...]]()
    places = []
    for path in disk.paths:
        lines = disk.get_lines(path) or ()
        if is_journal(path):
            folder, name = path.split("/")
            known |= {("line", name, line.label) for line in lines if isinstance(line, Line)}
            places.append((-1, name, folder))
        elif lines and isinstance(lines[0], frozenset):
            known |= {("value", path, value) for value in lines[0]}
    return Truth(frozenset(known), tuple(places))


def note(disk: Disk, truth: Truth, process: Process, call: Call) -> Truth:
    """Return the facts that users know after a note, or check those that a program takes from the index."""
    if call.target == "trust":
        check_row(disk, call.value)
        return truth
    acknowledgement = call.value
    if acknowledgement[0] == "place":
        own = [at for at, move in enumerate(truth.places) if move[:2] == (process.number, acknowledgement[1])]
        places = [
            move for at, move in enumerate(truth.places) if move[1] != acknowledgement[1] or not own or at >= own[-1]
        ]
        return truth._replace(places=tuple(places))
    return truth._replace(acknowledged=truth.acknowledged | {acknowledgement})


def add_move(truth: Truth, process: Process, call: Call, disk: Disk) -> Truth:
    """Return the truth after a call that may have moved a session."""
    if call.name not in ("rename", "unlink"):
        return truth
    path = str(call.value if call.name == "rename" else call.target)
    if not is_journal(path):
        return truth
    folder, name = path.split("/")
    if call.name == "unlink":
        folder = next((other for other in SESSION_FOLDERS if f"{other}/{name}" in disk.paths), folder)
    return truth._replace(places=(*truth.places, (process.number, name, folder)))


def check_write(disk: Disk, process: Process, call: Call) -> None:
    """Check that a line that was appended to a journal continues it, and that no other process plays the session."""
    if call.name != "write" or not is_journal(call.path):
        return
    assert isinstance(call.target, File)
    others = [file for file in disk.locks if file.inode == call.target.inode and file.process != process.number]
    lines = dict(disk.contents)[call.target.inode].lines
    with suppress(Damaged):
        if not others and parse(lines) == lines:
            return
    raise Violation("two programs write one session")


def check_row(disk: Disk, row: Row) -> None:
    """Check that the facts in the index are right, if the file has not changed since."""
    lines = disk.get_lines(row.path)
    if lines is not None and disk.get_status(row.path) == row.status and parse(lines) != row.facts:
        raise Violation(f"the index is wrong about {row.path}")


def check_end(disk: Disk, truth: Truth) -> None:
    """Check what must hold when a program has been started and has ended, after everything that happened before."""
    left = [path for path in disk.paths if path.endswith(".new")]
    if left:
        raise Violation(f"temporary files are left: {', '.join(left)}")
    names = {entry[1] for entry in truth.acknowledged if entry[0] == "line"} | {name for _, name, _ in truth.places}
    names |= {path.split("/")[1] for path in disk.paths if is_journal(path)}
    for name in sorted(names):
        check_session(disk, truth, name)
    for _, path, value in [entry for entry in truth.acknowledged if entry[0] == "value"]:
        lines = disk.get_lines(path) or ()
        if [isinstance(line, frozenset) for line in lines] != [True]:
            raise Violation(f"{path} is half a file")
        if value not in lines[0] and (value != PERSON or path != PROFILES):
            raise Violation(f"{path} has lost {value}, which was saved")
    for path in disk.paths:
        lines = disk.get_lines(path) or ()
        if ("erased", PERSON) in truth.acknowledged and any(map(names_person, lines)):
            raise Violation(f"{path} names an erased person")
        if path == INDEX:
            for row in lines:
                if isinstance(row, Row):
                    check_row(disk, row)


def check_session(disk: Disk, truth: Truth, name: str) -> None:
    """Check that a session is in one folder, the right one, with every acknowledged line once."""
    paths = [f"{folder}/{name}" for folder in SESSION_FOLDERS if f"{folder}/{name}" in disk.paths]
    acknowledged_lines = {entry[2] for entry in truth.acknowledged if entry[:2] == ("line", name)}
    if len(paths) != 1:
        if acknowledged_lines or paths:
            raise Violation(f"session {name} is in {len(paths)} folders" if paths else f"session {name} is lost")
        return
    try:
        lines = parse(disk.get_lines(paths[0]) or ())
    except Damaged:
        raise Violation(f"{paths[0]} is damaged: {describe_lines(disk.get_lines(paths[0]) or ())}") from None
    labels = [line.label.replace(PERSON, "Erased") for line in lines]
    lost = {label.replace(PERSON, "Erased") for label in acknowledged_lines} - set(labels)
    if lost:
        raise Violation(f"acknowledged lines are lost: {', '.join(sorted(lost))}")
    if len(set(labels)) < len(labels):
        raise Violation(f"a line is doubled: {', '.join(labels)}")
    folders = {folder for _, moved, folder in truth.places if moved == name}
    folder = get_parent(paths[0])
    if folders and folder not in folders:
        raise Violation(f"session {name} is in {folder} again")
    if is_over(lines) and folder != "archive":
        raise Violation(f"session {name} is over, but not in the archive")


def describe_call(call: Call) -> str:
    """Return a call in one line, with its function."""
    if call.name == "note":
        return f"{call.target} {' '.join(map(str, call.value)) if call.target == 'acknowledge' else ''}".strip()
    value = call.value
    more = describe_lines(value) if call.name == "write" else "" if value is None else f"-> {value}"
    return f"{call.name} {call.path} {more}".strip() + f" ({call.function})"


def describe(disk: Disk) -> str:
    """Return the files of a disk with their lines."""
    files = [path for path in disk.paths if disk.paths[path] != FOLDER]
    return "; ".join(f"{path}: {describe_lines(disk.get_lines(path) or ())}" for path in files) or "no files"


def describe_lines(lines: Iterable[Hashable]) -> str:
    texts = [str(getattr(line, "label", getattr(line, "path", line))) for line in lines]
    return f"[{', '.join(texts)}]"
