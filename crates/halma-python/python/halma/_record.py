"""Records: what was asked, what was found, and what the answer rests on."""

from __future__ import annotations

import copy
import html
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from ._errors import DamagedError, InputError
from ._program import text_of

#: The version of the document that this module reads.
FORMAT = 1

#: ``incomplete`` is an answer of its own, and never ``none``.
Verdict = Literal["optimal", "none", "solution", "levels", "counted", "incomplete"]

_VERDICTS = ("optimal", "none", "solution", "levels", "counted", "incomplete")
_QUESTIONS = ("solve", "prove", "count", "levels")
_SIDES = ("forward", "backward", "leading", "following", "trailing")

#: The largest numbers that the program reads: of moves, and of states.
_MOVES = 2**32 - 1
_STATES = 2**64 - 1


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

    #: The file that it was read from, where there is one; absolute, so that another working directory names no other file.
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
    #: Of a transfer whose search was stopped: the moves of a solution that was known by then and need not be a shortest one.
    known_solution: tuple[str, ...] | None
    #: Of a puzzle: more solutions of the same length, where they were asked for.
    more_solutions: tuple[tuple[str, ...], ...]
    #: ``levels`` to the end: some of the farthest states, as text.
    farthest: tuple[str, ...]
    counts: Counts | None
    #: One for each length tried, in the order tried.
    runs: tuple[Run, ...]
    seconds: float

    def __init__(self, text: str, path: Path | None = None) -> None:
        """Reads the text of a record; :func:`halma.load` reads a file.

        A record is refused that the program refuses, too, because a field makes no sense or its answer contradicts itself.
        """
        self.path = None if path is None else path.absolute()
        self._text = text
        self._page: str | None = None
        name = str(path) if path is not None else "the record"
        try:
            document = _document(text)
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"{name}: no record: {error}") from error
        if not isinstance(document, dict) or "format" not in document:
            raise DamagedError(f"{name}: no record: it has no format")
        if not _is_whole(document["format"]):
            raise DamagedError(f"{name}: no record: its format is {document['format']!r}")
        if document["format"] != FORMAT:
            found = f"a record of format {document['format']}, this version reads format {FORMAT}"
            raise InputError(f"{name}: {found}; read it with the version that wrote it, or search again")
        self._document: dict[str, Any] = document
        try:
            self._read(document)
            wrong = self._contradiction()
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise DamagedError(f"{name}: a field is missing or makes no sense: {error!r}") from error
        if wrong is not None:
            raise DamagedError(f"{name}: damaged record: {wrong}")

    def _read(self, document: Mapping[str, Any]) -> None:
        if not isinstance(document["problem"], dict):
            raise TypeError("problem")
        self.question = _one_of(document["question"], _QUESTIONS)
        self.verdict = _verdict(document["verdict"])
        self.length = _optional(_moves, document["length"])
        self.refuted_up_to = _optional(_moves, document["refuted_up_to"])
        self.lower_bound = _optional(_moves, document.get("lower_bound"))
        self.exhausted = _typed(document.get("exhausted", False), bool)
        reason = document.get("reason")
        self.reason = None if reason is None else _typed(reason, str)
        moves = document["solution"]
        self.solution = None if moves is None else _texts(moves)
        known = document.get("known_solution")
        self.known_solution = None if known is None else _texts(known)
        self.more_solutions = tuple(map(_texts, _typed(document.get("more_solutions", []), list)))
        self.farthest = _texts(document.get("farthest", []))
        counts = document["counts"]
        self.counts = None if counts is None else _counts(counts)
        self.runs = tuple(map(_run, _typed(document["runs"], list)))
        self.seconds = _seconds(document["seconds"])

    def _contradiction(self) -> str | None:
        """What of the answer contradicts itself. The program asks the same of each record, and more of its runs and levels."""
        moves = None if self.solution is None else len(self.solution)
        if moves != self.length:
            return f"length is {self.length}, and the solution has {moves} moves"
        if (self.counts is not None) != (self.verdict == "counted"):
            return "counts and the verdict counted belong together"
        if self.verdict in ("optimal", "solution", "counted") and self.length is None:
            return f"the verdict is {self.verdict}, and there is no length"
        if self.verdict in ("none", "levels") and self.length is not None:
            return f"the verdict is {self.verdict}, and length is {self.length}"
        if self.known_solution is not None:
            if self.verdict != "incomplete" or self.question == "levels" or self.length is not None:
                return "known_solution is of a search for solutions that was stopped before it found one"
            if self.refuted_up_to is not None and len(self.known_solution) <= self.refuted_up_to:
                return f"known_solution has {len(self.known_solution)} moves, and refuted_up_to is {self.refuted_up_to}"
        asked = _optional(_moves, self._document.get("max_length"))
        depth = _optional(_moves, self._document.get("depth"))
        levels = self.question == "levels"
        if levels != (depth is not None) or (levels and (self.refuted_up_to, self.length) != (None, None)):
            return "levels without a goal have a depth and no length, other questions no depth"
        if not (self._follows(asked) and self._suits()):
            return f"the verdict is {self.verdict}, asked about {asked}: length {self.length}, refuted up to {self.refuted_up_to}"
        return None

    def _follows(self, asked: int | None) -> bool:
        """Whether the verdict is the one of the lengths that are refuted."""
        refuted = -1 if self.refuted_up_to is None else self.refuted_up_to
        if self.verdict == "none":
            return self.exhausted or (asked is not None and refuted >= asked)
        if self.verdict == "incomplete":
            return self.question == "levels" or not self.exhausted
        if self.length is None:
            return True
        return refuted <= self.length - 1 if self.verdict == "solution" else refuted == self.length - 1

    def _suits(self) -> bool:
        """Whether the verdict answers the question."""
        answers = {"incomplete": _QUESTIONS, "counted": ("count",), "levels": ("levels",)}
        return self.question in answers.get(self.verdict, ("solve", "prove", "count"))

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
        # Byte for byte: on some systems text would get other line ends.
        Path(path).write_bytes(self._text.encode())

    def html(self) -> str:
        """The page of ``halma report``: it holds all that it needs, and fetches nothing."""
        if self._page is None:
            with self.file() as file:
                # By its name alone: the page says how to check it, and this folder will be gone.
                self._page = text_of(["report", Path(file).name], folder=str(Path(file).parent))
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


