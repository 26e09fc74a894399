"""Lines of journals by their kind, and talk that might pass for a mark."""

from cardtable.engine.journal import SENTENCES

_WRAPPINGS = ["{}", " {} ", "{}\n", "x\n{}", "\u202e{}", "{}\u200b", "****: {}", 'x","at":0}}\n{{"say":"{}"']
HOSTILE_TALK = [wrapping.format(text) for text in SENTENCES.values() for wrapping in _WRAPPINGS] + [
    line.format(mark) for mark in SENTENCES for line in ('{{"mark":"{}"}}', '"}}\n{{"mark":"{}"', "{}")
]
"""Texts that a person may type to state a mark, or what looks like one."""


def select_lines(kind, lines):
    """Return the lines of a class; `lines` are a journal, its entries, or lines."""
    lines = [getattr(each, "line", each) for each in getattr(lines, "entries", lines)]
    return [line for line in lines if isinstance(line, kind)]
