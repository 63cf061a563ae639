"""Photographs `docs/report-page.png`: the HTML report of the example, open at a borrow that crosses the border.

python docs/page_picture.py    (needs a chromium, and `pip install '.[html]'`)
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SIZE = (1160, 1900)
"""All of the page: what a headless browser has scrolled, it photographs in the wrong place."""
SHOWN = ("child-outlives-owner", "lengths")
"""Rule and symbol of the finding at which the page is open."""


def check(*options: str) -> str:
    command = [
        sys.executable,
        "-m",
        "ownlint",
        "check",
        "examples/turbine/python/report.py",
        "--exit-zero",
        "--quiet",
        "--no-cache",
    ]
    return subprocess.run([*command, *options], cwd=HERE.parent, capture_output=True, text=True, check=True).stdout


def fingerprint() -> str:
    found = json.loads(check("--output-format", "json"))["findings"]
    return next(str(each["fingerprint"]) for each in found if (each["rule"], each["symbol"]) == SHOWN)


def photograph(page: Path, anchor: str, picture: Path) -> None:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("error: there is no chromium here")
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000"]
    options += [f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={picture}", f"{page.as_uri()}#{anchor}"]
    subprocess.run([program, f"--user-data-dir={page.parent / 'profile'}", *options], capture_output=True, check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        check("--output-format", "html", "-o", str(page))
        photograph(page, f"f-{fingerprint()}", HERE / "report-page.png")
