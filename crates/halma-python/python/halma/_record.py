"""Records: what was asked, what was found, and what the answer rests on."""

from __future__ import annotations

import copy
import html
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from ._errors import DamagedError, InputError
from ._program import text_of

#: The version of the document that this module reads.
FORMAT = 1

#: ``incomplete`` is an answer of its own, and never ``none``.
Verdict = Literal["optimal", "none", "solution", "levels", "counted", "incomplete"]

_VERDICTS = ("optimal", "none", "solution", "levels", "counted", "incomplete")


@dataclass(frozen=True)
class Level:
    """The new states after so many moves; ``generated == pruned + duplicates + old + states``."""

    depth: int
    #: ``forward``, ``backward``, ``leading``, ``following`` or ``trailing``.
    side: str
    states: int
    generated: int
    pruned: int
    duplicates: int
    old: int
    #: The sum of all states' mixes, 32 hex digits: two programs that found the same states agree in it.
    digest: str
    seconds: float | None


@dataclass(frozen=True)
class Run:
    """The search for one length."""

    length: int
    verdict: Verdict
    seconds: float
    generated: int
    largest_level: int
    self_consistent: bool
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Counts:
    """How many shortest solutions there are; ``None`` where it makes no sense for the problem."""

    #: Sequences of moves.
    sequences: int
    #: Those that a symmetry exchanges counted once.
    up_to_symmetry: int
    up_to_reversal: int | None
    palindromic: int | None
    palindromic_up_to_symmetry: int | None
    final_positions: int | None
    final_up_to_symmetry: int | None
    #: Of a puzzle: by the number of moves made, how many positions some shortest solution has then.
    positions: tuple[int, ...] | None


class Record:
    """The answer to one question, as the program wrote it. A notebook shows its page: a player, plots, tables."""

    #: The file, where the record has one.
    path: Path | None
    #: What was asked: ``solve``, ``prove``, ``count`` or ``levels``.
    question: str
    verdict: Verdict
    #: The length of the solution.
    length: int | None
    #: No solution has so many moves or fewer.
    refuted_up_to: int | None
    #: Below it a bound refutes every length without a search.
    lower_bound: int | None
    #: Whether there is no solution of any length.
    exhausted: bool
    #: Why there is no answer, where the verdict is ``incomplete``.
    reason: str | None
    #: The moves, each chain with all its landings.
    solution: tuple[str, ...] | None
    #: Of a puzzle: more solutions of the same length, where they were asked for.
    more_solutions: tuple[tuple[str, ...], ...]
    #: ``levels`` to the end: some of the farthest states, as text.
    farthest: tuple[str, ...]
    counts: Counts | None
    #: One for each length tried, in the order tried.
    runs: tuple[Run, ...]
    seconds: float

    def __init__(self, text: str, path: Path | None = None) -> None:
        """Reads the text of a record; :func:`halma.load` reads a file."""
        self.path = path
        self._text = text
        self._page: str | None = None
        name = str(path) if path is not None else "the record"
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"{name}: no record: {error}") from error
        if not isinstance(document, dict) or "format" not in document:
            raise DamagedError(f"{name}: no record: it has no format")
        if document["format"] != FORMAT:
            found = f"a record of format {document['format']}, this version reads format {FORMAT}"
            raise InputError(f"{name}: {found}; read it with the version that wrote it, or search again")
        self._document: dict[str, Any] = document
        try:
            self._read(document)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedError(f"{name}: a field is missing or makes no sense: {error!r}") from error

    def _read(self, document: Mapping[str, Any]) -> None:
        if not isinstance(document["problem"], dict):
            raise TypeError("problem")
        self.question = _typed(document["question"], str)
        self.verdict = _verdict(document["verdict"])
        self.length = _number(document["length"])
        self.refuted_up_to = _number(document["refuted_up_to"])
        self.lower_bound = _number(document.get("lower_bound"))
        self.exhausted = _typed(document.get("exhausted", False), bool)
        reason = document.get("reason")
        self.reason = None if reason is None else _typed(reason, str)
        moves = document["solution"]
        self.solution = None if moves is None else _texts(moves)
        self.more_solutions = tuple(map(_texts, _typed(document.get("more_solutions", []), list)))
        self.farthest = _texts(document.get("farthest", []))
        counts = document["counts"]
        self.counts = None if counts is None else _counts(counts)
        self.runs = tuple(map(_run, _typed(document["runs"], list)))
        self.seconds = float(document["seconds"])

    @property
    def problem(self) -> dict[str, Any]:
        """The problem, with the names that jobs have."""
        return cast("dict[str, Any]", copy.deepcopy(self._document["problem"]))

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of all lengths that were tried, in order."""
        return tuple(level for run in self.runs for level in run.levels)

    def to_dict(self) -> dict[str, Any]:
        """The whole document. Numbers too large for a double are texts of digits."""
        return copy.deepcopy(self._document)

    def to_json(self) -> str:
        """The document as the program wrote it."""
        return self._text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the record, for :func:`halma.load` and the command line."""
        Path(path).write_text(self._text, encoding="utf-8")

    def html(self) -> str:
        """The page of ``halma report``: it holds all that it needs, and fetches nothing."""
        if self._page is None:
            with self.file() as file:
                self._page = text_of(["report", file])
        return self._page

    def boards(self) -> str:
        """The solution as boards of text, each move checked."""
        with self.file() as file:
            return text_of(["replay", "--", file])

    def svg(self, at: int | None = None, columns: int = 6, coordinates: bool = False) -> str:
        """The solution as a figure: a sheet of all boards, or the board after ``at`` moves."""
        return self._figure("--svg", at, columns, coordinates)

    def tikz(self, at: int | None = None, columns: int = 6, coordinates: bool = False) -> str:
        """The same for LaTeX: a document that compiles by itself, and that a paper takes by ``\\input``."""
        return self._figure("--tikz", at, columns, coordinates)

    def _figure(self, form: str, at: int | None, columns: int, coordinates: bool) -> str:
        options = [form, "--columns", str(columns)]
        options += [] if at is None else ["--at", str(at)]
        options += ["--coordinates"] if coordinates else []
        with self.file() as file:
            return text_of(["replay", *options, "--", file])

    @contextmanager
    def file(self) -> Iterator[str]:
        """The record as a file, for as long as the context lasts."""
        with tempfile.TemporaryDirectory(prefix="halma-") as folder:
            # The page calls it so, in its words on how to check.
            file = Path(folder) / "result.json"
            self.save(file)
            yield str(file)

    def _repr_html_(self) -> str:
        title = html.escape(repr(self), quote=True)
        return (
            f'<iframe title="{title}" srcdoc="{html.escape(self.html(), quote=True)}" sandbox="allow-scripts allow-modals" '
            'allow="clipboard-write" style="width: 100%; height: 44rem; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        said = [f"length={self.length}"] if self.length is not None else []
        said += [f"refuted_up_to={self.refuted_up_to}"] if self.refuted_up_to is not None else []
        said += ["exhausted=True"] if self.exhausted else []
        return f"<halma.Record {', '.join([self.question + ': ' + self.verdict, *said])}>"

    def __eq__(self, other: object) -> bool:
        return self._document == other._document if isinstance(other, Record) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.question, self.verdict, self.length, self.solution))


