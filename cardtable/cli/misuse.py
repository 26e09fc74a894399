"""What is wrong with a command line, in the words of this program instead of those of the library that reads it."""

import click


def in_words(error: click.ClickException) -> str:
    """Return in a line what is wrong, and what to do."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "cardtable"
    more = f"{command} --help tells what it takes"
    match error:
        case click.MissingParameter(param=click.Parameter() as param):
            return _missing(param, context, more)
        case click.BadParameter(param=click.Parameter() as param):
            return f"{_name(param)}: {_sentence_part(error.message)}; {more}"
        case click.NoSuchOption():
            like = f"; did you mean {' or '.join(error.possibilities)}?" if error.possibilities else f"; {more}"
            return f"{command} has no option {error.option_name}{like}"
        case click.BadOptionUsage() if "does not take a value" in error.message:
            return f"{error.option_name} takes no value; {more}"
        case click.BadOptionUsage():
            return f"{error.option_name} needs a value; {more}"
        case click.UsageError() if context and "unexpected extra" in error.message:
            return f"too many words: {error.message.partition('(')[2].rstrip(')')}; {more}"
        case _:
            return error.format_message()


def _missing(param: click.Parameter, context: click.Context | None, more: str) -> str:
    choices = param.type.get_missing_message(param, context)
    values = f"; {_sentence_part(' '.join(choices.split()))}" if choices else f"; {more}"
    return f"{_name(param)} is missing{values}"


def _name(param: click.Parameter) -> str:
    """Return the name of an option or argument."""
    return (
        max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name.upper().rstrip(".")
    )


def _sentence_part(text: str) -> str:
    """Return a sentence as it stands within another one."""
    return text[:1].lower() + text[1:].rstrip(".")
