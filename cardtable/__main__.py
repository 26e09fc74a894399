"""Entry point of the program.

``--version`` is answered before any other import, and the picker opens without importing the argument parser, for a
fast start.
"""

import os
import sys

from cardtable import __version__


def main() -> int:
    """Run the program with the arguments of this process, and return the exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"] and _print_version():
        return 0
    if arguments or "_CARDTABLE_COMPLETE" in os.environ:
        from cardtable.cli.main import run

        return run(arguments)
    from cardtable.cli.launch import open_screen, run_command

    return run_command(open_screen)


def _print_version() -> bool:
    """Print the version. Return False if the output fails, so that the argument parser can report the error."""
    try:
        print(f"cardtable {__version__}", flush=True)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
