"""The notebook of the examples, as somebody runs it."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")


def test_the_notebook_runs_and_shows_its_records(root: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(root / "crates/halma-python/examples/halma.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert len(pages) == 2 and all("<iframe" in page for page in pages)
    printed = "".join(output.get("text", "") for output in outputs)
    assert "The record holds." in printed and "not finished" in printed
