"""Lines of journals by their kind."""


def select_lines(kind, lines):
    """Return the lines of a class; `lines` are a journal, its entries, or lines."""
    lines = [getattr(each, "line", each) for each in getattr(lines, "entries", lines)]
    return [line for line in lines if isinstance(line, kind)]
