"""Where the program starts.  ``--version`` is answered before anything else is imported."""

import sys

from cardtable import __version__


def main() -> int:
    """Run the command line of this process; the exit code."""
    if sys.argv[1:] == ["--version"]:
        print(f"cardtable {__version__}")
        return 0
    from cardtable.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
