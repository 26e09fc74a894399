"""What a session waits for next: frozen values that who sits at it answers, each as it says.

They tell nothing that is hidden, so that any front end may have them.
"""

from typing import TypeAlias

import msgspec

from cardtable.engine.contract import Seat


class GoesOn(msgspec.Struct, frozen=True):
    """For nobody: there is something to deal, a choice without a word in it, or the end to write; ``go_on``."""


class RoundEnded(msgspec.Struct, frozen=True):
    """For those who look at the points of a round; ``go_on`` deals the next one."""


class RobotToChoose(msgspec.Struct, frozen=True):
    """For a robot: ``play`` what it answers to ``request``."""

    seat: Seat


class ToKeyboard(msgspec.Struct, frozen=True):
    """For a person to come to the keyboard before her hand is shown; ``sit_down``."""

    seat: Seat
    password: str = ""
    """The nick whose password has to be given first, by ``give``, if there is one."""


class PersonToChoose(msgspec.Struct, frozen=True):
    """For a person: ``play`` what she chooses, or ``take_back``, ``play_out``, or ``time_over``."""

    seat: Seat


class Elsewhere(msgspec.Struct, frozen=True):
    """For what another program writes, who plays the session: ``read_on``, and where there are lines ``take`` each."""

    lines: int
    """How many were read and have still to be taken."""


class Ended(msgspec.Struct, frozen=True):
    """For nothing any more: the session is over."""


Wants: TypeAlias = GoesOn | RoundEnded | RobotToChoose | ToKeyboard | PersonToChoose | Elsewhere | Ended
