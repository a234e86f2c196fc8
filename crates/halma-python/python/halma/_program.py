"""Finds the program that the wheel has brought, and runs it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from ._errors import DamagedError, HalmaError, InputError, NotFinished

#: What the program tells while it searches: ``event`` is ``length``, ``level``, ``note`` or ``done``, the other names are
#: those of records.
Event = Mapping[str, Any]

_NAME = "halma" + (sysconfig.get_config_var("EXE") or "")


def program() -> Path:
    """The program: the one that ``HALMA_PROGRAM`` names, else the one of this installation, else one on the ``PATH``."""
    named = os.environ.get("HALMA_PROGRAM")
    if named:
        return Path(named)
    here = Path(__file__).resolve()
    folders = [
        Path(sysconfig.get_path("scripts")),
        # pip install --user, --prefix, --target
        Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))),
        here.parents[4] / "bin" if len(here.parents) > 4 else here.parent,
        here.parents[1] / "bin",
    ]
    for folder in folders:
        if (folder / _NAME).is_file():
            return folder / _NAME
    found = shutil.which(_NAME)
    if found is None:
        raise HalmaError(f"the program {_NAME} is not installed: it comes with `pip install halma`, or HALMA_PROGRAM names it")
    return Path(found)


class Ended(NamedTuple):
    """How a run of the program ended."""

    status: int
    #: Standard output.
    out: str
    #: What standard error had, without events.
    message: str


def run(
    arguments: Sequence[str],
    text: str | None = None,
    on_progress: Callable[[Event], object] | None = None,
    folder: str | None = None,
) -> Ended:
    """Runs the program in ``folder``; ``text`` is its standard input. Whatever is raised meanwhile stops the search first.

    A search sees, too, when this process is gone: nobody reads its events then.
    """
    for argument in arguments:
        if "\0" in argument:
            raise InputError(f"{argument!r}: no option and no path has a NUL")
    try:
        process = subprocess.Popen(
            [_found(folder), *arguments],
            stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            encoding="utf-8",
            # Of what the program says. What it is told is encoded below, and nothing of it is replaced.
            errors="replace",
        )
    except OSError as error:
        raise HalmaError(f"{program()}: cannot be run: {error}") from error
    assert process.stdout is not None and process.stderr is not None
    out: list[str] = []
    reader = threading.Thread(target=_read, args=(process.stdout, out), daemon=True)
    reader.start()
    messages: list[str] = []
    try:
        if process.stdin is not None:
            _write(process.stdin, (text or "").encode())
        for line in process.stderr:
            _hear(line, messages, on_progress)
        status = process.wait()
    except BaseException:
        _stop(process)
        raise
    finally:
        reader.join()
        process.stdout.close()
        process.stderr.close()
    return Ended(status, "".join(out), "\n".join(messages))


def _found(folder: str | None) -> str:
    """The program; a relative path is one from here, not from ``folder``."""
    name = os.fspath(program())
    return os.path.abspath(name) if folder is not None and os.path.dirname(name) else name


def _read(stream: IO[str], out: list[str]) -> None:
    out.append(stream.read())


def _write(stream: IO[str], text: bytes) -> None:
    try:
        with stream:
            cast("TextIOWrapper", stream).buffer.write(text)
    except BrokenPipeError:
        # It has read enough to say what is wrong.
        pass


def _hear(line: str, messages: list[str], on_progress: Callable[[Event], object] | None) -> None:
    event = _event(line)
    if event is None:
        messages.append(line.rstrip("\n"))
        return
    if "error" in event:
        messages.append(str(event["error"]))
    if on_progress is not None:
        on_progress(event)


def _event(line: str) -> Event | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None


def _stop(process: subprocess.Popen[str]) -> None:
    """Asks the search to stop where it can go on later, and waits for that; asked twice it ends at once."""
    assert process.stderr is not None
    # Nobody listens any more, and the program shall not wait for that.
    threading.Thread(target=process.stderr.read, daemon=True).start()
    try:
        if sys.platform == "win32":
            process.terminate()
        else:
            # A terminal and a notebook signal the whole group: the program takes two signals at once for one.
            process.send_signal(signal.SIGINT)
        process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise


def failed(ended: Ended) -> HalmaError:
    """The exception of an exit status that is no answer."""
    message = ended.message or f"the program ended with status {ended.status}"
    kinds: dict[int, type[HalmaError]] = {2: InputError, 3: NotFinished, 4: DamagedError}
    if ended.status < 0:
        return HalmaError(f"{message}: signal {-ended.status}")
    return kinds.get(ended.status, HalmaError)(message)


def text_of(arguments: Sequence[str], also: Sequence[int] = (), folder: str | None = None) -> str:
    """What a command prints, run in ``folder``, that answers with status 0, or one of ``also``."""
    ended = run(arguments, folder=folder)
    if ended.status not in (0, *also):
        raise failed(ended)
    return ended.out
