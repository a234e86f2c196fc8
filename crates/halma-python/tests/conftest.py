"""What all tests have in common. They run the program that is installed, on puzzles whose answers are published."""

import sys
from pathlib import Path

import pytest

# The name of the source in records is made of what lies beneath `crates/`.
sys.dont_write_bytecode = True

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written beside the sources."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HALMA_CACHE", raising=False)
