"""How a command ends when it has no answer: an exception for each of the program's exit statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._record import Record


class HalmaError(Exception):
    """The program failed (exit status 1), or cannot be run at all. The others are kinds of it."""


class InputError(HalmaError, ValueError):
    """The job or an option is wrong, or a file is another version's (exit status 2).

    The message has the place, what was found, and what is allowed.
    """


class NotFinished(HalmaError):
    """The search ended before it had an answer (exit status 3): a limit, a signal, a full disk.

    It says nothing about solutions but what ``record.refuted_up_to`` says.
    """

    #: What is known so far, where the program could still say it.
    record: Record | None

    def __init__(self, message: str, record: Record | None = None) -> None:
        super().__init__(message)
        self.record = record


class DamagedError(HalmaError):
    """A record or a file of a run is damaged, or does not hold (exit status 4)."""
