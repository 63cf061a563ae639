"""How functions fail: which exits are failures, of which call, and how sure that is."""

from __future__ import annotations

import pytest

from ownlint.domains import failure
from ownlint.flow.places import last_name

DECLARED = """
struct Device { int id; };
absl::Status Work();
bool Try();
int Code();
Device* Make();
bool IsOpen();
bool HasRoom();
"""


def found(program, body: str, result: str = "absl::Status") -> list[tuple[str, str]]:
    """The name of what failed and the certainty, for every failing exit of a function with this body."""
    linked = program(case_cc=f"{DECLARED}{result} Subject() {{ {body} }}")
    subject = next(function for function in linked.functions if function.name == "Subject")
    return [
        (last_name(failed.cause.node.callee) if failed.cause is not None else "", failed.certainty)
        for failed in failure.failures(subject)
    ]


@pytest.mark.parametrize(
    ("result", "body", "cause", "certainty"),
    [
        ("absl::Status", "RETURN_IF_ERROR(Work()); return absl::OkStatus();", "Work", "certain"),
        ("absl::Status", "auto s = Work(); if (!s.ok()) return s; return absl::OkStatus();", "Work", "certain"),
        ("absl::Status", "return Work();", "Work", "likely"),
        ("bool", "if (!Try()) return false; return true;", "Try", "likely"),
        ("bool", "if (!Try() || !IsOpen()) return false; return true;", "Try", "likely"),
        ("int", "int rc = Code(); if (rc != 0) return rc; return 0;", "Code", "likely"),
        ("int", "int rc; if ((rc = Code()) < 0) return rc; return 0;", "Code", "likely"),
        ("bool", "Device* d = Make(); if (d == nullptr) return false; return true;", "Make", "likely"),
        ("int", "int rc = Code(); if (rc) goto out; rc = 1; out: return rc;", "Code", "likely"),
    ],
)
def test_exits_that_are_failures(program, result, body, cause, certainty):
    assert (cause, certainty) in found(program, body, result)


@pytest.mark.parametrize(
    ("result", "body"),
    [
        ("absl::Status", "return absl::OkStatus();"),
        ("absl::Status", 'return absl::InternalError("made here");'),
        ("bool", "if (HasRoom()) return true; return true;"),
        ("void", "if (!Try()) return;"),
        ("bool", "if (Try()) { if (IsOpen()) return true; } return true;"),
    ],
    ids=["success", "an error of its own", "a question", "nothing is reported", "only successes"],
)
def test_exits_that_are_none(program, result, body):
    assert found(program, body, result) == []


def test_what_stands_behind_a_loop_has_not_failed(program):
    body = "while (Work().ok()) { } return Try();"
    assert ("Work", "certain") not in found(program, body, "bool")


def test_a_number_is_an_outcome_only_where_it_decides_the_exit(program):
    body = "if (Code() == 0) return true; if (HasRoom()) { return false; } return true;"
    assert ("Code", "likely") not in found(program, body, "bool")


def test_the_projects_own_callee_throws(program):
    linked = program(
        case_cc="""
        bool Connect();
        void Inner() { if (!Connect()) throw std::runtime_error("no"); }
        void Quiet() noexcept { if (!Connect()) throw std::runtime_error("no"); }
        void Strict(int n) { if (n < 0) throw std::logic_error("negative"); }
        void Outer() { Inner(); Quiet(); Strict(1); try { Inner(); } catch (...) { } }
        """
    )
    outer = next(function for function in linked.functions if function.name == "Outer")
    thrown = list(failure.thrown(outer))
    found = [(last_name(failed.cause.node.callee), failed.certainty) for failed in thrown]
    assert found == [("Inner", "likely"), ("Strict", "possible")]
    assert thrown[0].leave.index == thrown[0].cause.index


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("false", True),
        ("true", False),
        ("nullptr", True),
        ("-1", True),
        ("0", False),
        ("kOk", False),
        ("Result::kFailed", True),
        ("CALL_ERROR_TOO_MANY", True),
        ("std::nullopt", True),
        ("absl::OkStatus()", False),
        ('absl::InternalError("x")', True),
        ("other", None),
    ],
)
def test_what_a_returned_value_says(program, value, answer):
    linked = program(case_cc=f"auto Subject(int other) {{ return {value}; }}")
    subject = linked.functions[0]
    assert failure.refuses(subject, subject.flow.leaves[0].value) is answer
