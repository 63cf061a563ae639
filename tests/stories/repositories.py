"""A project in a real git repository, with two backends that should agree and a class with a bug."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests import starting

COMMAND = (sys.executable, "-P", "-m", "ownlint")

LAUNCH = """\
Status {0}Graph::Launch(int count, Stream* stream) {{
  if (count == 0) return InvalidArgument("nothing to launch");

  Begin(stream);
  Submit(stream, nodes_, count);
  return Finish(stream);
}}
"""
CHECK = '  if (count == 0) return InvalidArgument("nothing to launch");\n'

SESSION = """\
class {0} {{
 public:
  Status Connect() {{
    if (connected_) return OkStatus();
    connected_ = true;
    RETURN_IF_ERROR(Handshake());
    return OkStatus();
  }}
  Status Handshake();
  bool connected_ = false;
}};
"""


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def found(self) -> list[tuple[str, int, str, str]]:
        findings: list[dict[str, Any]] = json.loads(self.out)["findings"]
        return [(f["path"], f["line"], f["rule"], f["certainty"]) for f in findings]


class Project:
    def __init__(self, root: Path, *, empty: bool = False) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")
        if empty:
            return
        self.write("gpu/cuda/graph.cc", LAUNCH.format("Cuda"))
        self.write("gpu/rocm/graph.cc", LAUNCH.format("Rocm"))
        self.write("session.cc", SESSION.format("Old"))
        self.commit()

    def git(self, *arguments: str) -> None:
        identity = {
            f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=self.root, env=environment, capture_output=True, check=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", "--no-verify", "--allow-empty")

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def check(self, *arguments: str, form: str = "json", quiet: bool = True, where: str = "") -> Done:
        options = ["--output-format", form, *(["-q"] if quiet else []), *arguments]
        done = starting.text("check", *options, cwd=self.root / where, safe_path=True)
        return Done(done.returncode, done.stdout, done.stderr)
