"""Clocks, as people read them."""


def minutes(seconds: float | None) -> str:
    """Time on a clock: ``9:05``; nothing where there is none."""
    return "" if seconds is None else "{}:{:02}".format(*divmod(max(int(seconds), 0), 60))


def run_out(seconds: float | None) -> bool:
    """Whether there is a clock, and no time on it any more."""
    return seconds is not None and seconds <= 0
