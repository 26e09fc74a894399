"""Rules page of a game, on which the options in force can be marked."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cardtable.engine.errors import GameFailed
from cardtable.engine.options import Choice, Options, Value, list_choices
from cardtable.engine.text_format import format_count, sanitize
from cardtable.games import ABOUT, GAMES, KEYS, format_plugin_name, import_rules
from cardtable.store import paths
from cardtable.store.errors import format_os_error
from cardtable.wording.formatting import read_docstring

_SECTION: Final = re.compile(r"## ")
_OPTIONS: Final = re.compile(r"## Options\b")
_OPTION: Final = re.compile(r"`(\w+)` - ")
_MINUTES: Final = re.compile(r"a number of minutes(, such as `\d+`)?")
_VALUE: Final = re.compile(rf"- (?:{_MINUTES.pattern}|(?:[^`:]+ \()?`([^`]+)`)")
_UNSUPPORTED: Final = re.compile(r"^ {0,3}(\||>|```|~~~|---|===)|\]\(|<\w|(?<!\w)_\w|T[♣♦♥♠]")
"""What the page would show raw: tables, quotations, fences, rules, links, tags, underscores; and a ten as in ``T♦``."""
_MAX_LINES: Final = 2000
_MAX_LINE_LENGTH: Final = 2000
_IN_FORCE_MARK: Final = "+"
_OTHER_MARK: Final = "*"
"""List marks that replace the hyphen before values in force, and before all other values."""


def read_rules(key: str) -> str:
    """Return the rules page of a game in Markdown.

    A game without a page has the docstring of its rules module instead, or else its summary. A page without a section
    on options gets one. Raises ``GameFailed`` if the page of another package cannot be read.
    """
    if key in KEYS and paths.rules_file(key).is_file():
        return paths.rules_file(key).read_text(encoding="utf-8")
    rules = import_rules(key)
    if rules.__package__ and key not in KEYS:  # a game in a single file has no package
        page = paths.get_shipped_path("rules.md", package=rules.__package__)
        if page.is_file():
            return _complete_page(key, _read_page(key, page))
    return _complete_page(key, f"# {ABOUT[key].title}\n\n{read_docstring(rules) or ABOUT[key].summary}\n")


def _read_page(key: str, page: Path) -> str:
    try:
        return page.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = format_os_error(error) if isinstance(error, OSError) else "it is not UTF-8"
        raise GameFailed(f"{format_plugin_name(key)} has failed: rules.md cannot be read: {reason}") from None


def _complete_page(key: str, text: str) -> str:
    """Return the text of another package with its options, and with as many and as long lines as a page can have."""
    if not re.search(rf"^{_OPTIONS.pattern}", text, re.MULTILINE):
        text = "\n".join([text, "## Options", *map(_describe_option, list_choices(GAMES[key].options))])
    lines = text.expandtabs().split("\n", _MAX_LINES)[:_MAX_LINES]
    return "\n".join([sanitize(line.rstrip("\r"), _MAX_LINE_LENGTH) for line in lines])


def _describe_option(option: Choice) -> str:
    """Return the lines on an option in the section on options."""
    marks = {option.default: ", default"}
    values = [f"{label} (`{value}`{marks.get(value, '')})" for value, label in option.values.items()]
    minutes = ["a number of minutes, such as `10`"] if option.minutes else []
    return "\n- ".join([f"\n`{option.name}` - {option.meaning}\n", *values, *minutes])


def find_unsupported_markup(page: str) -> str | None:
    """Return the first line of a page with markup that is shown as it is written; ``None`` if there is none."""
    return next((line for line in page.splitlines() if _UNSUPPORTED.search(line)), None)


def format_other_rules(options_type: type[Options], values: Mapping[str, Value], usual: Mapping[str, Value]) -> str:
    """List the house rules that differ from ``usual``, such as ``length (16 rounds), bonuses (not counted)``."""
    other = [rule for rule in list_choices(options_type) if values.get(rule.name, rule.default) != usual[rule.name]]
    return ", ".join([f"{rule.label.lower()} ({rule.format_value(values[rule.name])})" for rule in other])


def read_glossary() -> str:
    return paths.get_shipped_path("wording", "glossary.md").read_text(encoding="utf-8")


def mark_options(page: str, options: Options) -> str:
    """Mark the values in force in the section on options of a rules page.

    Their list mark becomes ``+``, and the mark of all other values ``*``. The section names each option at the start of
    a line, as `` `name` - description``, and lists its values below, as `` `value` `` or ``label (`value`)``; one of
    them may be ``a number of minutes``.
    """
    values = options.to_dict()
    lines, in_section, name = [], False, ""
    for line in page.split("\n"):
        if _SECTION.match(line):
            in_section, name = bool(_OPTIONS.match(line)), ""
        elif in_section and (option := _OPTION.match(line)):
            name = option[1]
        elif name in values and (value := _VALUE.match(line)):
            lines.append(_mark_value(line, value[2], values[name]))
            continue
        lines.append(line)
    return "\n".join(lines)


def _mark_value(line: str, value_text: str | None, value: Value) -> str:
    """Return a line of the list with its mark.

    ``value_text`` is the value that the line describes, or ``None`` for a number of minutes. If a number of minutes is
    in force, it replaces the words.
    """
    if value_text is None and isinstance(value, int):
        return _IN_FORCE_MARK + _MINUTES.sub(f"**{format_count(value, 'minute')}**", line[1:], count=1)
    return (_IN_FORCE_MARK if value_text == str(value) else _OTHER_MARK) + line[1:]
