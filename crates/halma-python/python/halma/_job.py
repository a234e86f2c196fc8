"""Jobs: a file, TOML as text, or a mapping that says the same."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Union

from ._errors import InputError

#: A path, TOML (a text of several lines), or a mapping with the tables of a job file.
Job = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def arguments(job: Job) -> tuple[str, str | None]:
    """What the command line says of a job, and its standard input."""
    if isinstance(job, Mapping):
        return "-", toml(job)
    if isinstance(job, str) and "\n" in job:
        return "-", _utf8(job, "the job")
    file = os.fspath(job)
    if not isinstance(file, str):
        raise TypeError(f"a job is a path, TOML or a mapping, and not {type(job).__name__}")
    # A file of that name is meant, and not standard input.
    return (os.path.join(".", file) if file == "-" else file), None


def toml(tables: Mapping[str, Any]) -> str:
    """A mapping as TOML."""
    lines = []
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise TypeError(f"{name}: a job has tables, as in {{'problem': {{...}}}}, and not {type(table).__name__}")
        lines.append(f"[{_text(name, 'a table')}]")
        lines += [f"{_text(key, name)} = {_value(value, f'{name}.{key}')}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any, place: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return _text(path_text(value, place), place)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(k, place)} = {_value(v, f'{place}.{k}')}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return "[" + ", ".join(_value(v, place) for v in value) + "]"
    raise TypeError(f"{place}: a job has texts, numbers, lists and tables, and not {type(value).__name__}")


def _text(text: str, place: str) -> str:
    def escaped(c: str) -> str:
        return _ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c)

    return '"' + "".join(map(escaped, _utf8(text, place))) + '"'


def _utf8(text: str, place: str) -> str:
    """The text, where it can be written down: Python's names of files whose bytes are no UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: {text[error.start:error.end]!r} is no character; a job is UTF-8") from error
    return text


def path_text(name: str | os.PathLike[str], place: str) -> str:
    """A path as text."""
    text = os.fspath(name)
    if not isinstance(text, str):
        raise TypeError(f"{place}: a path is a text or a pathlib.Path, and not {type(text).__name__}")
    return text


def time(limit: str | float | timedelta) -> str:
    """A time as the program reads it; numbers are seconds."""
    if isinstance(limit, str):
        return limit
    seconds = limit.total_seconds() if isinstance(limit, timedelta) else limit
    if not math.isfinite(seconds):
        raise InputError(f"time: {seconds} seconds are no time: allowed are finite times, and None for no limit")
    return f"{round(seconds * 1000)}ms"
