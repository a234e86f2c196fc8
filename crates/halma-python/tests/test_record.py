"""Records from files, and what they show."""

import dataclasses
import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import halma
import pytest

ROW = {"problem": {"kind": "transfer", "moves": 4, "board": "SS..TT"}}


@pytest.fixture(scope="module")
def row() -> halma.Record:
    return halma.solve(ROW)


def test_every_record_of_the_repository_is_read(root: Path) -> None:
    files = [file for file in (root / "results").rglob("*.json") if '"verdict"' in file.read_text()[:20_000]]
    read = 0
    for file in files:
        document = json.loads(file.read_text())
        if not isinstance(document, dict) or "problem" not in document:
            continue
        record = halma.load(file)
        assert record.to_dict() == document
        assert (record.verdict, record.length) == (document["verdict"], document["length"])
        read += 1
    assert read > 50


def test_a_record_is_the_same_after_it_was_saved(row: halma.Record, tmp_path: Path) -> None:
    row.save(tmp_path / "row.json")
    again = halma.load(tmp_path / "row.json")
    assert again == row and hash(again) == hash(row)
    assert again.to_json() == row.to_json()
    assert again != halma.prove(ROW, 3)
    assert repr(again) == "<halma.Record solve: optimal, length=4, refuted_up_to=3>"


def test_a_record_cannot_be_changed_through_what_it_gives_away(row: halma.Record) -> None:
    row.to_dict()["verdict"] = "none"
    row.problem["kind"] = "game"
    assert row.to_dict()["verdict"] == "optimal" and row.problem["kind"] == "transfer"


def test_levels_become_rows_of_a_table(row: halma.Record) -> None:
    rows = [dataclasses.asdict(level) for level in halma.levels(ROW, 3).levels]
    assert [entry["depth"] for entry in rows] == [0, 1, 2, 3]
    assert all(isinstance(entry["states"], int) and len(entry["digest"]) == 32 for entry in rows)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": 2}, halma.InputError),
        ({"format": True}, halma.DamagedError),
        ({"format": 1.0}, halma.DamagedError),
        ({"format": -1}, halma.DamagedError),
        ({"format": "1"}, halma.DamagedError),
        ({"verdict": "perhaps"}, halma.DamagedError),
        ({"length": "four"}, halma.DamagedError),
        ({"length": True}, halma.DamagedError),
        ({"length": "4"}, halma.DamagedError),
        ({"length": -4}, halma.DamagedError),
        ({"length": 4.0}, halma.DamagedError),
        ({"length": 5}, halma.DamagedError),
        ({"length": None}, halma.DamagedError),
        ({"length": None, "solution": None}, halma.DamagedError),
        ({"refuted_up_to": 2}, halma.DamagedError),
        ({"refuted_up_to": None}, halma.DamagedError),
        ({"refuted_up_to": -1}, halma.DamagedError),
        ({"refuted_up_to": 2**32}, halma.DamagedError),
        ({"verdict": "none"}, halma.DamagedError),
        ({"verdict": "none", "length": None, "solution": None}, halma.DamagedError),
        ({"verdict": "none", "length": None, "solution": None, "max_length": 4}, halma.DamagedError),
        ({"verdict": "counted"}, halma.DamagedError),
        ({"verdict": "levels"}, halma.DamagedError),
        ({"verdict": "levels", "length": None, "solution": None}, halma.DamagedError),
        ({"verdict": "incomplete", "exhausted": True}, halma.DamagedError),
        ({"question": "guess"}, halma.DamagedError),
        ({"question": "levels"}, halma.DamagedError),
        ({"depth": 3}, halma.DamagedError),
        ({"seconds": float("nan")}, halma.DamagedError),
        ({"seconds": float("inf")}, halma.DamagedError),
        ({"seconds": 10**400}, halma.DamagedError),
        ({"seconds": "1"}, halma.DamagedError),
        ({"seconds": True}, halma.DamagedError),
        ({"solution": "a1-b1"}, halma.DamagedError),
        ({"known_solution": ["a1-b1"]}, halma.DamagedError),
        ({"runs": [{}]}, halma.DamagedError),
        ({"counts": {"sequences": "-1", "up_to_symmetry": 1}}, halma.DamagedError),
        ({"counts": {"sequences": 1, "up_to_symmetry": 1}}, halma.DamagedError),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(
    row: halma.Record, change: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        halma.Record(json.dumps(row.to_dict() | change))


def test_a_search_that_was_stopped_may_have_known_a_solution(row: halma.Record) -> None:
    moves = row.to_dict()["solution"]
    stopped = {"verdict": "incomplete", "length": None, "solution": None, "refuted_up_to": len(moves) - 1}
    runs = [run for run in row.to_dict()["runs"] if run["verdict"] == "none"]
    document = row.to_dict() | stopped | {"known_solution": moves, "runs": runs}
    assert halma.Record(json.dumps(document)).known_solution == tuple(moves)
    with pytest.raises(halma.DamagedError):
        halma.Record(json.dumps(document | {"refuted_up_to": len(moves)}))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("depth", -1),
        ("depth", "1"),
        ("side", "sideways"),
        ("states", -1),
        ("states", True),
        ("states", "01"),
        ("states", 2**64),
        ("generated", str(2**64)),
        ("digest", "0"),
        ("digest", "A" * 32),
        ("seconds", float("nan")),
    ],
)
def test_a_level_that_makes_no_sense_is_refused(place: str, value: object) -> None:
    document = halma.levels(ROW, 3).to_dict()
    halma.Record(json.dumps(document))
    document["runs"][0]["levels"][1][place] = value
    with pytest.raises(halma.DamagedError):
        halma.Record(json.dumps(document))


