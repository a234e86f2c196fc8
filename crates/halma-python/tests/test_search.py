"""Questions and their answers."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import halma
import pytest

ROW = {"problem": {"kind": "transfer", "moves": 4, "board": "SS..TT"}}

# Bell 2009, problem 5: four men cross the 9x9 board in 15 moves under 6-move rules.
SQUARE = {"problem": {"kind": "transfer", "board": "9x9", "moves": 6, "army": "square-2"}}

TILES = """
[problem]
kind = "rules"
board = \"\"\"
.12
345
678
\"\"\"
rules = ["* . -> . *"]
"""

# Ten men, unpruned: it takes hours.
LONG = {
    "problem": {"kind": "transfer", "board": "9x9", "moves": 4, "army": "triangle-4"},
    "search": {"pruning": "none"},
    "limits": {"threads": 1, "memory": "256 MiB"},
}


def test_a_published_length_is_found_and_every_shorter_one_refuted() -> None:
    record = halma.solve(SQUARE, pruning="none", threads=2)
    assert (record.verdict, record.length, record.refuted_up_to) == ("optimal", 15, 14)
    assert record.solution is not None and len(record.solution) == 15
    assert record.question == "solve" and record.problem["army"] == "square-2"
    assert all(run.verdict == "none" for run in record.runs if run.length < 15)
    for level in record.levels:
        parts = level.pruned + level.duplicates + level.old + level.states
        assert level.depth == 0 or parts == level.generated


def test_a_job_is_a_path_a_text_or_a_mapping(root: Path) -> None:
    path = root / "configs/table-3/p5-square-2-6move.toml"
    answers = [halma.solve(job).length for job in (path, str(path), path.read_text(), SQUARE)]
    assert answers == [15] * 4


def test_a_proof_answers_yes_and_no() -> None:
    assert halma.prove(ROW, 3).verdict == "none"
    assert halma.prove(ROW, 4).verdict in ("solution", "optimal")
    assert halma.prove(ROW | {"search": {"max-length": 3}}).verdict == "none"


def test_levels_are_the_published_ones_of_the_eight_puzzle() -> None:
    # OEIS A089473.
    record = halma.levels(TILES)
    sizes = [level.states for level in record.levels]
    assert sizes[:9] == [1, 2, 4, 8, 16, 20, 39, 62, 116]
    assert (sum(sizes), len(sizes) - 1, sizes[-1]) == (181_440, 31, 2)
    assert len(record.farthest) == 2
    few = halma.levels(TILES, 8)
    assert [level.states for level in few.levels] == sizes[:9]


def test_counts_are_those_of_the_records_in_the_repository(root: Path) -> None:
    kept = halma.load(root / "results/counts/p5-square-2-4move.json").counts
    assert kept is not None and kept.sequences > 0
    assert halma.count(root / "configs/table-3/p5-square-2-4move.toml").counts == kept


def test_large_counts_are_numbers(root: Path) -> None:
    # OEIS A112738.
    counts = halma.load(root / "results/puzzles/peg-solitaire-jumps-count.json").counts
    assert counts is not None and counts.sequences == 40_861_647_040_079_968


def test_more_solutions_are_written_down_when_asked_for() -> None:
    # From corner to corner of 3x3 places: two steps right and two down, in any order.
    walk = {"problem": {"kind": "rules", "board": "A..\n...\n...\n", "rules": ["* . -> . *"], "goal": {"at": {"c3": "A"}}}}
    assert halma.solve(walk).more_solutions == ()
    for asked, listed in ((2, 2), (6, 6), (100, 6)):
        record = halma.solve(walk, solutions=asked)
        assert record.length == 4 and record.solution is not None
        assert len(record.more_solutions) == listed - 1
        assert len({record.solution, *record.more_solutions}) == listed


def test_what_is_not_finished_is_never_none(tmp_path: Path) -> None:
    with pytest.raises(halma.NotFinished, match="time limit|limit") as raised:
        halma.solve(LONG, time=0.5, output_dir=tmp_path / "run")
    record = raised.value.record
    assert record is not None and record.verdict == "incomplete"
    assert record.refuted_up_to is not None and record.length is None
    with pytest.raises(halma.NotFinished):
        halma.resume(tmp_path / "run", time=timedelta(seconds=0.5))


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    def listen(event: halma.Event) -> None:
        if event["event"] == "level" and event["depth"] == 4:
            raise KeyboardInterrupt

    whole = halma.solve(SQUARE, pruning="none")
    with pytest.raises(KeyboardInterrupt):
        halma.solve(SQUARE, pruning="none", output_dir=tmp_path / "run", on_progress=listen)
    record = halma.resume(tmp_path / "run")
    assert (record.verdict, record.length) == ("optimal", 15)
    assert [level.digest for level in record.levels] == [level.digest for level in whole.levels]
    assert halma.load(tmp_path / "run") == record


def test_an_impossible_puzzle_is_an_answer() -> None:
    record = halma.solve({"problem": {"kind": "transfer", "moves": 4, "board": "S.T#", "jumps-only": True}})
    assert (record.verdict, record.exhausted, record.solution) == ("none", True, None)


def test_a_wrong_job_says_where_and_what_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(halma.InputError, match="standard input:4"):
        halma.solve('[problem]\nkind = "transfer"\nboard = "9x9"\nmoves = 5\narmy = "square-2"\n')
    with pytest.raises(halma.InputError, match="4, 6 and 8"):
        halma.solve(SQUARE, moves=5)
    with pytest.raises(halma.InputError, match="missing.toml"):
        halma.solve(tmp_path / "missing.toml")
    with pytest.raises(halma.InputError, match="needs a length"):
        halma.prove(ROW)
    with pytest.raises(ValueError):
        halma.solve({"problem": {"kind": "transfer", "colour": "red"}})


def test_what_no_job_can_have_is_refused_before_anything_runs() -> None:
    with pytest.raises(TypeError, match="problem.board"):
        halma.solve({"problem": {"board": b"S.T"}})
    with pytest.raises(TypeError, match="tables"):
        halma.solve({"kind": "transfer"})
    with pytest.raises(TypeError, match="no options: thread"):
        halma.solve(ROW, thread=2)  # type: ignore[call-arg]
    with pytest.raises(halma.InputError, match="as it was begun"):
        halma.resume("run", pruning="none")


def test_every_text_survives_the_way_to_the_program() -> None:
    title = 'a "quoted" \\ title\twith ünïcode 🐸'
    record = halma.solve({"problem": {**ROW["problem"], "title": title}})
    assert record.problem["title"] == title


def test_no_argument_goes_astray(tmp_path: Path) -> None:
    # The name of a folder whose bytes are no UTF-8: the command line can say it, a job cannot.
    name = os.fsdecode(b"d\xff")
    for job in (ROW | {"output": {"dir": name}}, ROW | {"output": {name: "run"}}, ROW | {name: {}}):
        with pytest.raises(halma.InputError, match="a job is UTF-8"):
            halma.solve(job)
    with pytest.raises(halma.InputError, match="a job is UTF-8"):
        halma.solve(f'[problem]\nkind = "transfer"\nmoves = 4\nboard = "SS..TT"\n[output]\ndir = "{name}"\n')
    with pytest.raises(TypeError, match="output_dir: a path is a text"):
        halma.solve(ROW, output_dir=b"run")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cache: a path is a text"):
        halma.solve(ROW, cache=b"run")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="run: a path is a text"):
        halma.resume(b"run")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="record: a path is a text"):
        halma.check(b"run")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="output.dir: a job has texts"):
        halma.solve(ROW | {"output": {"dir": b"run"}})
    with pytest.raises(TypeError, match="keep_levels"):
        halma.solve(ROW, keep_levels="no")  # type: ignore[arg-type]
    with pytest.raises(halma.InputError, match="NUL"):
        halma.solve(ROW, output_dir="a\0b")
    assert list(tmp_path.iterdir()) == []
    halma.solve(ROW, output_dir=name)
    assert os.listdir(os.fsencode(tmp_path)) == [b"d\xff"]


@pytest.mark.parametrize("limit", [float("inf"), float("-inf"), float("nan"), -1, 0, 1e300, "soon"])
def test_what_is_no_time_is_refused(limit: float | str) -> None:
    with pytest.raises(halma.InputError, match="time"):
        halma.solve(ROW, time=limit)


def test_none_says_nothing(tmp_path: Path) -> None:
    nothing = dict.fromkeys(halma.Options.__annotations__)
    assert halma.solve(ROW, **nothing).length == 4
    with pytest.raises(halma.NotFinished):
        halma.solve(LONG, time=0.5, output_dir=tmp_path / "run")
    with pytest.raises(halma.NotFinished):
        halma.resume(tmp_path / "run", **nothing | {"time": 0.5})


@pytest.mark.parametrize(("told", "kept"), [(None, True), (True, True), (False, False)])
def test_an_option_overrides_the_jobs_word_on_levels(told: bool | None, kept: bool, tmp_path: Path) -> None:
    job = SQUARE | {"search": {"pruning": "none"}, "output": {"dir": "run", "keep-levels": True}}
    halma.solve(job, keep_levels=told)
    assert bool(list((tmp_path / "run").rglob("*.level"))) == kept


def test_progress_is_told_as_it_happens() -> None:
    events: list[halma.Event] = []
    record = halma.solve(SQUARE, pruning="none", on_progress=events.append)
    assert {event["event"] for event in events} >= {"length", "level", "done"}
    told = [event["states"] for event in events if event["event"] == "level"]
    assert set(told) <= {level.states for level in record.levels}
    assert events[-1]["event"] == "done" and events[-1]["verdict"] == "optimal"


def test_an_exception_of_the_listener_ends_the_search() -> None:
    def listen(event: halma.Event) -> None:
        raise LookupError("enough")

    begun = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        halma.solve(LONG, on_progress=listen)
    assert no_search_is_left(begun)


INTERRUPTED = f"""
import halma, sys
try:
    halma.solve({LONG!r}, output_dir="run", on_progress=lambda event: print("on", flush=True))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("group", [False, True])
