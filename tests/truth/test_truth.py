"""The pages of truth that need nothing installed are run; the others are only read. `.ci/run` runs more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parent.parent / "benchmarks"
PAGES = sorted(path for path in HERE.glob("*.md") if path.stem.islower())


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import truth_pages

    return truth_pages


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_snippet_is_python(path: Path, pages: Any) -> None:
    page = pages.read(path)
    assert page.truths
    for truth in page.truths:
        for block in truth.case.blocks:
            compile(block.text, f"{path.name}:{block.line}", "exec")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_requirements_are_pinned(path: Path, pages: Any) -> None:
    for needs in pages.read(path).header.environments.values():
        assert all("==" in need for need in needs)


def test_an_outcome_is_said_for_each_environment(tmp_path: Path, pages: Any) -> None:
    page = tmp_path / "page.md"
    head = '```toml\n[environments]\nA = ["a==1"]\nB = ["b==1"]\n```\n'
    page.write_text(f"# P\n{head}## One\n```python A:raises(KeyError) B:crashes|garbage\npass\n```\n")
    (truth,) = pages.read(page).truths
    assert str(truth.expected["A"]) == "raises (KeyError)"
    assert truth.expected["A"].holds("raises", "KeyError")
    assert not truth.expected["A"].holds("raises", "ValueError")
    assert truth.expected["B"].holds("garbage", "")
    page.write_text(f"# P\n{head}## One\n```python A:fine\npass\n```\n")
    with pytest.raises(ValueError, match="what happens in B is not said"):
        pages.read(page)


def test_what_needs_nothing_runs_as_told() -> None:
    command = [sys.executable, str(BENCHMARKS / "truth.py"), "--bare", "--run-only"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