def _document(text: str) -> Any:
    """Reads JSON as the program does: ``json`` alone takes texts and numbers that are none, and the last of two values."""
    text.encode()
    return json.loads(text, parse_constant=_no_number, object_pairs_hook=_fields)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"there twice: {next(name for name in names if names.count(name) > 1)}")
    return fields


_T = TypeVar("_T")


def _optional(read: Callable[[Any], _T], value: Any) -> _T | None:
    return None if value is None else read(value)


def _is_whole(value: Any) -> bool:
    # A truth value is an `int`, too.
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _moves(value: Any) -> int:
    if not _is_whole(value) or value > _MOVES:
        raise ValueError(f"{value!r} is no number of moves")
    return cast("int", value)


def _count(value: Any) -> int:
    """A number, or a text of digits where it is too large for a double."""
    if isinstance(value, str) and re.fullmatch("0|[1-9][0-9]*", value):
        return int(value)
    if not _is_whole(value) or value > _STATES:
        raise ValueError(f"{value!r} is no number")
    return cast("int", value)


def _states(value: Any) -> int:
    number = _count(value)
    if number > _STATES:
        raise ValueError(f"{value!r} exceeds 64 bits")
    return number


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no time")
    return float(value)


def _one_of(value: Any, names: tuple[str, ...]) -> str:
    if value not in names:
        raise ValueError(f"{value!r} is none of {', '.join(names)}")
    return cast("str", value)


def _verdict(value: Any) -> Verdict:
    return cast("Verdict", _one_of(value, _VERDICTS))


def _digest(value: Any) -> str:
    if not re.fullmatch("[0-9a-f]{32}", _typed(value, str)):
        raise ValueError(f"{value!r} is no digest")
    return cast("str", value)


def _level(entry: Mapping[str, Any]) -> Level:
    numbers = {name: _states(entry[name]) for name in ("states", "generated", "pruned", "duplicates", "old")}
    return Level(
        depth=_moves(entry["depth"]),
        side=_one_of(entry["side"], _SIDES),
        digest=_digest(entry["digest"]),
        seconds=_optional(_seconds, entry.get("seconds")),
        **numbers,
    )


def _run(entry: Mapping[str, Any]) -> Run:
    return Run(
        length=_moves(entry["length"]),
        verdict=_verdict(entry["verdict"]),
        seconds=_seconds(entry["seconds"]),
        generated=_states(entry["generated"]),
        largest_level=_states(entry["largest_level"]),
        self_consistent=_typed(entry["self_consistent"], bool),
        levels=tuple(map(_level, _typed(entry["levels"], list))),
    )


def _counts(entry: Mapping[str, Any]) -> Counts:
    positions = entry.get("positions")
    return Counts(
        sequences=_count(entry["sequences"]),
        up_to_symmetry=_count(entry["up_to_symmetry"]),
        up_to_reversal=_optional(_count, entry.get("up_to_reversal")),
        palindromic=_optional(_count, entry.get("palindromic")),
        palindromic_up_to_symmetry=_optional(_count, entry.get("palindromic_up_to_symmetry")),
        final_positions=_optional(_count, entry.get("final_positions")),
        final_up_to_symmetry=_optional(_count, entry.get("final_up_to_symmetry")),
        positions=None if positions is None else tuple(map(_states, _typed(positions, list))),
    )