def test_large_numbers_are_texts_of_digits(root: Path) -> None:
    document = halma.load(root / "results/counts/p5-square-2-4move.json").to_dict()
    for digits in (str(2**64), "9" * 100):
        document["counts"]["sequences"] = digits
        counts = halma.Record(json.dumps(document)).counts
        assert counts is not None and counts.sequences == int(digits)
    for wrong in ("007", "", "1\n", "٣", "9" * 10_000, 2**64, -1, 1.5, None):
        document["counts"]["sequences"] = wrong
        with pytest.raises(halma.DamagedError):
            halma.Record(json.dumps(document))


def test_bytes_that_are_no_text_are_no_record(row: halma.Record, tmp_path: Path) -> None:
    file = tmp_path / "row.json"
    file.write_bytes(row.to_json().encode().replace(b"transfer", b"trans\xfffer"))
    with pytest.raises(halma.DamagedError, match=r"row\.json: no record"):
        halma.load(file)
    with pytest.raises(halma.DamagedError):
        halma.Record(row.to_json().replace("transfer", "trans\udcfffer"))


def test_a_field_that_is_there_twice_is_refused(row: halma.Record) -> None:
    with pytest.raises(halma.DamagedError, match="there twice: length"):
        halma.Record('{"length": 3,' + row.to_json().lstrip()[1:])


def test_another_versions_record_is_no_damaged_one(row: halma.Record, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps({"format": 2, "other": "fields"}))
    with pytest.raises(halma.InputError, match=r"result\.json: a record of format 2, this version reads format 1"):
        halma.load(tmp_path)


