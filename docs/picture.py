"""Draws `docs/report.svg`: what `ownlint check` prints about two bugs of the example, one on each side of the border.

python docs/picture.py
"""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

HERE = Path(__file__).parent
WIDTH = 120
COMMAND = ("check", "examples/turbine/src/handle_registry.cc", "examples/turbine/python/report.py")
HIDDEN = ("--no-cache", "--exit-zero", "--quiet", "--color", "always")

THEME = TerminalTheme(
    (13, 17, 23),
    (201, 209, 217),
    [
        (72, 79, 88),
        (255, 123, 114),
        (63, 185, 80),
        (210, 153, 34),
        (88, 166, 255),
        (188, 140, 255),
        (57, 197, 207),
        (177, 186, 196),
    ],
)

# Rich's own frame fetches its font from elsewhere, which a page that shows pictures does not allow.
FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def report() -> str:
    """The report with its colours, as a terminal gets it."""
    command = [sys.executable, "-m", "ownlint", *COMMAND, *HIDDEN]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    return done.stdout


def draw(shown: str) -> str:
    """The picture of the command and what it printed."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text(f"$ ownlint {' '.join(COMMAND)}"))
    console.print(Text.from_ansi(shown.rstrip("\n")))
    drawn = console.export_svg(title="ownlint", theme=THEME, code_format=FRAME, unique_id="report")
    # Carets stand below what they point at in whatever font the reader has.
    return drawn.replace(" textLength=", ' lengthAdjust="spacingAndGlyphs" textLength=')


if __name__ == "__main__":
    (HERE / "report.svg").write_text(draw(report()), encoding="utf-8")
