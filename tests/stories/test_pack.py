"""Somebody else's rules and models: a package that is installed, and used by the command line itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

GUILTY = """\
#include "camera/camera.h"

void Record(camera::Device* device, int frames) {
  for (int i = 0; i < frames; ++i) {
    Save(device);
    camera::close(device);
  }
}

int Brightness(camera::Device* device, int from, int to) {
  camera::Frame* frame = camera::grab(device);
  if (from >= to) return 0;
  int sum = Sum(frame->pixels, from, to);
  camera::put_back(frame);
  return sum;
}
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """As an installer leaves it: the package, and beside it what says that it is one."""
    to = tmp_path / "site"
    shutil.copytree(
        ROOT / "examples/pack/camera_rules", to / "camera_rules", ignore=shutil.ignore_patterns("__pycache__")
    )
    told = to / "camera_rules-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: camera-rules\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[ownlint.rules]\ncamera = camera_rules\n")
    return to


@pytest.fixture
def project(tmp_path: Path) -> Path:
    to = tmp_path / "project"
    to.mkdir()
    (to / "ownlint.toml").write_text("")
    (to / "brightness.cc").write_text(GUILTY)
    return to


def ownlint(project: Path, *arguments: str, packs: Path | None = None) -> subprocess.CompletedProcess[str]:
    paths = [str(packs)] if packs else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-P", "-m", "ownlint", *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def found(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.split("[")[1].split("]")[0] for line in done.stdout.splitlines()]


def test_its_rule_and_its_model_are_known_where_it_is_installed_alone(project: Path, pack: Path) -> None:
    check = ("check", "--output-format", "concise")
    assert ownlint(project, *check).returncode == 0
    with_it = ownlint(project, *check, packs=pack)
    assert with_it.returncode == 1, with_it.stderr
    assert found(with_it) == ["camera-closed-in-loop", "handle-leaked"]
    again = ownlint(project, *check)
    assert (again.returncode, again.stdout) == (0, "")  # the cache of the one is not taken for that of the other


def test_its_rule_is_like_any_other(project: Path, pack: Path) -> None:
    page = ownlint(project, "explain", "camera-closed-in-loop", packs=pack)
    assert page.stdout.startswith("camera-closed-in-loop (drafts, warning)\n\nA camera is closed in a loop")
    assert page.stdout.endswith("\n\nSuite: default.\n")
    (project / "ownlint.toml").write_text('ignore = ["camera-closed-in-loop"]\n')
    assert ownlint(project, "config", "verify", packs=pack).returncode == 0
    unknown = ownlint(project, "config", "verify")
    assert unknown.returncode == 2
    assert "unknown rule `camera-closed-in-loop`" in unknown.stderr
    listed = json.loads(ownlint(project, "doctor", "--output-format", "json", packs=pack).stdout)
    assert next(part["found"] for part in listed if part["name"] == "rules").startswith("1 of camera_rules, ")


def test_a_pack_in_the_code_under_analysis_is_no_pack(project: Path, pack: Path) -> None:
    shutil.copytree(pack, project, dirs_exist_ok=True)
    (project / "camera_rules" / "__init__.py").write_text("raise SystemExit(7)\n")
    done = ownlint(project, "check", "brightness.cc")
    assert done.returncode == 0, done.stdout


def test_a_pack_that_names_a_rule_again_is_refused(project: Path, pack: Path) -> None:
    (pack / "camera_rules" / "drafts" / "two_owners.py").write_text(
        '"""Two again."""\nfrom __future__ import annotations\nfrom collections.abc import Iterator\n'
        "from ownlint import Finding, Function, rule\n\n\n"
        '@rule(severity="note")\ndef two_owners(function: Function) -> Iterator[Finding]:\n    yield from ()\n'
    )
    done = ownlint(project, "check", packs=pack)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "the rule `two-owners` is already defined in" in done.stderr
