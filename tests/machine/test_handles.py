"""Handles and who holds them: states by themselves, and functions of every shape."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import ownlint_rules
from ownlint.crossing import border
from ownlint.domains.handles.handles import NOTHING, Handle, Handles, HandleState, inside
from ownlint.engine.containment import ANY, BURIED
from ownlint.facts.records import FileRecord, Span
from ownlint.frontends.python.read import read
from ownlint.models import libraries as models
from ownlint.project.program import Program

MODELS = models.load([Path(ownlint_rules.__file__).parent / "models"])
AT = Span(1, 2)


HEAD = ["from mlir.ir import Module", "def f(a, b, flag, found):"]
TYPED = [
    "from mlir.ir import InsertionPoint, Module, Operation, SymbolTable",
    "from mlir.passmanager import PassManager",
    "def f(self, m: Module, op: Operation, p: PassManager):",
]


def misuses(body: str, *, typed: bool = False) -> list[tuple[str, str, str]]:
    """Kind, child and certainty of what goes wrong in a function with this body, line by line."""
    imports = (
        "from mlir.ir import InsertionPoint, Module, Operation, SymbolTable\nfrom mlir.passmanager import PassManager"
    )
    head = [imports, "def f(self, m: Module, op: Operation, p: PassManager):"] if typed else HEAD
    lines = [*head, *(f"    {line}" for line in body.splitlines())]
    program = Program([file_of("\n".join(lines))], MODELS)
    return [(m.kind, m.child.shown, m.certainty) for m in border.of(program).misuses]


def file_of(source: str) -> FileRecord:
    vocabulary = MODELS.vocabulary()
    return read("case.py", source.encode(), vocabulary, "case")


def held(token: int, *, holds: bool = True) -> Handles:
    return frozenset({Handle("Module", (token, 0), holds, AT, "made")})


def test_a_token_lives_as_long_as_a_name_holds_it() -> None:
    state = HandleState().bind("a", held(1), AT, "").bind("b", held(1), AT, "").bind("c", held(1, holds=False), AT, "")
    assert state.alive((1, 0))
    state = state.bind("a", NOTHING, AT, "")
    assert state.alive((1, 0))
    state = state.bind("b", NOTHING, AT, "`{name}` goes")
    assert not state.alive((1, 0))
    assert state.end_of((1, 0)) == (AT, "`b` goes")


def test_the_next_round_of_a_loop_makes_another_object() -> None:
    state = HandleState().bind("a", held(1), AT, "").age(1)
    assert not state.alive((1, 0))
    assert state.alive((1, 1))


def test_a_path_says_where_in_a_container_a_handle_sits() -> None:
    handle = next(iter(inside(inside(held(1), "1"), ANY)))
    assert handle.path == (ANY, "1")
    assert handle.out().path == ("1",)
    for _ in range(9):
        handle = handle.inside(ANY)
    assert handle.path[-1] == BURIED
    assert len(handle.path) == 4


def test_certainty_is_about_paths() -> None:
    branch = "m = Module.parse(a)\nop = m.body.operations[0]\nif flag:\n    m = None\nreturn op.name"
    assert misuses(branch) == [("use", "m.body.operations[0]", "likely")]
    straight = "m = Module.parse(a)\nop = m.body.operations[0]\nm = None\nreturn op.name"
    assert misuses(straight) == [("use", "m.body.operations[0]", "certain")]


def test_one_finding_a_child() -> None:
    body = "op = Module.parse(a).body.operations[0]\nprint(op)\nprint(op.name)\nreturn op"
    assert [kind for kind, _, _ in misuses(body)] == ["use"]


def test_a_function_of_very_many_paths_ends() -> None:
    body = "\n".join(f"if flag:\n    m{i} = Module.parse(a)\n    o{i} = m{i}.body.operations[0]" for i in range(60))
    assert misuses(body) == []


STATEMENTS = st.sampled_from(
    [
        "m = Module.parse(a)",
        "m = None",
        "del m",
        "n = m",
        "op = m.body.operations[0]",
        "op, *rest = m.body.operations",
        "found.append(op)",
        "kept = [op for op in m.body]",
        "print(op.name)",
        "for op in m.body: print(op)",
        "while flag: m = Module.parse(b)",
        "with m as n: pass",
        "try: op = m.body.operations[0]\nexcept ValueError: m = None\nfinally: print(m)",
        "g = lambda: op",
        "def h(): return m, op",
        "if (w := Module.parse(a)): op = w.body.operations[0]",
        "return op",
        "return m, op",
        "yield op",
        "match op:\n    case None: pass\n    case _: m = op",
        "class C: first = m",
        "global m",
        "f(a, b, flag, found)",
        "found[a] = op, m",
    ]
)
ENDING = st.sampled_from(
    [
        "op.erase()",
        "p.run(m.operation)",
        "op = op.detach_from_parent()",
        "m.body.append(op)",
        "self.op = op",
        "print(self.op)",
        "for u in op.results[0].uses: u.owner.erase()",
        "for op in m.body: op.erase()",
        "m.operation.walk(lambda op: op.erase())",
        "try: return op\nfinally: op.erase()",
        "with InsertionPoint(m.body): op = Operation.create('x')",
        "t = SymbolTable(m.operation)\nt['f'].erase()\nt['f']",
        "del t['f']",
        "while flag: op = op.parent",
        "found = [op for op in m.body]\nfound.pop().erase()",
        "match found:\n    case [op, *m]: pass\n    case {'a': m}: op = m",
        "f(self, op, flag=m, found=op)",
    ]
)


@settings(max_examples=150)
@given(st.lists(STATEMENTS, max_size=10))
def test_no_body_raises_and_the_answer_is_the_same_twice(body: list[str]) -> None:
    source = "\n".join(body) or "pass"
    assert misuses(source) == misuses(source)


@settings(max_examples=100)
@given(st.lists(STATEMENTS.filter(lambda line: "del" not in line and "None" not in line), max_size=8))
def test_an_owner_that_a_global_list_holds_is_never_gone(body: list[str]) -> None:
    """Every owner made here is handed to somebody nobody knows: then nothing may be said."""
    guarded = [re.sub(r"(\w) = (Module.parse\(\w\))$", r"\1 = \2; keep(\1)", line) for line in body if ":=" not in line]
    assert misuses("\n".join(guarded) or "pass") == []


@settings(max_examples=150)
@given(st.lists(STATEMENTS | ENDING, max_size=10))
def test_what_ends_handles_never_raises_either(body: list[str]) -> None:
    source = "\n".join(body) or "pass"
    assert misuses(source, typed=True) == misuses(source, typed=True)


@settings(max_examples=100)
@given(st.lists(ENDING, max_size=6))
def test_what_nobody_gave_a_class_is_never_spoken_of(body: list[str]) -> None:
    """But for what has `results` and a `parent`: that is told by what is asked of it."""
    telling = ("InsertionPoint", "SymbolTable", "results")
    plain = [line for line in body if not any(word in line for word in telling)]
    assert misuses("\n".join(plain) or "pass") == []
