"""Faults to plant in the model, so that it can be shown that the search finds them."""

from collections.abc import Callable, Hashable, Iterator

from tests.lab.store_model.disk import Call, DiskError, File
from tests.lab.store_model.search import Fault


class Calls:
    """Calls of a program, one after another, which a fault passes on or answers itself."""

    def __init__(self, calls):
        self._calls = calls
        self.next = next(calls, None)
        """Next call, or ``None`` at the end of the program."""

    def answer(self, result):
        """Answer the next call."""
        try:
            self.next = self._calls.send(result)
        except StopIteration:
            self.next = None

    def make(self):
        """Make the next call."""
        try:
            result = yield self.next
        except DiskError as error:
            try:
                self.next = self._calls.throw(error)
            except StopIteration:
                self.next = None
        else:
            self.answer(result)


def matches(call: Call, function: str, name: str) -> bool:
    return (call.function, call.name) == (function, name)


class Omission(Fault):
    """The calls of a name in a function are left out, as if they had the result ``result``.

    If ``result`` is a function, its argument is the file that the program has locked last.
    """

    def __init__(self, function: str, name: str, result: Hashable | Callable[[File], Hashable] = None) -> None:
        self._function, self._name, self._result = function, name, result

    def plant(self, calls: Iterator[Call]) -> Iterator[Call]:
        locked = None
        pending = Calls(calls)
        while pending.next:
            if pending.next.name == "lock":
                locked = pending.next.target
            if matches(pending.next, self._function, self._name):
                pending.answer(self._result(locked) if callable(self._result) else self._result)
            else:
                yield from pending.make()


class Delay(Fault):
    """The calls of some names in a function are made after the next call named ``until`` only."""

    def __init__(self, function: str, *names: str, until: str) -> None:
        self._function, self._names, self._until = function, names, until

    def plant(self, calls: Iterator[Call]) -> Iterator[Call]:
        delayed: list[Call] = []
        pending = Calls(calls)
        while pending.next:
            if any(matches(pending.next, self._function, name) for name in self._names):
                delayed.append(pending.next)
                pending.answer(None)
                continue
            is_time = pending.next.name == self._until
            yield from pending.make()
            while is_time and delayed:
                yield delayed.pop(0)


class EarlyUnlock(Fault):
    """The lock that was taken last is released before the next call of a name."""

    def __init__(self, before: str) -> None:
        self._before = before

    def plant(self, calls: Iterator[Call]) -> Iterator[Call]:
        locked = None
        pending = Calls(calls)
        while pending.next:
            if pending.next.name == "lock":
                locked = pending.next.target
            elif pending.next.name == self._before and locked:
                yield Call("planted", "unlock", locked)
                locked = None
            yield from pending.make()
