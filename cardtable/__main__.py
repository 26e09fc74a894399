"""Where the program starts.

``--version`` is answered before anything else is imported, and the picker opens without the
reader of arguments, so that neither waits for what it does not need.
"""

import os
import sys

from cardtable import __version__


def main() -> int:
    """Run the command line of this process; the exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"] and _version_told():
        return 0
    if arguments or "_CARDTABLE_COMPLETE" in os.environ:
        from cardtable.cli.main import run

        return run(arguments)
    from cardtable.cli.launch import ended, open_screen

    return ended(open_screen)


def _version_told() -> bool:
    """Tell the version; where that fails the reader of arguments tries again, and says why not."""
    try:
        print(f"cardtable {__version__}", flush=True)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
