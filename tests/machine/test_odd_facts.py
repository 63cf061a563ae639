"""Code that is none goes through every rule without a crash, and its facts keep what the records promise."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.machine.conftest import make

from ownlint import catalogue
from ownlint.facts import anchors
from ownlint.facts.records import FileRecord, decode_file
from ownlint.finding import Crash
from ownlint.frontends.worker import Handshake, Request, WorkerReader
from ownlint.project.program import Program
from ownlint.testing.cases import load_models
from record_invariants import broken

CPP = {
    "a call of nothing": "add(){::();",
    "a call of a scope": "abandon(){{}::(){}",
    "an assignment to a scope": "b(){::=1;a::=2;++::;}",
    "template arguments that do not close": (
        "take(){Shape shape;owned_=make_unique<(>(shape)std bytes(bytes.data;}<>owned_"
    ),
    "template arguments that open": "struct A{A(int*p):p_(p){}int*p_;};void f(){auto a=std::make_unique<A<(>(x);g(a);}",
    "a function without a name": "struct{Card{},[]()return Card",
    "a class without a name as a function": "class map_()();",
    "a member that is initialized and has no name": "Foo():x(,(){}",
    "an initializer without a name": "Foo():x(*{}(){}",
    "a type without a name that is constructed": "void f(){struct{int x;}data(result,);struct{}a{1};}",
    "a type without a name that is new": "void f(){auto*p=new struct{int x;}();}",
    "a cast to nothing": "make(){{}{{}}()noexcept;",
    "the size of nothing": "int fn=sizeof().shared_ptr",
    "a block behind a macro of a scope": "Shape(){{}::result(shared_ptr<>buf{}",
    "a macro with a scope": "inline cb(PyObject*{extern::z(PyObject*{}",
    "template arguments of an operator": "ByDeleter(){owned_by<<<char,OkStatus();",
    "a loop over nothing": "void f(){for(:x){g();}for(auto[]:x){}for(auto:x)h();}",
    "a declaration of nothing": "void f(){auto[]=g();int;int=1;*;}",
    "an alias of nothing": "using =int;using A=;typedef;using a::;namespace b=;using namespace;",
    "a base without a name": "struct A:public,a::,virtual{};",
    "a capture without a name": "void f(){auto g=[={1},&,=x,...]{};}",
    "a binding of nothing": "NB_MODULE(){result=new py::class_}",
    "an argument of nothing": 'RETURN_IF_ERROR(...{ASSIGN_OR_RETURN(auto y,[&,new=""""{}',
    "a method bound to nothing": "p(){Foo->def_property(;}",
    "an escape behind a return": (
        "class View { public: explicit View(const std::vector<int>& x) : r_(x) {} const std::vector<int>& r_; };\n"
        "class T {\n  View f() { std::lock_guard<std::mutex> l(mu_); return View(rows_); return View(rows_); }\n"
        "  std::mutex mu_; std::vector<int> rows_ ABSL_GUARDED_BY(mu_);\n};\n"
    ),
}

PYTHON = {
    "a with that has no blank": "from mlir.ir import Module\ntype X = int\nwith.1and Module.parse(x): pass\n",
    "strings of two kinds": "from mlir.ir import Module\ntype X = int\nm = Module.parse(x)\nx = 'a' b'b'\n",
}


def _files(folder: Path, name: str, text: str) -> tuple[FileRecord, ...]:
    known = load_models()
    words = [word for rule in catalogue.load() for word in rule.anchors]
    reader = WorkerReader(Handshake(anchors.with_words(known.vocabulary(), words)))
    (folder / name).write_text(text)
    kind = "python" if name.endswith(".py") else "structure"
    file = decode_file(reader.answer(Request(kind, name, str(folder / name), module="a"))[1])  # type: ignore[arg-type]
    assert not [problem for problem in file.problems if "internal error" in problem.reason]
    return (file,)


@pytest.mark.parametrize(
    ("name", "text"),
    [pytest.param("a.cc", text, id=about) for about, text in CPP.items()]
    + [pytest.param("a.py", text, id=about) for about, text in PYTHON.items()],
)
def test_no_rule_stumbles(tmp_path: Path, name: str, text: str) -> None:
    files = _files(tmp_path, name, text)
    assert list(broken(files[0])) == []
    said = list(catalogue.run(catalogue.load(), Program(files, load_models())))
    assert [result for result in said if isinstance(result, Crash)] == []


def test_an_argument_that_is_donated_from_the_end_of_unknown_parameters() -> None:
    program = make(a_py="import jax\nstep = jax.jit(jax.jit(lambda x: x), donate_argnums=-3)\nprint(step(1))\n")
    assert [said for said in catalogue.run(catalogue.load(), program) if isinstance(said, Crash)] == []
