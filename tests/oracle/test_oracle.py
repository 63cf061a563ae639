"""What a binding does is asked of the real frameworks, and held against what ownlint says of the very same source.

Each extension is built from `with_*.cc`; every `// row: NAME` in it is run by `probe.py` in a process of its own, with
freed memory poisoned, and is then looked up in ownlint's report. It compiles for a minute, and runs when asked:

    OWNLINT_ORACLE=1 python -m pytest -s tests/oracle

`OWNLINT_ORACLE_BUILT` names a folder where what was built is kept for the next time.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from oracle_extensions import SETUPS, CannotBuildError, Setup, build_all, shared

HERE = Path(__file__).parent
ROW = re.compile(r"// row: (\w+)$")
UNSAFE = ("dangles", "crashes", "leaks", "violates")

GAPS: dict[tuple[str, str], str] = {
    ("*", "pytuple_ka01"): "what a lambda without a result type returns from `make_tuple` is not known",
    ("*", "gil_capture"): "a copy of a lambda copies what it captured; that is not followed",
}
"""Setup (or `*`) and row -> why ownlint says otherwise there."""

pytestmark = pytest.mark.skipif(
    not os.environ.get("OWNLINT_ORACLE"), reason="it compiles: set OWNLINT_ORACLE=1 to ask the real frameworks"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Setup -> the folder of its extension."""
    place = Path(os.environ.get("OWNLINT_ORACLE_BUILT") or tmp_path_factory.mktemp("oracle"))
    try:
        return build_all(place)
    except CannotBuildError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
def test_what_happens_is_what_ownlint_says(setup: Setup, built: dict[str, Path], tmp_path: Path) -> None:
    rows = [found[1] for line in lines(setup) if (found := ROW.search(line))]
    happened = happens(setup, built[setup.name], rows)
    says = said(setup, tmp_path)
    gaps = {row: why for (name, row), why in GAPS.items() if name in ("*", setup.name)}
    agreed: list[str] = []
    wrong: list[str] = []
    print(f"\n{setup.name} ({setup.requirement})")
    for row in rows:
        agrees = agree(happened[row], says[row])
        (agreed if agrees else wrong).append(row)
        mark = "agrees" if agrees else "gap" if row in gaps else "DISAGREES"
        print(f"  {mark:<10} {row:<20} {happened[row][:60]:<62} {', '.join(says[row]) or 'nothing'}")
    print(f"  {len(agreed)} rows agree, {len(wrong)} do not: {', '.join(wrong) or 'none'}")
    assert sorted(wrong) == sorted(row for row in gaps if row in rows)


def agree(happened: str, says: list[str]) -> bool:
    """`says` are severities and rules; notes are about taste and bind nobody, but where one tells of a leak."""
    loud = [each for each in says if not each.startswith("note")]
    if happened.startswith("raises"):
        return any("(raises)" in each for each in loud)
    if happened == "refused":
        return bool(loud)
    if happened == "leaks":
        return any("(raises)" not in each for each in says)
    if happened in UNSAFE:
        return any("(raises)" not in each for each in loud)
    return not loud


def lines(setup: Setup) -> list[str]:
    return (HERE / f"{setup.source}.cc").read_text(encoding="utf-8").splitlines()


def happens(setup: Setup, place: Path, rows: list[str]) -> dict[str, str]:
    packages = f"{place / 'packages'}{os.pathsep}{shared(place.parent)}"
    environment = dict(os.environ, PYTHONPATH=packages, MALLOC_PERTURB_="165", PYTHONMALLOC="malloc")
    command = [sys.executable, str(HERE / "probe.py"), str(place), setup.source, *rows]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert ran.returncode == 0, ran.stderr
    happened = dict(line.split(" ", 1) for line in ran.stdout.splitlines())
    locked = {row: "violates" for row, word in happened.items() if row.startswith("gil_") and word != "safe"}
    return happened | locked


def said(setup: Setup, place: Path) -> dict[str, list[str]]:
    """Row -> what ownlint says on its line, as `severity rule`, and whether it says that this raises."""
    for name in ("objects.h", f"{setup.source}.cc"):
        shutil.copy(HERE / name, place)
    requires = f'[build-system]\nrequires = ["{setup.requirement}"]\n[tool.ownlint]\n'
    (place / "pyproject.toml").write_text(requires, encoding="utf-8")
    command = [sys.executable, "-m", "ownlint", "check", ".", "--types", "never", "--exit-zero", "--no-cache"]
    ran = subprocess.run([*command, "--output-format", "json"], cwd=place, capture_output=True, text=True)
    assert ran.stdout, ran.stderr
    at: dict[int, list[str]] = {}
    for finding in json.loads(ran.stdout)["findings"]:
        if finding["path"].endswith(f"{setup.source}.cc"):
            raises = " (raises)" if "raises" in finding["message"] else ""
            at.setdefault(finding["line"], []).append(f"{finding['severity']} {finding['rule']}{raises}")
    return {
        found[1]: sorted(set(at.get(number, ())))
        for number, line in enumerate(lines(setup), 1)
        if (found := ROW.search(line))
    }
