"""Whether what ownlint says can be understood: the words of every finding of kept reports.

    python benchmarks/wording.py REPORT.json ...

No text has an empty name or says of a macro or an operator that it fails; no step is the finding's own line, or told
twice. What is wrong is listed; the exit code is 1 where anything is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ownlint.testing.wording import name_problems


def problems(finding: dict[str, Any]) -> Iterator[str]:
    for what in ("message", "help", "reason"):
        yield from name_problems(what, finding[what])
    told = set()
    for step in finding["steps"]:
        yield from name_problems("step", step["message"])
        if (step["path"], step["line"]) == (finding["path"], finding["line"]):
            yield f"a step is the finding's own line: {step['message']}"
        if (said := tuple(step.items())) in told:
            yield f"a step is told twice: {step['message']}"
        told.add(said)


def main(paths: list[str]) -> int:
    wrong = findings = 0
    for path in paths:
        for finding in json.loads(Path(path).read_bytes())["findings"]:
            findings += 1
            for problem in problems(finding):
                wrong += 1
                print(f"{path}: {finding['path']}:{finding['line']}: {finding['rule']}: {problem}")
    print(f"{wrong} problems in {findings} findings of {len(paths)} reports")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
