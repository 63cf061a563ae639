"""What names refer to."""

from __future__ import annotations

import pytest
from python_facts import file_of, meanings, types


def test_a_chain_is_resolved_at_each_of_its_names() -> None:
    found = meanings("from mlir import ir\nm = ir.Module.parse(s)")
    assert found == [("ir", "mlir.ir"), ("Module", "mlir.ir.Module"), ("parse", "mlir.ir.Module.parse")]


def test_a_chain_ends_at_a_call() -> None:
    assert meanings("import a\na.f().g") == [("a", "a"), ("f", "a.f")]


def test_a_dotted_import_binds_its_root() -> None:
    assert meanings("import a.b\na.b.c()") == [("a", "a"), ("b", "a.b"), ("c", "a.b.c")]


def test_a_local_shadows_an_import_even_before_it_is_bound() -> None:
    source = """
    import a
    def f():
        a.x
        a = 1
    def g(a): a.x
    def h(): a.y  # ok: not bound here
    """
    assert meanings(source) == [("a", "a"), ("y", "a.y")]


def test_loops_handlers_with_and_comprehensions_shadow() -> None:
    source = """
    import a
    def f():
        for a in []: a.x
    def g():
        with o() as a: a.x
    def h():
        try: pass
        except E as a: a.x
    def i(): return [a.x for a in a.every]
    """
    assert meanings(source) == [("a", "a"), ("every", "a.every")]


def test_methods_do_not_see_the_names_of_their_class() -> None:
    source = """
    import a
    class C:
        a = 1
        a.x
        def f(self): a.y
    """
    assert meanings(source) == [("a", "a"), ("y", "a.y")]


def test_plain_aliases_are_followed() -> None:
    source = """
    from mlir import ir
    Module = ir.Module
    def f():
        parse = Module.parse
        return parse(s)
    """
    assert meanings(source)[-1] == ("parse", "mlir.ir.Module.parse")


def test_an_alias_that_is_bound_twice_means_nothing() -> None:
    assert "z" not in dict(meanings("import a\nz = a.x\nz = a.y\nz()"))


def test_aliases_in_a_circle_mean_nothing() -> None:
    assert meanings("a = b\nb = a\na()") == []


def test_the_first_of_two_imports_wins() -> None:
    source = """
    try:
        from a import f
    except ImportError:
        from b import f
    f()
    """
    assert meanings(source) == [("f", "a.f")]


def test_a_placeholder_does_not_hide_an_import() -> None:
    source = """
    g = None
    try:
        from a import f, g
    except ImportError:
        f = None
    f(), g()
    """
    assert meanings(source) == [("f", "a.f"), ("g", "a.g")]


def test_a_rebound_import_means_nothing() -> None:
    assert meanings("from a import f\nf = wrap(f)\nf()") == []


def test_imports_for_type_checkers_count() -> None:
    assert meanings("if TYPE_CHECKING:\n    from a import T\ndef f(x: T): pass") == [("T", "a.T")]


def test_definitions_of_the_module_are_its_own() -> None:
    source = """
    def f(): g()
    def g(): C.m
    class C:
        def m(self): pass
    """
    assert meanings(source) == [("g", "pkg.mod.g"), ("C", "pkg.mod.C"), ("m", "pkg.mod.C.m")]


def test_own_methods_are_found_through_self() -> None:
    source = """
    class C:
        def f(self):
            self.g()
            self.other()  # ok: defined elsewhere, if at all
            def later(): self.g()
        def g(me): me.f()
        @staticmethod
        def h(x): x.g()
    """
    assert meanings(source) == [("g", "pkg.mod.C.g"), ("g", "pkg.mod.C.g"), ("f", "pkg.mod.C.f")]


def test_a_self_that_is_rebound_is_no_longer_self() -> None:
    assert meanings("class C:\n    def f(self):\n        def g(self): self.f()\n") == []


def test_global_and_nonlocal_reach_out() -> None:
    source = """
    import a, b
    def f():
        global a
        a = 1
        def g():
            nonlocal c
            c()
        c = b.c
    a.x
    """
    assert meanings(source) == [("c", "b.c"), ("b", "b"), ("c", "b.c")]


def test_annotations_give_types_to_parameters_and_variables() -> None:
    source = """
    import typing as t
    from mlir import ir
    def f(a: ir.Module, b: "ir.Block", c: t.Optional[ir.Operation], d: ir.Value | None, e: list[ir.Value], *g: ir.X):
        h: ir.Region = g
    """
    assert types(source) == {
        "a": "mlir.ir.Module",
        "b": "mlir.ir.Block",
        "c": "mlir.ir.Operation",
        "d": "mlir.ir.Value",
        "e": "mlir.ir.Value[]",
        "h": "mlir.ir.Region",
    }  # `e` holds such things and is none; so does `g`


def test_names_in_quoted_annotations_are_resolved() -> None:
    assert ("Block", "mlir.ir.Block") in meanings('from mlir import ir\ndef f(b: "ir.Block"): pass')


def test_the_type_of_an_attribute_of_self() -> None:
    assert types("from a import T\nclass C:\n    def f(self, x):\n        self.x: T = x") == {"x": "a.T"}


def test_what_only_a_star_import_can_have_bound_says_so() -> None:
    source = "from mlir.ir import *\nModule.parse(s)\nlen(s)\nx = 1\nx\n"
    assert meanings(source)[:2] == [("Module", "*.Module"), ("parse", "*.Module.parse")]
    assert ("len", "*.len") not in meanings(source)


def test_builtins_that_are_not_shadowed_say_so() -> None:
    assert [m.symbol for m in file_of("print(next)\ndef list(): pass\nlist()").meanings] == [
        "builtins.print",
        "builtins.next",
        "pkg.mod.list",
    ]


def test_decorators_are_resolved_outside_of_what_they_decorate() -> None:
    source = "import a\n@a.b\ndef f(a): a.c"
    assert meanings(source) == [("a", "a"), ("b", "a.b")]


def test_meanings_are_sorted_and_one_a_place() -> None:
    file = file_of("import a\n" * 3 + "def f(x: a.T): return a.b(a.c, x)\n" * 3)
    starts = [meaning.start for meaning in file.meanings]
    assert starts == sorted(set(starts))


@pytest.mark.parametrize("quoted", ["'ir.Op'", '"ir.Op"', "r'ir.Op'", "'''ir.Op'''", "u'ir.Op'"])
def test_an_annotation_in_quotes_of_any_kind_is_read(quoted: str) -> None:
    assert ("Op", "mlir.ir.Op") in meanings(f"from mlir import ir\ndef f(op: {quoted}): op")


@pytest.mark.parametrize("quoted", ["'ir.' 'Op'", r"'ir\x2eOp'", "b'ir.Op'", "f'ir.Op'"])
def test_an_annotation_that_is_spelled_otherwise_is_not(quoted: str) -> None:
    assert ("Op", "mlir.ir.Op") not in meanings(f"from mlir import ir\ndef f(op: {quoted}): op")
