"""Functions, classes and imports: what a file declares."""

from __future__ import annotations

import pytest
from python_facts import file_of, function, plain

from ownlint.facts import records as r

SOURCE = """
    class C(Base, metaclass=M):
        limit: int = 3

        def __init__(self, a: T, /, b=1, *rest, k: str = "x", **more) -> None:
            self.a: Kept = a

            def later():
                self.b = lambda: a

        @staticmethod
        def s(x): x.y = 1

        @property
        def p(self): yield 1

        @functools.wraps(f)
        async def q(self): pass

        class D:
            def __del__(self): self.gone = 1
    """


def test_functions_know_where_they_stand() -> None:
    file = file_of(SOURCE)
    facts = [(f.kind, f.scope, f.name, f.owner, f.parent) for f in file.functions]
    assert facts == [
        ("module", "", "<module>", "", -1),
        ("class", "", "<class C>", "", -1),
        ("constructor", "C", "__init__", "C", -1),
        ("function", "C.__init__", "later", "", 2),
        ("lambda", "C.__init__.later", "<lambda>", "", 3),
        ("method", "C", "s", "C", -1),
        ("method", "C", "p", "C", -1),
        ("method", "C", "q", "C", -1),
        ("class", "C", "<class D>", "", -1),
        ("destructor", "C.D", "__del__", "C.D", -1),
    ]


def test_qualifiers_and_decorators() -> None:
    file = file_of(SOURCE)
    assert function(file, "s").qualifiers == ("static",)
    assert function(file, "p").qualifiers == ("generator", "property")
    assert function(file, "q").qualifiers == ("async",)
    assert [plain(each) for each in function(file, "q").annotations] == ["Annotation(functools.wraps, f)"]


def test_parameters() -> None:
    constructor = function(file_of(SOURCE), "__init__")
    assert constructor.result == "None"
    assert [
        (p.name, p.type, p.default and plain(p.default), p.spread, p.keyword_only) for p in constructor.parameters
    ] == [
        ("self", "", None, "", False),
        ("a", "T", None, "", False),
        ("b", "", "1", "", False),
        ("rest", "", None, "*", False),
        ("k", "str", '"x"', "", True),
        ("more", "", None, "**", False),
    ]


def test_classes() -> None:
    outer, inner = file_of(SOURCE).classes
    assert [(field.name, field.type, field.static) for field in outer.fields] == [
        ("limit", "int", True),
        ("a", "Kept", False),
        ("b", "", False),  # assigned by a function inside of a method
    ]
    assert [base.name for base in outer.bases] == ["Base"]
    assert (outer.scope, outer.destructor) == ("", "implicit")
    assert (inner.scope, inner.name, inner.destructor) == ("C", "D", "defined")


def test_a_local_class_and_its_methods_belong_to_the_function() -> None:
    file = file_of("def f():\n    class C:\n        def m(self): pass")
    assert [(function.name, function.parent) for function in file.functions][2:] == [("<class C>", 1), ("m", 1)]
    assert file.classes[0].parent == 1


def test_the_name_of_a_definition_is_found() -> None:
    source = "@d\nasync  def \\\n  f(): pass\nclass\tC: pass\n"
    file = file_of(source)
    assert source[function(file, "f").name_start] == "f"
    assert source[function(file, "<class C>").name_start] == "C"


def test_mentions_are_what_is_called_and_what_is_assigned() -> None:
    source = "def f(a):\n    a.b(c())\n    a.d = e\n    a.g[0] = 1\n    for h, i in a: pass\n    lambda: j()"
    assert function(file_of(source), "f").mentions == ("=d", "=g", "=h", "=i", "b", "c")


def test_module_variables_keep_their_annotation() -> None:
    assert [(v.name, v.type) for v in file_of("a = 1\nb: T = 2\na = 3\n").variables] == [("a", ""), ("b", "T")]


@pytest.mark.parametrize(
    ("statement", "path", "name", "target"),
    [
        ("import a.b", "p/q/m.py", "a.b", "a.b"),
        ("import a.b as c", "p/q/m.py", "c", "a.b"),
        ("from a import b", "p/q/m.py", "b", "a.b"),
        ("from a import b as c", "p/q/m.py", "c", "a.b"),
        ("from . import b", "p/q/m.py", "b", "p.q.b"),
        ("from .a import b", "p/q/m.py", "b", "p.q.a.b"),
        ("from ..a import b", "p/q/m.py", "b", "p.a.b"),
        ("from ...a import b", "p/q/m.py", "b", "...a.b"),
        ("from .a import b", "p/q/__init__.py", "b", "p.q.a.b"),
        ("from .. import b", "p/q/__init__.py", "b", "p.b"),
        ("from . import b", "m.py", "b", ".b"),
        ("from .a import *", "p/q/m.py", "*", "p.q.a"),
    ],
)
def test_imports(statement: str, path: str, name: str, target: str) -> None:
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    (found,) = file_of(statement, module, path).imports
    assert (found.name, found.target, found.scope) == (name, target, -1)


def test_imports_inside_of_functions_and_conditions_are_recorded() -> None:
    file = file_of("try:\n    import a\nexcept ImportError:\n    import b as a\ndef f():\n    import c\n")
    assert [(i.name, i.target, i.scope) for i in file.imports] == [("a", "a", -1), ("a", "b", -1), ("c", "c", 1)]


def test_every_body_can_be_decoded() -> None:
    file = r.decode_file(r.encode_file(file_of(SOURCE)))
    assert all(isinstance(r.decode_body(function), tuple) for function in file.functions)
