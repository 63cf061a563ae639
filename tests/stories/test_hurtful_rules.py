"""Rules that loop, crash, eat memory or end the process: each costs what it was at, is named, and no more is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests import starting

RULE = '''\
"""{title}.

It is there to hurt.
"""
from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule


@rule(severity="warning")
def {name}(function: Function) -> Iterator[Finding]:
    yield function.finding(function.record.span, "`" + function.name + "` is seen")
    if function.name.startswith("Bad"):
{body}
'''
"""It finds something in every function, and hurts at those that are called `Bad`."""

SOURCE = """\
int First(int size) { return size; }
int Bad(int size) { return size + 1; }
int Last(int size) { return size + 2; }
"""

LIMITS = """\
import sys
from ownlint import analysis
from ownlint import steps
from ownlint.analysis import analyst
analyst._WORTH_DEALING = {worth}
analysis.DEFAULT = analysis.Limits(seconds={seconds}, memory={memory})
steps.BUDGET = {budget}
steps.PER_BYTE = 0
"""

SPIN = "while True:\n    pass"
RECURSE = "def deeper(depth):\n    return deeper(depth + 1) + 1\ndeeper(0)"
COUNTED = "for _ in range(100):\n    list(function.flow)"


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def findings(self) -> list[tuple[str, str]]:
        """The rule of each, and its message, in order."""
        return [(one["rule"], one["message"]) for one in json.loads(self.out)["findings"]]

    @property
    def incomplete(self) -> list[tuple[str, str, str]]:
        return [(one["path"], one["kind"], one["reason"]) for one in json.loads(self.out)["incomplete"]]


class Bench:
    """A project, a pack of rules that hurt, and short limits."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        self.project = folder / "project"
        self.rules: list[str] = []
        pack = self.site / "hurtful"
        (pack / "drafts").mkdir(parents=True)
        for place in (pack, pack / "drafts"):
            (place / "__init__.py").write_text("")
        told = self.site / "hurtful-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text("Metadata-Version: 2.1\nName: hurtful\nVersion: 1.0\n")
        (told / "entry_points.txt").write_text("[ownlint.rules]\nhurtful = hurtful\n")
        self.project.mkdir()
        (self.project / "a.cc").write_text(SOURCE)
        self.rule("seen", "pass")

    def rule(self, name: str, body: str) -> str:
        indented = "\n".join(f"        {line}" for line in body.splitlines())
        text = RULE.format(title=name.capitalize(), name=name, body=indented)
        (self.site / "hurtful" / "drafts" / f"{name}.py").write_text(text)
        self.rules.append(name)
        return name

    def start(
        self,
        *more: str,
        seconds: float = 30,
        memory: int = 8 << 30,
        budget: int = 10**6,
        cached: bool = False,
        worth: int = 1 << 20,
    ) -> tuple[str, list[str]]:
        """What is run first, and arguments. A worker is for `worth` bytes of source."""
        before = LIMITS.format(seconds=seconds, memory=memory, budget=budget, worth=worth)
        chosen = [argument for name in self.rules for argument in ("--select", name)]
        cache = [] if cached else ["--no-cache"]
        return before, ["check", "--isolated", "--output-format", "json", *cache, *chosen, *more]

    def check(self, *more: str, **limits: float) -> Done:
        before, arguments = self.start(*more, **limits)  # type: ignore[arg-type]
        done = starting.text(*arguments, cwd=self.project, safe_path=True, site=self.site, before=before, timeout=240)
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def seen(*names: str) -> list[tuple[str, str]]:
    return [("seen", f"`{name}` is seen") for name in names]


class Hurt(NamedTuple):
    body: str
    kind: str
    reason: str
    limits: dict[str, float]


