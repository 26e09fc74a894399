"""Results of commands, whose failure no test overlooks."""

from cardtable.cli import main as cli
from tests.cli.playing import parse_error


class CommandResult:
    """Exit code and both outputs of a command."""

    def __init__(self, arguments, code, out, err):
        self.out, self._arguments, self._code, self._err = out, arguments, code, err
        self.is_expected = not code
        """False if the command has failed, and the test has looked neither at the code nor at the errors."""

    @property
    def code(self):
        self.is_expected = True
        return self._code

    @property
    def err(self):
        self.is_expected = True
        return self._err

    @property
    def lines(self):
        """Printed lines."""
        return self.out.splitlines()

    def read_error(self, code, *, prints=False):
        """Check the exit code and that one line of error came, beside something else if ``prints``; return its text."""
        assert (self.code, bool(self.out)) == (code, prints), self.err
        return parse_error(self.err)

    def read_output(self):
        """Check that the command has succeeded without an error; return what it printed."""
        assert (self.code, self.err) == (0, "")
        return self.out

    def __repr__(self):
        return f"{' '.join(self._arguments)}: exit code {self._code}, {self._err}"


class CommandRunner:
    """Runs commands in this process, and fails if one of them fails unnoticed."""

    def __init__(self, capfd):
        self._capfd, self._results = capfd, []

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        assert [result for result in self._results if not result.is_expected] == []

    def run(self, *arguments, may_fail=False):
        """Run a command line as the program does; ``may_fail`` if the test looks at its output alone."""
        words = [str(argument) for argument in arguments]
        code = cli.run(words)
        result = CommandResult(words, code, *self._capfd.readouterr())
        result.is_expected |= may_fail
        self._results.append(result)
        return result
