"""Children read files; what kills one costs one file."""

from __future__ import annotations

import os
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ownlint.facts.records import FileRecord, decode_file
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends import extract as subject
from ownlint.frontends.extract import Task, extract
from ownlint.frontends.worker import Handshake
from ownlint.sources.compilation import Command

FAKE = """
import os, sys, time
sys.path += sys.argv[1:]
from ownlint.frontends import worker
from ownlint.facts.records import FileRecord, Meaning, Problem

def structure(self, request, data):
    if b"CRASH-STRUCTURE" in data:
        os.abort()
    if b"HANG" in data:
        time.sleep(60)
    if b"GREEDY" in data:
        bytearray(1 << 40)
    if b"RAISE" in data:
        raise KeyError("what")
    file = FileRecord(request.path, "cpp", len(data), problems=(Problem(0, 0, "partial", str(os.getpid())),))
    self._last = (request.absolute, data, file)
    return file

def meaning(self, request, data):
    import msgspec
    if b"CRASH-MEANING" in data:
        os.abort()
    if b"SPIN-MEANING" in data:
        if os.fork():
            open(request.absolute + ".pid", "w").write(str(os.getpid()))
        while True:
            pass
    print("libclang prints what it likes")
    return msgspec.structs.replace(self._structured(request, data), typed=True), ("/usr/include/stddef.h",)

worker.WorkerReader._structure = structure
worker.WorkerReader._meaning = meaning
worker.main()
"""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children that read without a parser."""
    monkeypatch.setattr(subject, "_START", FAKE)


def tasks(folder: Path, *contents: str, types: bool = False) -> list[Task]:
    made = []
    for number, content in enumerate(contents):
        path = folder / f"file{number:04}.cc"
        path.write_text(content)
        command = Command(("-std=c++17",), str(folder), True) if types else None
        made.append(Task("cpp", path.name, str(path), command, types))
    return made


def files(work: list[Task], jobs: int = 2, deadline: float = 20, **more: object) -> list[FileRecord]:
    return [decode_file(found.encoded) for found in extract(work, Vocabulary(), jobs, deadline, **more)]  # type: ignore[arg-type]


def reasons(file: FileRecord) -> list[str]:
    return [f"{problem.kind}: {problem.reason}" for problem in file.problems if not problem.reason.isdigit()]


@pytest.mark.usefixtures("fake")
def test_answers_come_in_the_order_of_the_questions(tmp_path: Path) -> None:
    work = tasks(tmp_path, *["x" * (7919 * n % 3000) for n in range(100)])
    found = files(work)
    assert [(file.path, file.size) for file in found] == [
        (task.path, Path(task.absolute).stat().st_size) for task in work
    ]


@pytest.mark.usefixtures("fake")
def test_a_crash_costs_one_file(tmp_path: Path) -> None:
    found = files(tasks(tmp_path, *["fine"] * 20, "CRASH-STRUCTURE", *["fine"] * 20), jobs=1)
    assert [reasons(file) for file in found] == [[]] * 20 + [["unread: the parser crashed (SIGABRT)"]] + [[]] * 20


@pytest.mark.usefixtures("fake")
def test_a_hang_is_killed_at_the_deadline_and_costs_one_file(tmp_path: Path) -> None:
    before = time.monotonic()
    found = files(tasks(tmp_path, "fine", "HANG", "fine"), jobs=1, deadline=1)
    assert [reasons(file) for file in found] == [[], ["limit: not read within 1 s"], []]
    assert time.monotonic() - before < 15


@pytest.mark.usefixtures("fake")
def test_a_crash_in_meaning_keeps_the_structure(tmp_path: Path) -> None:
    found = files(tasks(tmp_path, "fine", "CRASH-MEANING", "fine", types=True), jobs=1)
    assert [file.typed for file in found] == [True, False, True]
    assert reasons(found[1]) == ["types: the parser crashed (SIGABRT)"]
    assert found[1].size == len("CRASH-MEANING")


@pytest.mark.usefixtures("fake")
def test_a_busy_reader_is_killed_with_all_it_started(tmp_path: Path) -> None:
    work = tasks(tmp_path, "fine", "SPIN-MEANING", "fine", types=True)
    found = files(work, jobs=1, deadline=1)
    assert [file.typed for file in found] == [True, False, True]
    assert reasons(found[1]) == ["limit: not read within 1 s"]
    assert found[1].size == len("SPIN-MEANING")
    group = int(Path(f"{work[1].absolute}.pid").read_text())
    with pytest.raises(ProcessLookupError):
        wait_until_gone(group)


def wait_until_gone(group: int) -> None:
    for _ in range(50):
        os.killpg(group, 0)
        time.sleep(0.1)  # somebody else reaps what it had started


@pytest.mark.usefixtures("fake")
def test_a_reader_that_wants_too_much_memory_costs_one_file(tmp_path: Path) -> None:
    found = files(tasks(tmp_path, "fine", "GREEDY", "fine"), jobs=1)
    assert [reasons(file) for file in found] == [[], ["limit: internal error: MemoryError: "], []]


@pytest.mark.usefixtures("fake")
def test_a_crash_in_structure_asks_for_no_meaning(tmp_path: Path) -> None:
    found = files(tasks(tmp_path, "CRASH-STRUCTURE", "fine", types=True), jobs=1)
    assert [len(file.problems) for file in found] == [1, 1]
    assert found[1].typed


@pytest.mark.usefixtures("fake")
def test_a_parsers_exception_is_a_problem_with_its_name(tmp_path: Path) -> None:
    (found,) = files(tasks(tmp_path, "RAISE"))
    assert reasons(found) == ["unread: internal error: KeyError: 'what'"]


@pytest.mark.usefixtures("fake")
def test_what_a_parser_prints_is_no_answer_and_dependencies_come_along(tmp_path: Path) -> None:
    (found,) = extract(tasks(tmp_path, "fine", types=True), Vocabulary(), 1, 20)
    assert found.dependencies == ("/usr/include/stddef.h",)
    assert len(found.digest) == 40


@pytest.mark.usefixtures("fake")
def test_any_executor_will_do(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert len(files(tasks(tmp_path, *["fine"] * 50), executor=pool)) == 50
        assert len(files(tasks(tmp_path, *["fine"] * 50), executor=pool)) == 50


@pytest.mark.usefixtures("fake")
def test_a_child_that_grew_is_replaced(tmp_path: Path) -> None:
    limits = Handshake(Vocabulary(), retire=1)
    found = files(tasks(tmp_path, *["fine"] * 6), jobs=1, limits=limits)
    assert len({file.problems[0].reason for file in found}) == 6


@pytest.mark.usefixtures("fake")
def test_leaving_early_leaves_no_child_and_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject.tempfile, "tempdir", str(tmp_path))
    made: list[subject.Child] = []
    start = subject.Child.__init__

    def remember(self: subject.Child, settings: subject.ExtractorSettings) -> None:
        start(self, settings)
        made.append(self)

    monkeypatch.setattr(subject.Child, "__init__", remember)
    running = extract(tasks(tmp_path, "fine", *["HANG"] * 40, types=True), Vocabulary(), 2, 60)
    next(running)
    before = time.monotonic()
    running.close()  # type: ignore[attr-defined]
    assert time.monotonic() - before < 5
    assert made
    assert all(child._process.poll() is not None for child in made)
    assert not list(tmp_path.glob("ownlint-*"))


def test_no_tasks_start_no_child() -> None:
    assert files([]) == []


# --- what is read at all -----------------------------------------------------------------------


def test_only_regular_files_of_bounded_size_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.cc")
    (tmp_path / "big.cc").write_bytes(b" " * 3_000_000)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s.cc"))
        names = ["fifo.cc", "big.cc", "s.cc", "absent.cc"]
        work = [Task("cpp", name, str(tmp_path / name)) for name in names]
        work += [Task("cpp", "zero", "/dev/zero"), Task("python", "folder", str(tmp_path)), Task("cpp", "nul", "a\0b")]
        found = files(work, limits=Handshake(Vocabulary(), cpp_limit=2_500_000))
    assert [reasons(file) for file in found] == [
        ["unread: not a regular file"],
        ["limit: 3 MB is larger than 2.5 MB"],
        ["unread: not a regular file"],
        ["unread: No such file or directory"],
        ["unread: not a regular file"],
        ["unread: is a folder, not a file"],
        ["unread: not a valid file name"],
    ]
    assert found[1].size == 3_000_000


def test_a_module_of_the_analysed_project_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = tmp_path / "executed"
    for name in ("msgspec", "clang", "libcst", "tree_sitter", "tree_sitter_cpp", "ownlint", "signal", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(proof)!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])
    assert str(tmp_path) not in subject._folders()
    files(tasks(tmp_path, "int x;"))
    files([Task("python", "p.py", str(tmp_path / "msgspec.py"))])
    assert not proof.exists()