def _typed(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_typed(text, str) for text in _typed(value, list))


def _number(value: Any) -> int | None:
    return None if value is None else _count(value)


def _count(value: Any) -> int:
    """A number, or a text of digits where it is too large for a double."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value


def _verdict(value: Any) -> Verdict:
    if value not in _VERDICTS:
        raise ValueError(f"verdict {value!r}")
    return cast("Verdict", value)


def _level(entry: Mapping[str, Any]) -> Level:
    numbers = {name: _count(entry[name]) for name in ("depth", "states", "generated", "pruned", "duplicates", "old")}
    seconds = entry.get("seconds")
    return Level(
        side=_typed(entry["side"], str),
        digest=_typed(entry["digest"], str),
        seconds=None if seconds is None else float(seconds),
        **numbers,
    )


def _run(entry: Mapping[str, Any]) -> Run:
    return Run(
        length=_count(entry["length"]),
        verdict=_verdict(entry["verdict"]),
        seconds=float(entry["seconds"]),
        generated=_count(entry["generated"]),
        largest_level=_count(entry["largest_level"]),
        self_consistent=_typed(entry["self_consistent"], bool),
        levels=tuple(map(_level, _typed(entry["levels"], list))),
    )


def _counts(entry: Mapping[str, Any]) -> Counts:
    positions = entry.get("positions")
    return Counts(
        sequences=_count(entry["sequences"]),
        up_to_symmetry=_count(entry["up_to_symmetry"]),
        up_to_reversal=_number(entry.get("up_to_reversal")),
        palindromic=_number(entry.get("palindromic")),
        palindromic_up_to_symmetry=_number(entry.get("palindromic_up_to_symmetry")),
        final_positions=_number(entry.get("final_positions")),
        final_up_to_symmetry=_number(entry.get("final_up_to_symmetry")),
        positions=None if positions is None else tuple(map(_count, positions)),
    )