def test_the_program_says_the_same_of_another_versions_record(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps({"format": 2, "other": "fields"}))
    with pytest.raises(halma.InputError, match="format 2"):
        halma.check(tmp_path / "result.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "{", "[" * 100_000])
def test_what_is_no_record_is_said_to_be_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(halma.DamagedError, match="result.json"):
        halma.load(tmp_path)


def test_a_record_without_a_field_is_refused(row: halma.Record) -> None:
    document = row.to_dict()
    del document["verdict"]
    with pytest.raises(halma.DamagedError, match="verdict"):
        halma.Record(json.dumps(document))
    with pytest.raises(FileNotFoundError):
        halma.load("nowhere")


def test_the_verifier_accepts_a_record_and_refuses_a_forged_one(row: halma.Record, root: Path) -> None:
    assert "The record holds." in halma.check(row)
    assert "The record holds." in halma.check(root / "results/table-3/p5-square-2-6move.json")
    forged = halma.Record(json.dumps(row.to_dict() | {"length": 3, "refuted_up_to": 2, "solution": row.solution[:3] if row.solution else None}))
    with pytest.raises(halma.DamagedError):
        halma.check(forged)
    with pytest.raises(halma.DamagedError):
        forged.html()


def test_the_record_in_hand_is_checked_and_no_other(
    row: halma.Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    row.save("record.json")
    row.save("here/record.json")
    record = halma.load("record.json")
    monkeypatch.chdir(tmp_path / "here")
    assert record.path == tmp_path / "record.json"
    record.path.unlink()
    with pytest.raises(halma.InputError, match="cannot be read"):
        halma.check(record)
    # A good record takes the place of a forged one.
    moves = list(row.solution or ())
    forged = row.to_dict() | {"length": 3, "refuted_up_to": 2, "solution": moves[:3]}
    record.path.write_text(json.dumps(forged))
    believed = halma.load(record.path)
    row.save(record.path)
    assert believed.length == 3
    with pytest.raises(halma.InputError, match="not the record in hand"):
        halma.check(believed)
    assert "The record holds." in halma.check(record)


def test_a_record_that_is_replaced_while_it_is_checked_is_not_said_to_hold(
    row: halma.Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "record.json"
    row.save(file)
    record = halma.load(file)
    # As the program, after it has replaced the record.
    slow = tmp_path / "program"
    slow.write_text(f'#!/bin/sh\necho "{{}}" > "{file}"\necho "The record holds."\n')
    slow.chmod(0o755)
    monkeypatch.setenv("HALMA_PROGRAM", str(slow))
    with pytest.raises(halma.InputError, match="not the record in hand"):
        halma.check(record)


def test_kept_levels_are_checked_with_their_record(tmp_path: Path) -> None:
    job = {"problem": {"kind": "transfer", "board": "9x9", "moves": 6, "army": "square-2"}}
    halma.solve(job, pruning="none", keep_levels=True, output_dir=tmp_path / "run")
    record = halma.load(tmp_path / "run")
    assert record.path == tmp_path / "run/result.json"
    found = halma.check(record)
    assert "9 levels read from their files" in found and found == halma.check(tmp_path / "run")
    (tmp_path / "run/levels/all-003.level").unlink()
    with pytest.raises(halma.DamagedError, match=r"all-003\.level"):
        halma.check(record)


def test_what_cannot_be_checked_in_full_is_not_finished(root: Path) -> None:
    with pytest.raises(halma.NotFinished, match="no proof"):
        halma.check(root / "results/table-3/p1-triangle-3-6move.json", budget=1)


def test_a_notebook_shows_the_page_of_the_report(row: halma.Record) -> None:
    page = row.html()
    assert page.startswith("<!DOCTYPE html>") and "Content-Security-Policy" in page and "4 moves" in page
    frame = row._repr_html_()
    found = re.fullmatch(r'<iframe title="[^"]*" srcdoc="([^"]*)" sandbox="allow-scripts allow-modals" .*></iframe>', frame)
    assert found is not None
    assert found[1].replace("&quot;", '"').replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == page
    assert len(frame) < 300_000


def test_a_record_without_a_solution_has_a_page_too() -> None:
    assert "No solution" in halma.prove(ROW, 3).html()
    assert "<iframe" in halma.levels(ROW, 3)._repr_html_()


def test_boards_and_figures_are_drawn(row: halma.Record) -> None:
    assert "4 moves" in row.boards()
    assert row.svg().startswith("<svg") and row.svg(at=2, coordinates=True).startswith("<svg")
    assert row.tikz(at=2).count(r"\begin{tikzpicture}") == 1
    with pytest.raises(halma.InputError, match="allowed are 0 to 4"):
        row.svg(at=5)


def test_the_module_and_the_program_are_of_one_version() -> None:
    told = [[str(halma.program())], [sys.executable, "-m", "halma"]]
    printed = [subprocess.run([*command, "--version"], capture_output=True, text=True).stdout for command in told]
    assert printed == [f"halma {halma.__version__}\n"] * 2
    assert halma.__version__ == metadata.version("halma")


def test_without_the_program_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HALMA_PROGRAM", str(tmp_path / "missing"))
    with pytest.raises(halma.HalmaError, match="missing: cannot be run"):
        halma.solve(ROW)


def test_the_package_carries_the_licences_of_the_repository(root: Path) -> None:
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert (root / "crates/halma-python" / name).read_bytes() == (root / name).read_bytes()