def test_an_interrupt_ends_the_search_and_the_folder_goes_on(group: bool, tmp_path: Path) -> None:
    # To the interpreter alone, as from a debugger, and to both, as from a terminal and a notebook.
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None and process.stdout.readline() == b"on\n"
    (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
    process.stdout.read()
    process.stdout.close()
    assert process.wait() == 130
    # The search could still write down how far it was.
    assert halma.load(tmp_path / "run").verdict == "incomplete"
    with pytest.raises(halma.NotFinished):
        halma.resume(tmp_path / "run", time=0.5)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_interpreter_leaves_no_search_running(
    sent: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "program"
    named.write_text(f'#!/bin/sh\necho $$ > "{tmp_path}/id"\nexec "{halma.program()}" "$@"\n')
    named.chmod(0o755)
    with monkeypatch.context() as wrapped:
        wrapped.setenv("HALMA_PROGRAM", str(named))
        process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"on\n"
    process.send_signal(sent)
    process.stdout.close()
    assert process.wait() == -sent
    try:
        begun = time.monotonic()
        while not (tmp_path / "run/result.json").exists():
            assert time.monotonic() < begun + 60, "the search goes on"
            time.sleep(0.05)
    except AssertionError:
        os.kill(int((tmp_path / "id").read_text()), signal.SIGKILL)
        raise
    assert halma.load(tmp_path / "run").verdict == "incomplete"


def no_search_is_left(begun: float) -> bool:
    """Whether this process has no children; the system may take a moment."""
    while time.monotonic() < begun + 60:
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return threading.active_count() < 10
        time.sleep(0.05)
    return False
