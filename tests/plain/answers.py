"""Output of plain text, part by part."""


def split_prompts(result):
    """Split the output at its prompts."""
    return result.out.split("> \n")


def split_answers(result):
    """Return the lines printed after each typed line."""
    return [part.splitlines() for part in split_prompts(result)[1:]]
