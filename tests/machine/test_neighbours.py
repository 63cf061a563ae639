"""What one file costs the others: nothing. Where a function is too large for an answer about the whole program, it is
left unread."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from ownlint import catalogue, steps
from ownlint.finding import Crash, Finding
from ownlint.frontends.cpp import structure
from ownlint.frontends.python import read as python_read
from ownlint.project import questions
from ownlint.project.lowering import Lowering
from ownlint.project.program import Program
from ownlint.project.subjects import Function
from ownlint.testing.cases import load_models

INNOCENT = """
class Counter {
 public:
  void Add(int n) { std::lock_guard<std::mutex> lock(mu_); total_ += n; }
  void Sub(int n) { std::lock_guard<std::mutex> lock(mu_); total_ -= n; }
  int Take() { std::lock_guard<std::mutex> lock(mu_); return total_; }
  void Reset() { total_ = 0; }
 private:
  std::mutex mu_;
  int total_ = 0;
};
PyObject* names(PyObject* self, PyObject* args) {
  PyObject* list = PyList_New(0);
  PyObject* name = PyUnicode_FromString("first");
  if (name == NULL) return NULL;
  return list;
}
struct Pool {
  ~Pool() {}
  Buffer* buffer_ = buffer_create();
};
Buffer* buffer_create();
void buffer_destroy(Buffer* buffer);
"""

OTHER = """
class Store {
 public:
  void Put(int n) { std::lock_guard<std::mutex> lock(mu_); if (n) size_ = n; }
  void Take(int n) { std::lock_guard<std::mutex> lock(mu_); while (n) size_ -= n--; }
  std::mutex mu_;
  int size_ = 0;
};
PyObject* items(PyObject* self, PyObject* args) {
  PyObject* made = PyList_New(0);
  if (made == NULL) return NULL;
  for (int i = 0; i < 3; ++i) PyList_Append(made, self);
  return made;
}
struct Holder {
  Holder() : held_(thing_create()) { keep(held_); }
  ~Holder() { thing_destroy(held_); }
  Thing* held_;
};
Thing* thing_create() { return new Thing(); }
void thing_destroy(Thing* thing) { delete thing; }
"""


def _said(**files: str) -> tuple[list[Finding], list[Crash]]:
    """What all rules say of the first file, and what was not judged anywhere else than in the others."""
    models = load_models()
    records = [structure.read(f"{name}.cc", text.encode(), models.vocabulary()) for name, text in files.items()]
    said = list(catalogue.run(catalogue.load(), Program(records, models)))
    findings = [one for one in said if isinstance(one, Finding) and one.path == "innocent.cc"]
    return findings, [one for one in said if isinstance(one, Crash) and one.path != "other.cc"]


def test_a_file_that_is_too_large_for_everything_costs_the_others_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = _said(innocent=INNOCENT)
    assert {"guarded-member-unlocked", "reference-leaked"} <= {finding.rule for finding in alone[0]}
    flow = Lowering.flow

    def hostile(self: Lowering, function: Function) -> object:
        if function.path == "other.cc":
            steps.looks_at(function, function.path)
            steps.spend(1 << 40)
        return flow(self, function)

    monkeypatch.setattr(Lowering, "flow", hostile)
    assert _said(innocent=INNOCENT, other=OTHER) == alone


def test_functions_that_are_too_many_together_cost_their_own_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = _said(innocent=INNOCENT)
    monkeypatch.setattr(steps, "BUDGET", 2000)
    made = "".join(
        f"Buffer* conv(T{n} x, T{n + 1}* y)"
        f" {{ Buffer* b = buffer_create(nullptr, {n}); conv(x, b); return conv(y, b); }}\n"
        for n in range(250)
    )
    assert _said(innocent=INNOCENT, other=made) == alone


def test_a_function_that_is_left_unread_is_only_declared() -> None:
    models = load_models()
    program = Program([structure.read("other.cc", OTHER.encode(), models.vocabulary())], models)
    items = next(function for function in program.functions if function.name == "items")
    left = program.without({(items.path, items.index)})
    names = [function.name for function in program.functions]
    assert [function.name for function in left.functions] == [name for name in names if name != "items"]
    assert [record.name for record in left.index.declarations_of("items")] == ["items"]


def test_every_question_about_the_whole_program_is_listed() -> None:
    root = Path(__file__).parent.parent.parent
    made = subprocess.run([sys.executable, str(root / "docs/questions.py")], capture_output=True, text=True, check=True)
    assert made.stdout in (root / "docs/reliability.md").read_text(encoding="utf-8")


def test_functions_that_call_each_other_with_ever_more_are_run_so_often_and_no_more() -> None:
    made = "from mlir.ir import Module\n" + "".join(
        f"def f{n}(m, *a, **k):\n"
        f"    x = f{(n * 2 + 1) % 60}(Module.parse(m), m.body, *a, k=m, **k)\n"
        f"    return f{(n * 5 + 2) % 60}(x, a, m)\n"
        for n in range(60)
    )
    innocent = (
        "from mlir.ir import Module\ndef entry(source):\n    return Module.parse(source).body.operations[0].name\n"
    )
    models = load_models()
    records = [
        python_read.read(f"{name}.py", text.encode(), models.vocabulary(), name)
        for name, text in (("made", made), ("innocent", innocent))
    ]
    began = time.process_time()
    said = list(catalogue.run(catalogue.load(), Program(records, models)))
    assert [one.rule for one in said if isinstance(one, Finding)] == ["child-outlives-owner"]
    assert not [one for one in said if isinstance(one, Crash)]
    assert time.process_time() - began < 30


@questions.program_question
def _endless(program: Program) -> int:
    return _endless(program) + 1


def test_an_answer_that_asks_itself_is_given_up_for_all_who_ask(program) -> None:
    made = program(a_cc="int f();")
    with pytest.raises(RecursionError):
        _endless(made)
    name = questions.ended_stack()
    assert name.endswith("_endless")
    assert questions.ended_stack() == ""
    questions.give_up(made, name)
    before = steps.start(1000)
    with pytest.raises(steps.LimitError):
        _endless(made)
    assert questions.is_of_all()
    assert not steps.stop(before)
