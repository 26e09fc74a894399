"""Bursts of keys, pastes and clicks that arrive at once, as over a slow connection."""

from collections.abc import Iterator, Sequence
from random import Random

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

from cardtable.ui.keys.keymap import DEFAULT_KEYS

LETTERS = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789?/.,=+-|#\"' äŁ牌"
PASTED_TEXTS = ("Anna", "17", "a b\tc\n\nd", "x" * 3000, "\x1b[31mred\x07", "[bold]牌[/]", "~/nowhere", "")
_NAMED_KEYS = sorted({key for keys in DEFAULT_KEYS.values() for key in keys.split() if len(key) > 1})
"""Named keys of all screens."""
_EXTRA_KEYS = (
    *("insert", "ctrl+home", "ctrl+end", "ctrl+left", "shift+tab"),
    *("ctrl+c", "ctrl+a", "ctrl+k", "ctrl+w", "f4"),
)
_QUIT_KEYS = frozenset({"ctrl+q", "ctrl+c"})
"""Keys that end the program."""
SINGLE_KEYS = (
    *("pagedown", "pageup", "end", "home", "down", "up"),
    *("left", "right", "tab", "enter", "escape", "backspace"),
)
"""Keys that are sent alone before the random bursts."""


def key_event(name: str) -> events.Key:
    """Return the event of a key, given by its name or as the character typed."""
    return events.Key(name, name) if len(name) == 1 else events.Key(name, " " if name == "space" else None)


def click_events(x: int, y: int, times: int = 1, button: int = 1) -> Iterator[Message]:
    """Yield press and release of a mouse button, `times` times."""
    for _ in range(times):
        for kind in (events.MouseDown, events.MouseUp):
            yield kind(None, x, y, 0, 0, button, False, False, False, x, y)


def random_burst(number: int, rng: Random, size: tuple[int, int]) -> Iterator[Message]:
    """Yield one burst: a single key for the first numbers, then random keys, pastes, clicks and wheel steps."""
    if number < len(SINGLE_KEYS):
        yield key_event(SINGLE_KEYS[number])
        return
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8, 13))):
        chance, x, y = rng.random(), rng.randrange(size[0]), rng.randrange(size[1])
        if chance < 0.5:
            yield key_event(rng.choice([name for name in (*_NAMED_KEYS, *_EXTRA_KEYS) if name not in _QUIT_KEYS]))
        elif chance < 0.7:
            yield key_event(rng.choice(LETTERS))
        elif chance < 0.8:
            yield events.Paste(rng.choice(PASTED_TEXTS))
        elif chance < 0.93:
            yield from click_events(x, y, rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 1, 2, 3)))
        else:
            kind = rng.choice((events.MouseScrollDown, events.MouseScrollUp))
            yield from (kind(None, x, y, 0, 0, 0, False, False, False, x, y) for _ in range(rng.randint(1, 9)))


def get_driver(app: App) -> Driver:
    """Return the terminal driver of a running app."""
    driver = app._driver
    assert driver is not None
    return driver


def send(app: App, messages: Sequence[Message]) -> None:
    """Deliver all messages to the app at once, as its terminal driver does."""
    driver = get_driver(app)
    for message in messages:
        driver.process_message(message)


def resize_window(app: App, size: Size) -> None:
    """Change the size of the window, as the terminal reports it."""
    get_driver(app)._size = size
    send(app, [events.Resize(size, size)])
