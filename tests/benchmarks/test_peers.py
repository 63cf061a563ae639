"""What peers' tests expect is read out of their files; a bug is found when a rule of its kind speaks in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from expected import (
    Bug,
    Finding,
    Kind,
    Miss,
    Peer,
    PeerError,
    cpychecker_bugs,
    infer_bugs,
    is_innocent,
    last,
    peer,
    scored,
)
from peers import PEERS, cpychecker_tests, infer_tests, table

from ownlint import catalogue

FOLDER = "infer/tests/codetoanalyze/c/pulse/"
ISSUES = """\
codetoanalyze/c/pulse/a.c, twice_bad, 2, USE_AFTER_FREE, no_bucket, ERROR, [invalidation part, `free()`,invalid access]
codetoanalyze/c/pulse/a.c, box::Box<int, 3>::leak_bad, 1, MEMORY_LEAK_C, no_bucket, ERROR, [allocation part]
codetoanalyze/c/pulse/a.c, FP_kept_ok, 1, MEMORY_LEAK_C, no_bucket, ERROR, [allocation part]
codetoanalyze/c/pulse/a.c, hidden_bad, 1, MEMORY_LEAK_C, no_bucket, ERROR, [*** SUPPRESSED ***,allocation part]
codetoanalyze/c/pulse/a.c, null_bad, 1, NULLPTR, no_bucket, ERROR, [invalid access]
"""
PEER = Peer(
    title="a peer",
    repository="o/n",
    folders=(FOLDER,),
    kind=(
        Kind("use", ("USE_AFTER_FREE",), ("two-owners",), "no rule"),
        Kind("leak", ("MEMORY_LEAK_C",), ("handle-leaked",)),
    ),
    out_of_subject={"NULLPTR": "not ours"},
)


@pytest.mark.parametrize("name", PEERS)
def test_the_descriptions_name_rules_that_exist(name: str) -> None:
    rules = {rule.id for rule in catalogue.load()}
    of = peer(name)
    assert {rule for kind in of.kind for rule in kind.rules} <= rules
    assert not of.kinds.keys() & of.out_of_subject.keys()


def test_what_infer_expects() -> None:
    path = f"{FOLDER}a.c"
    assert infer_bugs(FOLDER, ISSUES) == {
        Bug(path, "twice_bad", "USE_AFTER_FREE"),
        Bug(path, "box::Box::leak_bad", "MEMORY_LEAK_C"),
        Bug(path, "null_bad", "NULLPTR"),
    }


def test_what_is_innocent() -> None:
    assert all(map(is_innocent, ("fine_ok", "box::fine_good", "fine2_ok", "fine_ok3", "box::ok")))
    assert not any(map(is_innocent, ("fine_bad", "look", "book")))


def test_what_cpychecker_expects() -> None:
    told = (
        "In function 'test':\n"
        "a/input.c:4:nn: warning: memory leak: ob_refcnt of '*made' is 1 too high [enabled by default]\n"
        "a/input.c:4:nn: note: was expecting\n"
        "a/input.c:9:nn: warning: calling PyTuple_Pack with NULL as argument 2 (obj) at a/input.c:9\n"
        "In function 'other':\n"
        "a/input.c:20:nn: warning: future use-after-free: ob_refcnt of return value is 1 too low\n"
        "a/input.c:21:nn: warning: mismatching argument count in call to PyTuple_Pack\n"
    )
    assert cpychecker_bugs("a/input.c", told) == {
        Bug("a/input.c", "test", "refcount too high"),
        Bug("a/input.c", "test", "NULL used"),
        Bug("a/input.c", "other", "refcount too low"),
        Bug("a/input.c", "other", "not checked"),
    }


def test_names_are_compared_without_templates_and_lambdas() -> None:
    assert last("a::Box<std::pair<int, int>>::leak") == "Box::leak"
    assert last("run::lambda_3::operator()") == "run"


def test_a_bug_is_found_by_a_rule_of_its_kind_in_its_function() -> None:
    path = f"{FOLDER}a.c"
    said = [
        Finding("handle-leaked", path, "Box::leak_bad", "m"),
        Finding("handle-leaked", path, "twice_bad", "m"),
        Finding("two-owners", f"{FOLDER}b.c", "twice_bad", "m"),
    ]
    score = scored(PEER, infer_bugs(FOLDER, ISSUES), said, [])
    assert {bug.function for bug in score.found} == {"box::Box::leak_bad"}
    assert {bug.function for bug in score.missed} == {"twice_bad"}
    assert {bug.function for bug in score.beyond} == {"null_bad"}


def test_a_kind_of_which_nothing_is_said_is_a_mistake() -> None:
    with pytest.raises(PeerError, match="nothing is said of the kind SURPRISE"):
        scored(PEER, [Bug("a.c", "f", "SURPRISE")], [], [])


def test_a_miss_has_the_reason_that_was_recorded_for_it() -> None:
    bug = Bug("a.c", "f_bad", "USE_AFTER_FREE")
    assert PEER.reason(bug) == "no rule"
    assert PEER.reason(bug._replace(kind="MEMORY_LEAK_C")) == "nobody has looked yet"
    looked = Peer(PEER.title, "o/n", (), PEER.kind, {}, (Miss("through a field", ("a.c:f_bad",)),))
    assert looked.reason(bug) == "through a field"


def test_innocent_functions_are_those_that_are_so_named_and_not_expected(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    (folder / "issues.exp").write_text(ISSUES.replace("twice_bad", "twice_ok_bad"))
    (folder / "a.c").write_text("void fine_ok(int n) {\n}\nvoid twice_ok_bad() {\n}\nvoid two_bad() {\n}\n")
    tests = infer_tests(PEER, tmp_path)
    assert tests.innocent == {(f"{FOLDER}a.c", "fine_ok")}
    lines = list(
        table(PEER, tests, scored(PEER, tests.bugs, [], [Finding("two-owners", "a.c", "fine_ok", "m")]), False)
    )
    assert "  1 innocent places, 1 loud" in lines
    assert any(line.endswith("out of subject: NULLPTR: not ours") for line in lines)


def test_a_file_in_which_nothing_is_expected_is_innocent_unless_somebody_says_why_it_is_not(tmp_path: Path) -> None:
    for name in ("fine", "other"):
        (tmp_path / "refs" / name).mkdir(parents=True)
        (tmp_path / "refs" / name / "input.c").write_text("int f(void) { return 0; }\n")
    of = Peer("a peer", "o/n", ("refs",), PEER.kind, {}, not_innocent={"refs/other/input.c": "it tests the output"})
    assert cpychecker_tests(of, tmp_path).innocent == {("refs/fine/input.c", "")}
