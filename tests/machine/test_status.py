"""What counts as a status, and what may answer with one."""

from __future__ import annotations

import pytest

from ownlint.project import types


def _status(made, function, name, written):
    return made.statuses.of(written, function(made, name))


def _result(made, function, name, at=0):
    """The result type of a call in a function."""
    where = function(made, name)
    return made.calls.result_type(where.flow.calls[at].node, where)


@pytest.mark.parametrize("written", ["absl::Status", "absl::StatusOr<std::map<K, V>>", "const absl::Status"])
def test_a_modelled_value_is_a_status_and_a_reference_to_one_is_not(program, function, written):
    made = program(a_cc="void f() {}")
    assert _status(made, function, "f", written).kind == "value"
    assert _status(made, function, "f", written + "&") is None


def test_codes_and_owned_errors_have_their_kinds(program, function):
    made = program(a_cc="void f() {}")
    kinds = {w: _status(made, function, "f", w) for w in ("cudaError_t", "iree_status_t", "PJRT_Error*", "PJRT_Error")}
    assert kinds["cudaError_t"].kind == "enum"
    assert kinds["iree_status_t"].kind == kinds["PJRT_Error*"].kind == "pointer"
    assert kinds["PJRT_Error"] is None


def test_a_result_that_may_well_say_no_is_advisory(program, function):
    made = program(a_cc="void f() {}")
    assert _status(made, function, "f", "mlir::LogicalResult").advisory
    assert not _status(made, function, "f", "llvm::Error").advisory


def test_a_class_of_the_project_is_a_status_when_it_can_be_asked_and_explains(program, function):
    made = program(
        a_cc="""
        struct Verdict { bool ok() const; const char* message() const; };
        struct Dialog { bool ok() const; };
        struct Change { bool ok(); const char* message() const; };
        struct [[nodiscard]] Outcome { explicit operator bool() const; };
        struct [[nodiscard]] Receipt { bool success; int number; };
        struct Pair { bool success; int number; };
        struct Late : Verdict {};
        void f() {}
        """
    )
    found = {
        name
        for name in ("Verdict", "Dialog", "Change", "Outcome", "Receipt", "Pair", "Late")
        if _status(made, function, "f", name)
    }
    assert found == {"Verdict", "Outcome", "Receipt", "Late"}
    assert _status(made, function, "f", "Verdict").certainty == "likely"
    assert _status(made, function, "f", "Outcome").certainty == "certain"


def test_an_enum_is_a_code_when_it_says_that_it_must_not_be_dropped(program, function):
    made = program(
        a_cc="""
        enum class [[nodiscard]] Code { kFine };
        enum __attribute__((warn_unused_result)) Old { FINE };
        enum class Color { kRed };
        void f() {}
        """
    )
    assert _status(made, function, "f", "Code").kind == "enum"
    assert _status(made, function, "f", "Old").kind == "enum"
    assert _status(made, function, "f", "Color") is None


def test_an_alias_leads_to_a_status_through_files_and_templates(program, function):
    made = program(
        types_h="namespace a { using Failure = absl::Status; template <class T> using Or = absl::StatusOr<T>; }",
        a_cc="namespace a { using Worse = Failure; void f() {} }",
    )
    assert _status(made, function, "f", "Worse").name == "absl::Status"
    assert _status(made, function, "f", "Or<int>").name == "absl::StatusOr"


def test_a_type_out_of_sight_is_known_by_what_is_returned_for_it(program, function):
    made = program(
        a_cc="""
        Status Open() { return Status::OK(); }
        Shape Measure() { return Shape(1); }
        """
    )
    assert _status(made, function, "Open", "Status").certainty == "likely"
    assert _status(made, function, "Open", "Shape") is None


def test_the_result_of_a_lambda_is_what_it_returns(program, function):
    made = program(
        a_cc="""
        absl::Status Push(int part);
        void f() {
          auto push = [](int part) { return Push(part); };
          push(1);
          [] { return Push(2); }();
        }
        """
    )
    assert {_result(made, function, "f", at) for at in range(2)} == {"absl::Status"}


@pytest.mark.parametrize(
    "held", ["std::function<absl::Status(int)>", "const absl::FunctionRef<absl::Status(int)>&", "absl::Status (*)(int)"]
)
def test_what_holds_a_function_answers_as_the_function_does(held):
    assert types.called(held) == "absl::Status"


def test_what_holds_no_function_answers_nothing():
    assert types.called("std::vector<int>") == types.called("int") == ""
    assert types.called("Poly<sizeof(void*), int(A)>") == ""


def test_a_body_that_mentions_nothing_that_answers_is_skipped(program, function):
    made = program(
        a_cc="""
        absl::Status Flush();
        [[nodiscard]] bool Lock();
        struct Visitor { absl::Status operator()(int); };
        int Count();
        void drops() { Flush(); }
        void locks() { Lock(); }
        void counts() { Count(); }
        void visits() { Visitor each; each(1); }
        void takes(std::function<absl::Status()> done) { done(); }
        void copies() { cudaMemcpy(1, 2, 3); }
        """
    )
    asked = ("drops", "locks", "counts", "visits", "takes", "copies")
    worth = {name for name in asked if made.statuses.may_drop(function(made, name))}
    assert worth == {"drops", "locks", "visits", "takes", "copies"}


def test_a_method_of_a_foreign_class_is_not_guessed_by_its_name(program, function):
    made = program(
        a_cc="""
        struct Journal { absl::Status Flush(); };
        void known(Journal& journal) { journal.Flush(); }
        void foreign(std::ofstream& file) { file.Flush(); }
        void unknown(int n) { somewhere(n)->Flush(); }
        """
    )
    assert _result(made, function, "known") == "absl::Status"
    assert _result(made, function, "foreign") == ""
    assert _result(made, function, "unknown", -1) == "absl::Status"
