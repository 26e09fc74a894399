"""Questions to the player, each of which is a screen whose answer is awaited.

Textual runs an action or a handler in the message pump of its page or app. A handler that waited for a screen to be
closed would stop that pump: no timers, no new size, no keys. So ``run_with_questions`` runs it up to a question, opens
the question and returns; Textual's callback with the answer goes on in the same pump. Only while a question is open are
other messages handled. A worker would let them in between an answer and its effect, and end with its page.
"""

from collections.abc import Callable, Coroutine, Generator
from functools import partial
from types import coroutine
from typing import Any, ParamSpec, TypeVar

from textual.app import App
from textual.screen import Screen

P = ParamSpec("P")
Answer = TypeVar("Answer")


@coroutine
def ask(question: Screen[Answer]) -> Generator[Screen[Answer], Answer | None, Answer | None]:
    """Open a screen, and return its result; only in coroutines that ``run_with_questions`` runs, not in their tasks.

    If the screen is closed without a result, the coroutine ends here: nothing but its ``finally`` blocks is run.
    """
    return (yield question)


async def run_with_questions(
    app: App[Any], function: Callable[P, Coroutine[Any, Any, object]], *args: P.args, **kwargs: P.kwargs
) -> None:
    """Run a coroutine function that may ``ask``; return once it has ended or its first question is open."""
    await _proceed(app, function(*args, **kwargs), None)


async def _proceed(app: App[Any], work: Coroutine[Any, Any, object], answer: object) -> None:
    question = await _run_to_question(work, answer)
    if question is not None:
        app.push_screen(question, partial(_proceed, app, work))


@coroutine
def _run_to_question(work: Coroutine[Any, Any, object], answer: object) -> Generator[Any, Any, Screen[Any] | None]:
    """Go on with ``work``, and return its next question, or ``None`` if it has ended.

    Whatever else it awaits is passed on to the event loop.
    """
    try:
        awaited = work.send(answer)
        while not isinstance(awaited, Screen):
            try:
                result = yield awaited
            except BaseException as error:
                awaited = work.throw(error)
            else:
                awaited = work.send(result)
    except StopIteration:
        return None
    return awaited