HURTS = {
    "it raises": Hurt('raise KeyError("what")', "rule", "failed: KeyError: 'what' (in `Bad`)", {}),
    "it wants to end the run": Hurt("raise SystemExit(0)", "rule", "failed: SystemExit: 0 (in `Bad`)", {}),
    "it interrupts": Hurt("raise KeyboardInterrupt", "rule", "failed: KeyboardInterrupt:  (in `Bad`)", {}),
    "it raises what is no exception": Hurt("raise BaseException(1)", "rule", "failed: BaseException: 1 (in `Bad`)", {}),
    "it ends the process": Hurt("import os\nos._exit(0)", "rule", "failed: its process ended (in `Bad`)", {}),
    "it crashes": Hurt(
        "import ctypes\nctypes.string_at(1)", "rule", "failed: its process crashed (SIGSEGV) (in `Bad`)", {}
    ),
    "it aborts": Hurt("import os\nos.abort()", "rule", "failed: its process crashed (SIGABRT) (in `Bad`)", {}),
    "it hangs": Hurt(SPIN, "limit", "did not finish: not finished within 2 s (in `Bad`)", {"seconds": 2}),
    "it sleeps": Hurt(
        "import time\ntime.sleep(600)", "limit", "did not finish: not finished within 2 s (in `Bad`)", {"seconds": 2}
    ),
    "it recurses": Hurt(RECURSE, "limit", "did not finish: it takes too many steps (in `Bad`)", {}),
    "it takes many steps": Hurt(
        COUNTED, "limit", "did not finish: it takes too many steps (in `Bad`)", {"budget": 200}
    ),
    "it hides that": Hurt(
        f"try:\n    {COUNTED.splitlines()[0]}\n        list(function.flow)\nexcept Exception:\n    pass",
        "limit",
        "did not finish: it takes too many steps (in `Bad`)",
        {"budget": 200},
    ),
    "it eats memory": Hurt(
        "every = []\nwhile True:\n    every.append(bytes(1 << 24))",
        "limit",
        "did not finish: it uses too much memory (in `Bad`)",
        {"memory": 3 << 30},
    ),
}


@pytest.mark.parametrize("how", HURTS)
def test_it_costs_its_own_judgement(bench: Bench, how: str) -> None:
    hurt = HURTS[how]
    bench.rule("hurts", hurt.body)
    done = bench.check(**hurt.limits)
    assert done.incomplete == [("a.cc", hurt.kind, f"rule `hurts` {hurt.reason}")]
    assert sorted(done.findings) == [
        ("hurts", "`First` is seen"),
        ("hurts", "`Last` is seen"),
        *seen("Bad", "First", "Last"),
    ]
    assert done.code == 1
    assert f"a.cc: {'stopped at a limit: ' if hurt.kind == 'limit' else ''}rule `hurts` {hurt.reason}" in done.err
    assert bench.check("--fail-on-incomplete", **hurt.limits).code == 2


def test_without_a_finding_the_exit_code_is_0(bench: Bench) -> None:
    (bench.project / "a.cc").write_text("int Bad(int size) { return size; }\n")
    bench.rules.clear()
    bench.rule("hurts", "raise KeyError")
    assert bench.check().code == 0
    assert bench.check("--fail-on-incomplete").code == 2


def test_what_it_prints_goes_nowhere(bench: Bench) -> None:
    bench.rule("hurts", "import os\nprint('{}')\nos.write(1, b'[]')\nos.write(2, b'oh')")
    done = bench.check()
    assert done.incomplete == []
    assert len(done.findings) == 6
    assert "oh" not in done.err


def test_a_cut_off_is_remembered_with_its_limit(bench: Bench) -> None:
    bench.rule("hurts", COUNTED)
    short = bench.check(cached=True, budget=200)
    assert len(short.findings) == 5
    assert bench.check(cached=True, budget=200).incomplete == short.incomplete
    whole = bench.check(cached=True)
    assert whole.incomplete == []
    assert len(whole.findings) == 6
    assert bench.check(cached=True, budget=200).out == short.out


def test_what_was_cut_off_is_not_judged_again_because_another_file_changed(bench: Bench) -> None:
    log = bench.site / "log"
    bench.rule("hurts", f"open({str(log)!r}, 'a').write(function.name)\n{COUNTED}")
    (bench.project / "b.cc").write_text("int Other() { return 1; }\n")
    short = bench.check(cached=True, budget=200)
    assert [kind for _, kind, _ in short.incomplete] == ["limit"]
    (bench.project / "b.cc").write_text("int Other() { return 1 + 1; }\n")
    assert bench.check(cached=True, budget=200).incomplete == short.incomplete
    assert log.read_text() == "Bad"


def test_what_rests_on_a_shared_answer_that_was_cut_off_is_cut_off_too(bench: Bench) -> None:
    shared = "from ownlint.project.questions import question\n@question\ndef shared(function):\n    {}\n"
    (bench.site / "hurtful" / "_shared.py").write_text(
        shared.format("[list(function.flow) for _ in range(100)]\n    return 1")
    )
    for name in ("one", "two"):
        bench.rule(name, "from hurtful._shared import shared\nshared(function)")
    done = bench.check(budget=200)
    assert [reason for _, _, reason in done.incomplete] == [
        f"rule `{name}` did not finish: it takes too many steps (in `Bad`)" for name in ("one", "two")
    ]
    assert ("one", "`Bad` is seen") not in done.findings


