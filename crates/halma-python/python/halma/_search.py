"""The questions: each runs the program, and gives its record or says why there is none."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypedDict, Unpack

from ._errors import DamagedError, InputError, NotFinished
from ._job import Job, arguments, path_text, time
from ._program import Ended, Event, failed, run
from ._record import Record

_Path = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """What all searches take; each overrides the job's own word. ``None`` says nothing, like an option that is not there."""

    #: 4, 6 or 8, of a transfer or a game.
    moves: int | None
    #: Which states the search may drop, as in ``"leading"``.
    pruning: str | None
    #: All that the machine has where neither this nor the job says.
    threads: int | None
    #: Bytes, or a text such as ``"4 GiB"``; beyond it levels go to disk.
    memory: int | str | None
    #: Seconds, a ``timedelta``, or a text such as ``"2 h"``; after it :class:`NotFinished` is raised.
    time: float | str | timedelta | None
    #: The folder of the record, and of what it takes to go on after an interruption (:func:`resume`).
    output_dir: _Path | None
    #: Whether the files of the levels stay.
    keep_levels: bool | None
    #: Where pattern databases stay for later runs.
    cache: _Path | None
    #: Called with each event of the search.
    on_progress: Callable[[Event], object] | None


def _given(options: Options) -> list[str]:
    unknown = set(options) - set(Options.__annotations__)
    if unknown:
        raise TypeError(f"no options: {', '.join(sorted(unknown))}; allowed are {', '.join(Options.__annotations__)}")
    words: list[str] = []
    for name in ("moves", "pruning", "threads", "memory"):
        if options.get(name) is not None:
            words += [f"--{name}={options[name]}"]
    if (limit := options.get("time")) is not None:
        words += [f"--time={time(limit)}"]
    if (folder := options.get("output_dir")) is not None:
        words += [f"--output-dir={path_text(folder, 'output_dir')}"]
    if (folder := options.get("cache")) is not None:
        words += [f"--cache={path_text(folder, 'cache')}"]
    if (keep := options.get("keep_levels")) is not None:
        if not isinstance(keep, bool):
            raise TypeError(f"keep_levels: allowed are True, False and None, and not {keep!r}")
        words += ["--keep-levels" if keep else "--keep-levels=false"]
    return words


def _ask(command: str, subject: str, text: str | None, words: list[str], options: Options) -> Record:
    ended = run(
        [command, "--json", "--progress=json", *words, *_given(options), "--", subject], text, options.get("on_progress")
    )
    if ended.status not in (0, 3, 10, 20):
        raise failed(ended)
    record = Record(ended.out) if ended.out.strip() else None
    if ended.status == 3:
        raise NotFinished(_unfinished(record, ended.message), record)
    if record is None:
        raise failed(ended)
    return record


def _unfinished(record: Record | None, message: str) -> str:
    if record is None:
        return message or "not finished, and no record was written"
    reason = record.reason or "a solution that may not be a shortest one"
    solution = "palindromic solution" if record.to_dict().get("palindromic") else "solution"
    known = "" if record.refuted_up_to is None else f"; no {solution} has {record.refuted_up_to} moves or fewer"
    return f"not finished: {reason}{known}"


def solve(
    job: Job, *, max_length: int | None = None, solutions: int | None = None, **options: Unpack[Options]
) -> Record:
    """The shortest solution, and the refutation of every shorter length.

    The verdict is ``optimal``, or ``none`` where no solution has ``max_length`` moves or fewer (or none exists at all:
    ``exhausted``). ``solutions`` writes down so many of a puzzle's shortest solutions. Of ``options`` see :class:`Options`.
    """
    words = [] if max_length is None else [f"--max-length={max_length}"]
    words += [] if solutions is None else [f"--all={solutions}"]
    return _ask("solve", *arguments(job), words, options)


def prove(job: Job, max_length: int | None = None, **options: Unpack[Options]) -> Record:
    """Whether there is a solution of at most ``max_length`` moves (the job's ``max-length`` where not given).

    The verdict is ``none``, or there is one: ``solution``, or ``optimal`` where every shorter length is refuted, too.
    """
    words = [] if max_length is None else [f"--max-length={max_length}"]
    return _ask("prove", *arguments(job), words, options)


def count(job: Job, *, max_length: int | None = None, **options: Unpack[Options]) -> Record:
    """How many shortest solutions there are: ``record.counts``."""
    words = [] if max_length is None else [f"--max-length={max_length}"]
    return _ask("count", *arguments(job), words, options)


def levels(job: Job, depth: int | None = None, **options: Unpack[Options]) -> Record:
    """How many positions there are after 0, 1, ..., ``depth`` moves, or until no new one comes: ``record.levels``."""
    words = ["--to-the-end"] if depth is None else [f"--depth={depth}"]
    return _ask("levels", *arguments(job), words, options)


def resume(run: _Path, **options: Unpack[Options]) -> Record:
    """Goes on with a run that was stopped, from its folder."""
    wrong = {name for name in ("moves", "pruning", "output_dir") if options.get(name) is not None}
    if wrong:
        raise InputError(f"a run goes on as it was begun, without {', '.join(sorted(wrong))}")
    return _ask("resume", path_text(run, "run"), None, [], options)


def load(path: _Path) -> Record:
    """Reads a record: the file, or a run's folder. One that contradicts itself is refused; :func:`check` verifies the rest."""
    file = Path(path)
    if file.is_dir():
        file = file / "result.json"
    try:
        return Record(file.read_bytes().decode(), file)
    except UnicodeDecodeError as error:
        raise DamagedError(f"{file}: no record: {error}") from error


def check(record: Record | _Path, *, budget: int | None = None, threads: int | None = None) -> str:
    """Verifies a record by code that shares nothing with the search; what was found to hold, line by line.

    Of a folder, or of a record that was loaded from one, the levels that were kept are read, too. Where something does not
    hold :class:`DamagedError` is raised, where not all could be looked at :class:`NotFinished`. A record whose file is another
    one since it was loaded is an :class:`InputError`: what held of the file would say nothing of the record.
    """
    words = ["check", "--quiet"]
    words += [] if budget is None else [f"--budget={budget}"]
    words += [] if threads is None else [f"--threads={threads}"]
    if not isinstance(record, Record):
        return _held(run([*words, "--", path_text(record, "record")]))
    if record.path is None:
        with record.file() as file:
            return _held(run([*words, "--", file]))
    _is_still(record, record.path)
    ended = run([*words, "--", str(record.path)])
    # It may have been replaced before the program read it.
    _is_still(record, record.path)
    return _held(ended)


def _is_still(record: Record, file: Path) -> None:
    try:
        same = file.read_bytes() == record.to_json().encode()
    except OSError as error:
        raise InputError(f"{file}: the record's file cannot be read: {error}") from error
    if not same:
        raise InputError(
            f"{file}: the file is not the record in hand any more: load it again, or check halma.Record(record.to_json())"
        )


def _held(ended: Ended) -> str:
    if ended.status == 3:
        raise NotFinished(ended.out.strip() or ended.message)
    if ended.status != 0:
        raise failed(ended)
    return ended.out
