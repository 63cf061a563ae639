"""The example project's bugs are all reported, and none of their innocent twins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

IN_CPP = {
    ("src/handle_registry.cc", "turbine::HandleRegistry::Create", "unguarded-registry-insert"),
    ("src/controller.cc", "turbine::Controller::Start", "flag-set-before-success"),
    ("src/controller.cc", "turbine::Controller::~Controller", "discarded-status"),
    ("src/bindings.cc", "Turbine.rotor", "borrow-without-keep-alive"),
    ("src/bindings.cc", "Turbine.blades", "borrow-without-keep-alive"),
    ("src/bindings.cc", "Turbine.view", "borrow-without-keep-alive"),
}
IN_PYTHON = {
    ("python/lowering.py", "entry_name", "child-outlives-owner"),
    ("python/lowering.py", "entry", "child-outlives-owner"),
    ("python/lowering.py", "Stale.__init__", "child-outlives-owner"),
    # What a binding lent is used after the owner was freed.
    ("python/report.py", "idle_speed", "child-outlives-owner"),
    ("python/report.py", "lengths", "child-outlives-owner"),
}


def reported(*options: str) -> set[tuple[str, str, str]]:
    command = [sys.executable, "-m", "ownlint", "check", "examples/turbine", "--no-cache", "--output-format", "json"]
    ran = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 1, ran.stderr
    return {
        (finding["path"].removeprefix("examples/turbine/"), finding["symbol"], finding["rule"])
        for finding in json.loads(ran.stdout)["findings"]
    }


@pytest.mark.parametrize("types", ["never", "always"])
def test_exactly_the_bugs_are_reported(types: str) -> None:
    assert reported("--types", types) == IN_CPP | IN_PYTHON