def test_a_rule_that_always_fails_is_given_up_and_named(bench: Bench) -> None:
    (bench.project / "a.cc").write_text("".join(f"int Bad{n}() {{ return {n}; }}\n" for n in range(200)))
    bench.rule("hurts", "import os\nos.abort()")
    done = bench.check()
    assert [finding for finding in done.findings if finding[0] == "hurts"] == []
    assert len(done.findings) == 200
    reasons = [reason for _, _, reason in done.incomplete]
    assert "rule `hurts` failed: it is not run on the rest of the file" in reasons
    assert len(reasons) == 4


def test_the_same_with_any_number_of_jobs_cold_and_warm(bench: Bench) -> None:
    for number in range(6):
        (bench.project / f"b{number}.cc").write_text(SOURCE)
    bench.rule("hurts", "import os\nos.abort()")
    bench.rule("long", COUNTED)
    runs = [
        bench.check("--jobs", jobs, budget=200, cached=cached)
        for jobs, cached in (("1", False), ("4", False), ("4", True), ("1", True))
    ]
    assert {run.out for run in runs} == {runs[0].out}
    assert len(runs[0].incomplete) == 14


# --- nothing stays behind ------------------------------------------------------------------------------


def descendants(pid: int) -> list[int]:
    """The processes below a process, by what the system says of their parents."""
    parents: dict[int, int] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture
def hanging(bench: Bench) -> Iterator[Callable[[], tuple[subprocess.Popen[bytes], list[int]]]]:
    """A run whose rule hangs, and its children."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> tuple[subprocess.Popen[bytes], list[int]]:
        mark = bench.project / "at-it"
        bench.rule("hurts", f"open({str(mark)!r}, 'w').close()\n{SPIN}")
        before, arguments = bench.start(seconds=300)
        run = subprocess.Popen(
            [sys.executable, "-P", "-c", before + starting.MAIN, *arguments],
            cwd=bench.project,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(bench.site), os.environ.get("PYTHONPATH", "")])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        started.append(run)
        wait_for(mark.exists)
        return run, descendants(run.pid)

    yield start
    for run in started:
        run.kill()
        run.communicate()


def wait_for(happened: Callable[[], bool]) -> None:
    for _ in range(1200):
        if happened():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


Hanging = Callable[[], tuple[subprocess.Popen[bytes], list[int]]]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_children_and_says_what_was_found(hanging: Hanging, number: int) -> None:
    run, children = hanging()
    assert len(children) == 2
    run.send_signal(number)
    assert run.wait(timeout=60) == 2
    assert not any(alive(child) for child in children)


def test_a_run_that_is_killed_leaves_nobody_behind(hanging: Hanging) -> None:
    run, children = hanging()
    assert len(children) == 2
    run.kill()
    run.wait(timeout=60)
    wait_for(lambda: not any(alive(child) for child in children))


DEALT = {
    "nothing fails": "pass",
    "one raises": "raise ValueError('no')",
    "one is killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "one takes too many steps": COUNTED,
    "one hangs": SPIN,
}


@pytest.mark.parametrize("body", DEALT.values(), ids=DEALT)
def test_what_is_dealt_to_several_workers_says_the_same(bench: Bench, body: str) -> None:
    for number in range(7):
        names = "Bad" if number in (2, 5) else "Good"
        (bench.project / f"{number}.cc").write_text(SOURCE.replace("Bad", f"{names}{number}"))
    bench.rule("hurts", body)
    alone = bench.check(worth=1 << 20, budget=400, seconds=4)
    dealt = bench.check("--jobs", "3", worth=60, budget=400, seconds=4)
    assert json.loads(dealt.out) == json.loads(alone.out)
    assert len(alone.findings) > 20


def test_a_run_that_ends_while_the_analyst_judges_says_what_was_judged(bench: Bench) -> None:
    for number in range(7):
        name = "Bad" if number == 5 else "Good"
        (bench.project / f"{number}.cc").write_text(SOURCE.replace("Bad", f"{name}{number}"))
    bench.rule("hurts", SPIN)
    ended = bench.check("--jobs", "3", "--deadline", "6s", worth=60, seconds=100)
    assert ended.code == 2
    assert ("hurts", "`Good4` is seen") in ended.findings
    assert {path for path, _, _ in ended.incomplete} >= {"5.cc", "6.cc"}


def test_what_fails_everywhere_is_given_up_by_several_workers_as_by_one(bench: Bench) -> None:
    for number in range(12):
        (bench.project / f"{number}.cc").write_text(SOURCE.replace("First", "Bad1").replace("Last", "Bad2"))
    bench.rule("hurts", "raise ValueError('no')")
    alone = bench.check()
    dealt = bench.check("--jobs", "3", worth=60)
    assert json.loads(dealt.out) == json.loads(alone.out)
    assert any("not run on the rest" in reason for _, _, reason in alone.incomplete)
