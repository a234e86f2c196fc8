"""Jobs: a file, TOML as text, or a mapping that says the same."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Union

#: A path, TOML (a text of several lines), or a mapping with the tables of a job file.
Job = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def arguments(job: Job) -> tuple[str, str | None]:
    """What the command line says of a job, and its standard input."""
    if isinstance(job, Mapping):
        return "-", toml(job)
    if isinstance(job, str) and "\n" in job:
        return "-", job
    path = os.fspath(job)
    if not isinstance(path, str):
        raise TypeError(f"a job is a path, TOML or a mapping, and not {type(job).__name__}")
    # A file of that name is meant, and not standard input.
    return (os.path.join(".", path) if path == "-" else path), None


def toml(tables: Mapping[str, Any]) -> str:
    """A mapping as TOML."""
    lines = []
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise TypeError(f"{name}: a job has tables, as in {{'problem': {{...}}}}, and not {type(table).__name__}")
        lines.append(f"[{_text(name)}]")
        lines += [f"{_text(key)} = {_value(value, f'{name}.{key}')}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any, place: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return _text(os.fspath(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(k)} = {_value(v, f'{place}.{k}')}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return "[" + ", ".join(_value(v, place) for v in value) + "]"
    raise TypeError(f"{place}: a job has texts, numbers, lists and tables, and not {type(value).__name__}")


def _text(text: str) -> str:
    def escaped(c: str) -> str:
        return _ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c)

    return '"' + "".join(map(escaped, text)) + '"'


def time(limit: str | float | timedelta) -> str:
    """A time as the program reads it; numbers are seconds."""
    if isinstance(limit, str):
        return limit
    seconds = limit.total_seconds() if isinstance(limit, timedelta) else limit
    return f"{round(seconds * 1000)}ms"
