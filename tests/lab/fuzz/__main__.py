"""Fuzzes a reader, guided by the lines of the program that an input reaches.

What was found is in ``build/fuzz/READER``, from which the next run goes on. An input for which the reader fails is
stored as ``build/fuzz/READER-crash-...``, and is read again by ``python -m tests.lab.fuzz READER FILE``.
"""

import argparse
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

READERS_MODULE = "tests.lab.fuzz.readers"
"""Module that is imported late: the fuzzer follows only what is imported after it."""
FOLDER = Path(__file__).parents[3] / "build" / "fuzz"
MISSING_ATHERIS = "atheris is missing, which exists for Linux: .venv/bin/python -m pip install --editable '.[dev,fuzz]'"
CANNOT_RUN = 3
"""Exit code if the fuzzer is not installed."""
SLOWEST = 20
"""Seconds after which an input counts as a failure."""


def main() -> int:
    """Parse the arguments and fuzz; the fuzzer ends the process itself."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("reader", choices=("journals", "profiles", "frames", "settings"))
    parser.add_argument("file", nargs="?", type=Path, help="read this file instead")
    parser.add_argument("--seconds", type=int, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["CARDTABLE_HOME"] = home
        if chosen.file:
            import_module(READERS_MODULE).READERS[chosen.reader].read(chosen.file.read_bytes())
            return 0
        try:
            atheris = import_module("atheris")
        except ImportError:
            print(MISSING_ATHERIS)
            return CANNOT_RUN
        with atheris.instrument_imports(include=["cardtable"]):
            readers = import_module(READERS_MODULE)
        reader, folder = readers.READERS[chosen.reader], FOLDER / chosen.reader
        write_seeds(folder, reader.make_seeds())
        tokens = readers.write_tokens(FOLDER / "tokens.dict")
        atheris.Setup([sys.argv[0], *build_options(chosen.reader, chosen.seconds, folder, tokens)], reader.read)
        atheris.Fuzz()
    return 0


def build_options(name: str, seconds: int, folder: Path, tokens: Path) -> list[str]:
    """Return the arguments of libFuzzer."""
    return [
        f"-max_total_time={seconds}",
        f"-timeout={SLOWEST}",
        f"-dict={tokens}",
        f"-artifact_prefix={FOLDER / name}-",
        "-print_final_stats=0",
        str(folder),
    ]


def write_seeds(folder: Path, seeds: list[bytes]) -> None:
    """Write the inputs that a reader begins with beside those that were found."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number}").write_bytes(seed)


if __name__ == "__main__":
    sys.exit(main())
