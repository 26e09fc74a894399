"""Duplicate matches of robots: how far one level is ahead of another."""

import json
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from typing import Any

import click

from cardtable.cli import program
from cardtable.robots import arena, arena_workers
from cardtable.robots.arena import Match, Outcome, Result


def run(matches: Sequence[Match], workers: int, *, as_json: bool) -> int:
    """Play the matches and print what came of each; the exit code.

    Stopped by Ctrl+C it prints what is done of the present one.
    """
    for match in matches:
        outcomes, stopped = _played(match, workers)
        result = arena.result(outcomes)
        click.echo(json.dumps(_facts(match, result)) if as_json else _line(match, result))
        if stopped:
            unit = "sessions" if match.whole else "deals"
            return program.complain(f"stopped after {result.deals} of {match.deals} {unit}", program.INTERRUPTED)
    return 0


def _played(match: Match, workers: int) -> tuple[list[Outcome], bool]:
    """What was played, and whether it was stopped before the end."""
    outcomes: list[Outcome] = []
    try:
        with _bar(match) as bar, closing(arena_workers.played(match, workers)) as coming:  # type: ignore[type-var]
            for outcome in coming:
                outcomes.append(outcome)
                if bar is not None:
                    bar.update(1)
    except KeyboardInterrupt:
        return outcomes, True
    return outcomes, False


def _bar(match: Match) -> Any:
    """A progress bar as wide as the terminal, where a person sees it; who plays would not fit beside it."""
    if not program.progress_is_seen():
        return nullcontext()
    label = f"{match.game} {match.contract}".rstrip()
    return click.progressbar(length=match.deals, label=label, width=0, file=sys.stderr)


def _heading(match: Match) -> str:
    others = match.seats - 1
    against = f"{others} {match.b}" if match.field == match.b else f"{match.b} among {others - 1} {match.field}"
    return " ".join(filter(None, (match.game, match.contract, match.a, "against", against)))


def _line(match: Match, result: Result) -> str:
    """A result for people."""
    unit = "session" if match.whole else "deal"
    told = [f"{_heading(match)}: {result.deals} {unit}{'s' * (result.deals != 1)}"]
    if result.mean is not None:
        error = "" if result.error is None else f" ± {result.error:.2f}"
        told.append(f"{result.mean:+.2f}{error} points a round")
        told.append(f"own {result.own:+.2f}")
    if result.wins is not None:
        told.append(f"first in {result.wins:.1%}")
    if result.exact is not None:
        told.append("exact bids {:.1%} to {:.1%}".format(*result.exact))
    if result.ms_mean is not None:
        told.append(f"{result.ms_mean:.2f} ms a decision, {result.ms_max:.1f} at most")
    return ", ".join(told)


def _facts(match: Match, result: Result) -> dict[str, Any]:
    """A result for programs."""
    return {
        "game": match.game,
        **({"contract": match.contract} if match.contract else {}),
        "a": match.a,
        "b": match.b,
        "deals": result.deals,
        "mean": _rounded(result.mean),
        "se": _rounded(result.error),
        "wins": _rounded(result.wins),
        "exact": None if result.exact is None else [_rounded(share) for share in result.exact],
        "ms_mean": _rounded(result.ms_mean),
        "ms_max": _rounded(result.ms_max),
    }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 4)
