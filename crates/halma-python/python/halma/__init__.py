"""Searches board puzzles exhaustively and proves what the shortest solution is.

>>> import halma
>>> record = halma.solve({"problem": {"kind": "transfer", "moves": 4, "board": "SS..TT"}})
>>> record.verdict, record.length, record.refuted_up_to
('optimal', 4, 3)

A job is a path, TOML, or a mapping that says the same. What is found is a :class:`Record`, which a notebook shows as a page with
a player. A search that did not finish raises :class:`NotFinished`; it never says that there is no solution.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from ._errors import DamagedError, HalmaError, InputError, NotFinished
from ._job import Job
from ._program import Event, program
from ._record import Counts, Level, Record, Run, Verdict
from ._search import Options, check, count, levels, load, prove, resume, solve

try:
    __version__ = version("halma")
except PackageNotFoundError:
    # Beside its sources, not installed.
    __version__ = "0"

__all__ = [
    "Counts",
    "DamagedError",
    "Event",
    "HalmaError",
    "InputError",
    "Job",
    "Level",
    "NotFinished",
    "Options",
    "Record",
    "Run",
    "Verdict",
    "check",
    "count",
    "levels",
    "load",
    "program",
    "prove",
    "resume",
    "solve",
]
