"""Pages whose sessions are run: a block with a file's name is that file, a `console` block is typed into a shell.

One page is one shell in one empty folder, from top to bottom. A line that begins with `$ ` is a command; what follows,
up to the next, is what it prints, where `...` stands for anything, in a line or for lines. A command ends with 0 unless
`# exits with N` says otherwise. A command that ends with a backslash goes on in the next line.

    python tests/docs/transcripts.py PAGE ...

writes into the pages what the commands print now.
"""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(
    r"^(?P<ticks>`{3,})(?P<language>\w+)(?: (?P<name>\S+))?\n(?P<body>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL
)
_EXIT = re.compile(r"#.*?\bexits with (\d+)")
_ELLIPSIS = "..."


class File(NamedTuple):
    name: str
    text: str


class Command(NamedTuple):
    line: int
    text: str
    output: str

    @property
    def code(self) -> int:
        found = _EXIT.search(self.text)
        return int(found[1]) if found else 0


class Ran(NamedTuple):
    command: Command
    output: str
    code: int


def steps(page: str) -> Iterator[File | Command]:
    for fence in _FENCE.finditer(page):
        line = page.count("\n", 0, fence.start("body")) + 1
        if fence["language"] == "console":
            yield from _commands(fence["body"], line)
        elif fence["name"]:
            yield File(fence["name"], fence["body"])


def _commands(body: str, first: int) -> Iterator[Command]:
    """Each command with the lines below it."""
    at, text, output = 0, "", ""
    for number, line in enumerate(body.splitlines(keepends=True), first):
        if text.endswith("\\\n") and not output:
            text += line
        elif line.startswith("$ "):
            if text:
                yield Command(at, text, output)
            at, text, output = number, line.removeprefix("$ "), ""
        else:
            assert text, f"line {number}: output before any command"
            output += line
    if text:
        yield Command(at, text, output)


def environment_of(folder: Path) -> Path:
    """A virtual environment that sees what is installed here, `pip` too; what a page installs stays in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next((folder / "lib").glob("python3*/site-packages"))
    lines = [f"import site; site.addsitedir({place!r})\n" for place in (*site.getsitepackages(), *_OURS)]
    (packages / "beside.pth").write_text("".join(lines))
    return folder


def run(page: str, folder: Path, **variables: str) -> list[Ran]:
    """Runs the page in `folder`, which is empty. Nothing is fetched: what `pip` installs finds the rest here."""
    project, hidden = folder / "project", folder / "hidden"
    hidden.mkdir(parents=True)
    project.mkdir()
    tools = environment_of(hidden / "venv") / "bin"
    for name, module in (("ownlint", "ownlint"), ("pre-commit", "pre_commit")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{tools}/python3" -P -m {module} "$@"\n')
        (tools / name).chmod(0o755)
    script: list[str] = []
    commands: list[Command] = []
    for number, step in enumerate(steps(page)):
        if isinstance(step, File):
            (hidden / f"file{number}").write_text(step.text, encoding="utf-8")
            script.append(f'mkdir -p "$(dirname "{step.name}")" && cp "{hidden}/file{number}" "{step.name}"')
        else:
            place = f"{hidden}/{len(commands)}"
            script.append(f"{{ {step.text.rstrip()}\n}} >'{place}.out' 2>&1 </dev/null; echo $? >'{place}.code'")
            commands.append(step)
    done = subprocess.run(
        ["bash", "--norc", "--noprofile"],
        input="\n".join(script) + "\n",
        cwd=project,
        env=_environment(hidden, tools, variables),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert not done.stderr, done.stderr
    return [_ran(command, hidden / str(number)) for number, command in enumerate(commands)]


def _environment(hidden: Path, tools: Path, variables: dict[str, str]) -> dict[str, str]:
    """Nothing of who runs it: no settings of git, no colour, no cache of somebody else."""
    return {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(hidden),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": f"you{'@example.invalid' * (what == 'EMAIL')}" for who in _WHO for what in _WHAT},
        "PIP_NO_BUILD_ISOLATION": "0",  # which is how pip is told that there is to be none
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTEST_ADDOPTS": "-p no:asyncio",  # a plugin of ours that speaks up where it is not set
        **variables,
    }


_OURS = [str(ROOT / "linter"), str(ROOT / "rules")]
_WHO, _WHAT = ("AUTHOR", "COMMITTER"), ("NAME", "EMAIL")


def _ran(command: Command, place: Path) -> Ran:
    code = place.with_suffix(".code")
    output = place.with_suffix(".out")
    if not code.is_file():
        return Ran(command, "the shell ended before", -1)
    return Ran(command, output.read_text(encoding="utf-8", errors="replace"), int(code.read_text()))


def agrees(told: str, printed: str) -> bool:
    """`...` alone on its line is any number of lines; within a line it is any text of that line."""
    pattern = "".join(_pattern(line) for line in told.rstrip("\n").splitlines())
    lines = "".join(f"{line.rstrip()}\n" for line in printed.rstrip("\n").splitlines())
    return re.fullmatch(pattern, lines) is not None


def _pattern(line: str) -> str:
    if line.strip() == _ELLIPSIS:
        return r"(?:.*\n)*"
    return "[^\n]*".join(map(re.escape, line.rstrip().split(_ELLIPSIS))) + "\n"


def problems(page: str, folder: Path, **variables: str) -> list[str]:
    found = []
    for ran in run(page, folder, **variables):
        where = f"line {ran.command.line}: $ {ran.command.text.strip()}"
        if ran.code != ran.command.code:
            found.append(f"{where}\nexits with {ran.code}, printing\n{ran.output}")
        elif not agrees(ran.command.output, ran.output):
            found.append(f"{where}\nprints\n{ran.output}\nand not\n{ran.command.output}")
    return found


def updated(page: str, folder: Path, **variables: str) -> str:
    """The page with what its commands print now, where they do not agree."""
    lines = page.splitlines(keepends=True)
    for ran in reversed(run(page, folder, **variables)):
        start = ran.command.line - 1 + ran.command.text.count("\n")
        if not agrees(ran.command.output, ran.output):
            printed = [f"{line.rstrip()}\n" for line in ran.output.rstrip("\n").splitlines()]
            lines[start : start + ran.command.output.count("\n")] = printed
        if ran.code != ran.command.code:
            print(f"line {ran.command.line}: exits with {ran.code}: {ran.command.text.strip()}")
    return "".join(lines)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        with tempfile.TemporaryDirectory() as scratch:
            path.write_text(
                updated(path.read_text(encoding="utf-8"), Path(scratch), OWNLINT=str(ROOT)), encoding="utf-8"
            )
