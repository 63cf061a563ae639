"""Draws repairs from public histories, for somebody to read and to put into a list of `known_bugs`.

    python benchmarks/known_bugs_draw.py --repositories DIR --to FILE [--most N] [REPOSITORY ...]

DIR holds bare clones, as `known_bugs.py` reads them; REPOSITORY is `owner/name`, all of DIR without one. A repair is
a commit whose message speaks of what an ownership bug is called, that changes at most three files of code besides
tests and what is vendored, and few lines. Which N of a repository are taken depends on their hashes alone: nobody has
looked whether ownlint finds them. FILE gets a list in JSON with what `known_bugs.py --import` needs but for `family`,
`where` and `why`, which are a reader's, and `near` as the hunks say it; `message` and `diff` are for the reader. What
is written down of one third of the entries, by the hash of their names, goes to a list that stays unread.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora import bare_clone

_WORDS = (
    r"(memory|reference|ref|resource|handle|fd|descriptor)s? ?leak|leak(s|ed|ing)?\b|use[- ]after[- ](free|move|scope)"
    r"|\bUAF\b|heap[- ]use|double[- ]free|dangling|ref[- ]?count|reference count|dead ?lock|race condition|data race"
    r"|thread[- ]?saf|keep_alive|\bGIL\b|lifetime|null[- ]pointer|nullptr deref|NULL deref|null check"
    r"|return_value_policy|invalidated iterator|iterator invalid|unchecked (return|malloc|status)"
    r"|ignored? (return|status|error)|segfault|crash"
)
_CODE = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".py", ".cu", ".hxx")
_BESIDE = re.compile(
    r"(^|/)(tests?|testing|third_party|3rdparty|thirdparty|extern|external|vendor|deps|examples?|bench(mark)?s?|docs?)"
    r"(/|$)|_test\.|test_|/fuzz"
)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")
_FILES, _LINES, _CHARACTERS = 3, 90, 14_000


def git(clone: Path, *arguments: str) -> str:
    command = ["git", "-c", "safe.directory=*", "--git-dir", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode(errors="replace")


def changed(clone: Path, commit: str) -> list[str]:
    """The files of code that a repair changes; none where it is no small one."""
    found: list[str] = []
    lines = 0
    for row in git(clone, "diff-tree", "-r", "--numstat", "--no-commit-id", commit).splitlines():
        added, removed, path = row.split("\t", 2)
        if path.endswith(_CODE) and not _BESIDE.search(path):
            if added == "-":
                return []
            found.append(path)
            lines += int(added) + int(removed)
    return found if len(found) <= _FILES and lines <= _LINES else []


def near(diff: str) -> list[str]:
    """The first line of each hunk on the side before, as `file.c:12`."""
    found: list[str] = []
    path = ""
    for line in diff.split("\n"):
        if line.startswith("--- a/"):
            path = line.rsplit("/", 1)[-1]
        elif (hunk := _HUNK.match(line)) is not None and path:
            found.append(f"{path}:{hunk[1]}")
    return found


def drawn(clone: Path, repository: str, most: int) -> Iterator[dict[str, Any]]:
    log = git(clone, "log", "HEAD", "--no-merges", "-i", "-E", f"--grep={_WORDS}", "--format=%H").split()
    for commit in sorted(log, key=lambda one: hashlib.sha1(one.encode()).hexdigest()):
        parent = git(clone, "rev-parse", f"{commit}^").strip()
        paths = [path for path in changed(clone, commit) if git(clone, "cat-file", "-t", f"{parent}:{path}").strip()]
        diff = git(clone, "diff", "-U6", parent, commit, "--", *paths) if paths else ""
        if not diff or len(diff) > _CHARACTERS:
            continue
        name = re.sub(r"\W+", "-", repository.partition("/")[2].lower())
        yield {
            "id": f"{name}-{commit[:8]}",
            "language": "python" if all(path.endswith(".py") for path in paths) else "cpp",
            "repository": repository,
            "paths": paths,
            "before": parent,
            "fixed": commit,
            "where": "",
            "near": near(git(clone, "diff", "-U0", parent, commit, "--", *paths)),
            "message": git(clone, "log", "-1", "--format=%s%n%b", commit).strip()[:1200],
            "diff": diff,
        }
        most -= 1
        if most == 0:
            return


def is_unread(name: str) -> bool:
    """Whether an entry of that name goes to the list that nobody reads."""
    return int(hashlib.sha1(f"unread:{name}".encode()).hexdigest(), 16) % 3 == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw repairs from public histories.")
    parser.add_argument("--repositories", type=Path, required=True, help="a folder of bare clones")
    parser.add_argument("--to", type=Path, required=True, help="the file to write")
    parser.add_argument("--most", type=int, default=9, help="so many of a repository")
    parser.add_argument("repository", nargs="*")
    given = parser.parse_args()
    named = given.repository or sorted(one.name.replace("+", "/") for one in given.repositories.glob("*+*"))
    found = [one for name in named for one in drawn(bare_clone(given.repositories, name), name, given.most)]
    told = [{**one, "unread": is_unread(one["id"])} for one in found]
    given.to.write_text(json.dumps(told, indent=1), encoding="utf-8")
    print(f"{len(told)} repairs of {len(named)} repositories")
    return 0


if __name__ == "__main__":
    sys.exit(main())
