"""Bindings as people write them, and what is found of each."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from tests.record_invariants import broken

import ownlint_rules
from ownlint.facts import binding_reader
from ownlint.facts import records as r
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.cpp import structure
from ownlint.models.libraries import load

Found = tuple[tuple[r.BoundClass, ...], tuple[r.BindingRecord, ...]]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load([Path(next(iter(ownlint_rules.__path__))) / "models"]).vocabulary()


@pytest.fixture
def extract(vocabulary: Vocabulary):  # type: ignore[no-untyped-def]
    def run(source: str, head: str = "#include <pybind11/pybind11.h>\nnamespace py = pybind11;\n") -> Found:
        text = f"{head}{textwrap.dedent(source)}"
        return binding_reader.extract(structure.read("x.cc", text.encode(), vocabulary), vocabulary)

    return run


def body(lines: str) -> str:
    return f"PYBIND11_MODULE(x, m) {{\n{textwrap.dedent(lines)}\n}}\n"


NANOBIND = "#include <nanobind/nanobind.h>\nnamespace nb = nanobind;\n"


def test_a_chain_off_the_class(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        body(
            """
            py::class_<Doc, Base, std::shared_ptr<Doc>>(m, "Document", py::dynamic_attr())
                .def(py::init<const Engine&, int>(), py::keep_alive<1, 2>(), py::arg("engine"), py::arg("n") = 3)
                .def("child", &Doc::child, py::return_value_policy::reference_internal, "its child")
                .def_static("make", [](int n) { return Doc(n); })
                .def_property_readonly("title", &Doc::title)
                .def_property("size", &Doc::size, &Doc::set_size)
                .def_readwrite("slot", &Doc::slot);
            """
        )
    )
    (cls,) = classes
    assert (cls.name, cls.type, cls.parent, cls.framework) == ("Document", "Doc", "m", "pybind11")
    assert cls.arguments == ("Doc", "Base", "std::shared_ptr<Doc>")
    assert [extra.name for extra in cls.extras] == ["dynamic_attr"]
    assert [(each.name, each.kind, each.owner) for each in members] == [
        ("__init__", "init", 0),
        ("child", "method", 0),
        ("make", "static", 0),
        ("title", "property", 0),
        ("size", "property_rw", 0),
        ("slot", "field_rw", 0),
    ]
    init, child, make, _, size, _ = members
    assert isinstance(init.callable, r.Call)
    assert init.callable.template == "const Engine&, int"
    assert [(extra.name, extra.template) for extra in init.extras] == [("keep_alive", "1, 2"), ("arg", ""), ("arg", "")]
    assert [extra.name for extra in child.extras] == ["reference_internal", ""]
    assert isinstance(child.callable, r.Unary)
    assert isinstance(make.callable, r.Lambda)
    assert isinstance(size.setter, r.Unary)


def test_a_binding_starts_at_its_own_name(extract) -> None:  # type: ignore[no-untyped-def]
    source = 'void f(py::module_ &m) { py::class_<A>(m, "A").def("x", &A::x).def("y", &A::y); }'
    _, (x, y) = extract(source, "namespace py = pybind11;\n")
    text = "namespace py = pybind11;\n" + source
    assert (text[x.start : x.end], text[y.start : y.end]) == ('def("x", &A::x)', 'def("y", &A::y)')


@pytest.mark.parametrize(
    "declaration",
    [
        'py::class_<A> cls(m, "A");',
        'py::class_<A> cls{m, "A"};',
        'auto cls = py::class_<A>(m, "A");',
        'auto cls = py::class_<A>(m, "A").def("before", &A::before);',
        'pybind11::class_<A> cls = pybind11::class_<A>(m, "A");',
    ],
)
def test_a_variable_holds_the_class(extract, declaration: str) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        body(declaration + '\ncls.def("f", &A::f).def("g", &A::g);\ncls.def_readonly("h", &A::h);')
    )
    assert [(each.name, each.type, each.variable) for each in classes] == [("A", "A", "cls")]
    assert [each.name for each in members if each.name != "before"] == ["f", "g", "h"]
    assert {each.owner for each in members} == {0}


def test_a_lambda_sees_the_variables_around_it(extract) -> None:  # type: ignore[no-untyped-def]
    _, members = extract(
        body('py::class_<A> cls(m, "A");\nauto add = [&](const char* name) { cls.def(name, &A::f); };\nadd("f");')
    )
    assert [(each.name, each.owner, each.kind) for each in members] == [("<name>", 0, "method")]


def test_functions_of_a_module(extract) -> None:  # type: ignore[no-untyped-def]
    _, members = extract(
        body(
            """
            m.def("f", &f, py::call_guard<py::gil_scoped_release>());
            auto sub = m.def_submodule("sub", "doc");
            sub.def("g", [](int x) { return x; }).def("h", h);
            m.def_submodule("other").def("i", &i);
            """
        )
    )
    assert [(each.name, each.kind, each.owner, each.parent) for each in members] == [
        ("f", "function", -1, "m"),
        ("g", "function", -1, "sub"),
        ("h", "function", -1, "sub"),
        ("i", "function", -1, "m"),
    ]
    assert members[0].extras[0].template == "py::gil_scoped_release"


def test_wrappers_are_looked_through_and_leave_what_they_said(extract) -> None:  # type: ignore[no-untyped-def]
    _, members = extract(
        body(
            """
            py::class_<A>(m, "A")
                .def_property_readonly("p", py::cpp_function(&A::p, py::keep_alive<0, 1>()))
                .def("q", py::overload_cast<int>(&A::q, py::const_))
                .def("r", static_cast<B* (A::*)()>(&A::r))
                .def("s", (B* (A::*)())&A::s);
            """
        )
    )
    assert all(isinstance(each.callable, r.Unary) for each in members)
    names = [[(extra.name, extra.template) for extra in each.extras] for each in members]
    assert names[0] == [("cpp_function", ""), ("keep_alive", "0, 1")]
    assert names[1][0] == ("overload_cast", "int")
    assert names[2] == [("static_cast", "B* (A::*)()")]


def test_nanobind_has_other_words(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        """
        NB_MODULE(x, m) {
          nb::class_<A>(m, "A")
              .def(nb::init<>())
              .def(nb::new_(&make), nb::arg("n"))
              .def_prop_ro("b", &A::b, nb::keep_alive<0, 1>())
              .def_prop_rw("c", &A::c, &A::set_c, nb::rv_policy::reference)
              .def_ro("d", &A::d)
              .def_rw("e", &A::e);
        }
        """,
        NANOBIND,
    )
    assert [each.framework for each in classes] == ["nanobind"]
    assert [each.kind for each in members] == ["init", "init", "property", "property_rw", "field", "field_rw"]
    assert members[2].extras[0].template == "0, 1"
    assert members[3].extras[0].name == "reference"


@pytest.mark.parametrize(
    ("head", "spelled", "framework"),
    [
        ("namespace bindings = pybind11;\n", "bindings::class_", "pybind11"),
        ("using namespace nanobind;\n", "class_", "nanobind"),
        ("using pybind11::class_;\n", "class_", "pybind11"),
        ("", "pybind11::class_", "pybind11"),
        ("", "::nanobind::class_", "nanobind"),
        ("namespace py = nanobind;\n", "py::class_", "nanobind"),
        ("#include <boost/python.hpp>\nusing namespace boost::python;\n", "class_", "boost_python"),
    ],
)
def test_namespaces_are_resolved_through_the_files_own_words(  # type: ignore[no-untyped-def]
    extract, head: str, spelled: str, framework: str
) -> None:
    classes, members = extract(f'void f() {{ {spelled}<A>(scope, "A").def("f", &A::f); }}', head)
    assert [each.framework for each in classes] == [framework]
    assert [(each.owner, each.framework) for each in members] == [(0, framework)]


def test_boost_python_names_the_class_first(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        """
        BOOST_PYTHON_MODULE(x) {
          class_<A, bases<B>, boost::noncopyable>("A", init<int>())
              .def("child", &A::child, return_internal_reference<1>())
              .def("other", &A::other, return_value_policy<reference_existing_object>())
              .add_property("p", &A::p, &A::set_p);
        }
        """,
        "#include <boost/python.hpp>\nusing namespace boost::python;\n",
    )
    assert [(each.name, each.parent, each.arguments[0]) for each in classes] == [("A", "", "A")]
    assert [extra.name for extra in classes[0].extras] == ["init"]
    assert [(each.name, each.kind) for each in members] == [
        ("__init__", "init"),
        ("child", "method"),
        ("other", "method"),
        ("p", "property_rw"),
    ]
    assert [(extra.name, extra.template) for extra in members[1].extras] == [("return_internal_reference", "1")]
    assert members[2].extras[0].template == "reference_existing_object"


def test_a_class_bound_elsewhere_has_no_owner_but_is_still_a_class(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        """
        template <typename T> struct Helper {
          using ClassTy = nb::class_<T, Base>;
          static void bind(nb::module_ &m) {
            ClassTy c(m, T::name, nb::is_generic());
            c.def("f", &T::f);
            T::bindDerived(c);
          }
        };
        struct X { static void bindDerived(ClassTy &c) { c.def_prop_ro("g", &X::g); c.def("h", &X::h); } };
        """,
        NANOBIND,
    )
    assert [(each.type, each.name) for each in classes] == [("T", "T::name")]
    assert [(each.name, each.kind, each.owner, each.parent) for each in members] == [
        ("f", "method", 0, ""),
        ("g", "property", -1, "c"),
        ("h", "method", -1, "c"),
    ]


def test_helper_classes_of_a_library_are_words_too(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        """
        void populate(py::module &m) {
          mlir_attribute_subclass(m, "MyAttr", isMyAttr)
              .def_classmethod("get", [](py::object cls) { return cls; })
              .def_property_readonly("value", [](MlirAttribute self) { return 1; });
        }
        """,
        "namespace py = pybind11;\nusing namespace mlir::python::adaptors;\n",
    )
    assert [(each.name, each.framework) for each in classes] == [("MyAttr", "mlir_adaptors")]
    assert [(each.name, each.kind, each.owner) for each in members] == [("get", "static", 0), ("value", "property", 0)]


def test_a_function_may_make_a_class_through_an_alias(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        """
        using Cls = py::class_<A>;
        Cls make(py::module_ m) { return Cls(m, "A"); }
        void define(Cls& cls) { cls.def("f", &A::f); }
        """
    )
    assert [each.name for each in classes] == ["A"]
    assert [each.owner for each in members] == [0]


def test_a_class_passed_to_a_helper_is_found_again_by_its_type(extract) -> None:  # type: ignore[no-untyped-def]
    after = 'void extend(py::class_<A> &cls) { cls.def("f", &A::f); }\n'
    before = 'using ACls = py::class_<A>;\nvoid early(ACls &cls) { cls.def("e", &A::e); }\n'
    _, members = extract(before + body('py::class_<A> a(m, "A");\nextend(a);') + after)
    assert [(each.name, each.owner) for each in members] == [("e", 0), ("f", 0)]


def test_a_chain_of_three_hundred(extract) -> None:  # type: ignore[no-untyped-def]
    chain = "".join(f'\n    .def("f{n}", &A::f{n})' for n in range(300))
    classes, members = extract(body(f'py::class_<A>(m, "A"){chain};\nm{chain};'))
    assert len(classes) == 1
    assert [each.name for each in members] == [f"f{n}" for n in range(300)] * 2
    assert [each.owner for each in members] == [0] * 300 + [-1] * 300
    assert {each.parent for each in members[300:]} == {"m"}


def test_a_macro_in_a_chain_does_not_lose_the_class(extract) -> None:  # type: ignore[no-untyped-def]
    _, members = extract(
        body(
            """
            py::class_<A>(m, "A")
                .def("f", &A::f)
                .DEF_SIMPLE_METHOD(g)
                .def("h", &A::h)
                EXPOSE_EQUALITY_TESTS
                .def("i", &A::i);
            """
        )
    )
    assert [(each.name, each.owner) for each in members] == [("f", 0), ("h", 0), ("i", 0)]


def test_a_macro_with_lambdas_is_a_function(vocabulary: Vocabulary) -> None:
    macro = (
        "#define BIND(T, NAME) \\\n"
        '  py::class_<T>(m, "A" #NAME "B") \\\n'
        '    .def("f", [](T& self) { return self.f; }) \\\n'
        '    .def(#NAME, &T::g, "x")\n'
    )
    source = "namespace py = pybind11;\nnamespace a {\n" + macro + body("BIND(C, D);") + "}\n"
    file = structure.read("a.cc", source.encode(), vocabulary)
    assert not list(broken(file))
    function, inner = (one for one in file.functions if one.name in ("BIND", "<lambda>"))
    assert (function.template, function.qualifiers) == ("class T, class NAME", ("macro", "template"))
    assert source[function.start :].startswith("#define BIND")
    assert source[inner.start :].startswith("[](T& self)")
    assert {one.scope for one in (function, inner)} == {"a"}
    classes, members = binding_reader.extract(file, vocabulary)
    assert [each.name for each in classes] == ["A#NAMEB"]
    assert [(each.name, each.owner) for each in members] == [("f", 0), ("<NAME>", 0)]


@pytest.mark.parametrize(
    "text",
    [
        '.def("f", [](T& self) { return self.f; })',  # a part of a chain
        'py::class_<T>(m, "A").def("f", [](T& self) { return self.f_##T(); })',  # names are pasted together
        'py::class_<T>(m, "A").def("f", &T::f)',  # no lambda
        'if (x) { py::class_<T>(m, "A").def("f", [](T& self) { return 1; })',  # half a block
    ],
)
def test_other_macros_are_none(vocabulary: Vocabulary, text: str) -> None:
    file = structure.read("a.cc", f"#define BIND(T) {text}\n\n".encode(), vocabulary)
    assert file.functions == ()


def test_a_file_whose_header_names_the_framework_is_told_by_its_words(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        'void expose(py::module_ &m) { py::class_<A>(m, "A").def_prop_ro("f", &A::f); m.def("g", &g); }',
        '#include "wrap.hpp"\n',
    )
    assert [each.framework for each in (*classes, *members)] == ["nanobind"] * 3


def test_two_classes_in_blocks_may_use_one_variable(extract) -> None:  # type: ignore[no-untyped-def]
    classes, members = extract(
        body(
            """
            { py::class_<A> cls(m, "A"); cls.def("f", &A::f); }
            { py::class_<B> cls(m, "B"); cls.def("f", &B::f); }
            """
        )
    )
    assert [each.name for each in classes] == ["A", "B"]
    assert [each.owner for each in members] == [0, 1]


def test_operators_and_other_arguments(extract) -> None:  # type: ignore[no-untyped-def]
    _, members = extract(
        body(
            """
            py::class_<A>(m, "A", py::buffer_protocol())
                .def(py::self + py::self)
                .def(py::pickle([](const A& a) { return 1; }, [](int n) { return A(); }))
                .def_buffer([](A& a) { return py::buffer_info(); })
                .def("__iter__", [](A& a) { return py::make_iterator(a.begin(), a.end()); }, py::keep_alive<0, 1>());
            """
        )
    )
    assert [(each.name, each.kind) for each in members] == [
        ("operator+", "method"),
        ("pickle", "other"),
        ("", "other"),
        ("__iter__", "method"),
    ]
    assert members[3].extras[0].name == "keep_alive"


def test_a_cast_to_a_pointer_to_member_chooses_an_overload(extract) -> None:  # type: ignore[no-untyped-def]
    _, members = extract(
        body(
            """
            py::class_<A>(m, "A")
                .def("a", (R (A::*)(R) const) &A::a, "c"_a)
                .def("b", (R (ns::A::*)(std::vector<R>, double ) const noexcept)&A::b)
                .def("c", (R& (A::*)())&A::c)
                .def("last", &A::d);
            """
        )
    )
    assert [each.name for each in members] == ["a", "b", "c", "last"]
    assert [each.extras[0].template for each in members[:3]] == [
        "R (A::*)(R) const",
        "R (ns::A::*)(std::vector<R>, double) const noexcept",
        "R& (A::*)()",
    ]


def test_what_only_looks_like_a_binding_is_none(extract) -> None:  # type: ignore[no-untyped-def]
    source = 'void f(Registry& m) { m.def("op(Tensor x) -> Tensor"); class_.def("x", y); parser.copy("a"); }'
    assert extract(source, "#include <torch/library.h>\n") == ((), ())


def test_bodies_without_a_word_of_a_framework_are_not_decoded(vocabulary: Vocabulary) -> None:
    function = r.FunctionRecord(
        0, 9, "f", "", "", "function", "void", (), 0, True, mentions=("g",), body=r.msgspec.Raw(b"not a body")
    )
    assert binding_reader.extract(r.FileRecord("x.cc", "cpp", 9, functions=(function,)), vocabulary) == ((), ())
