"""Templates that bind are read once for each type that they are called with."""

from __future__ import annotations

import pytest

BINDER = """
#include <pybind11/pybind11.h>
namespace py = pybind11;
struct Left { int* at(); };
struct Right { int* at(); };
template <typename T, int N = 2>
void bind(py::module_& m, const char* label) {
  py::class_<T>(m, label)
      .def("at", [](T& self) { T* other = &self; return other->at(); })
      .def("to", &T::at);
}
"""


def _bound(made):
    return [(cls.name, cls.type) for file in made.files.values() for cls in file.bound_classes]


def test_each_type_gets_a_copy_and_the_name_that_the_call_says(program):
    made = program(
        a_cc=BINDER,
        b_cc='void all(py::module_& m) { bind<Left>(m, "Left"); bind<Right, 3>(m, "Right"); bind<Left>(m, "Left"); }',
    )
    assert _bound(made) == [("Left", "Left"), ("Right", "Right")]
    assert [(b.symbol, b.around.name) for b in made.bindings] == [
        ("Left.at", "bind"),
        ("Left.to", "bind"),
        ("Right.at", "bind"),
        ("Right.to", "bind"),
    ]
    lambdas = [made.index.function_at(b.file, b.record.callable.function) for b in made.bindings if b.name == "at"]
    assert [one.record.parameters[0].type for one in lambdas] == ["Left&", "Right&"]
    assert [one.locals["other"][0] for one in lambdas] == ["Left*", "Right*"]
    assert [one.parent.record is made.bindings[n].around.record for one, n in zip(lambdas, (0, 2), strict=True)] == [
        True,
        True,
    ]


@pytest.mark.parametrize(
    "calls",
    [
        "",
        "void all(py::module_& m) { bind(m, 1); }",
        'void all(py::module_& m) { bind<Left, 1, 2>(m, "Left"); }',
        'template <class U> void all(py::module_& m) { bind<U>(m, "Left"); }',
        'template <class U> void all(py::module_& m) { auto f = [&] { bind<std::vector<U>>(m, "Left"); }; f(); }',
    ],
)
def test_what_no_call_says_stays_a_template(program, calls):
    made = program(a_cc=BINDER, b_cc=calls)
    assert _bound(made) == [("<label>", "T")]


def test_a_text_is_no_type_and_neither_is_part_of_a_name(program):
    made = program(
        a_cc='template <class T> void bind(py::module_& m) { py::class_<T>(m, "T").def("T", &n::T::Tx); }\n'
        "namespace py = pybind11; void all(py::module_& m) { bind<Left>(m); }"
    )
    (binding,) = made.bindings
    assert (binding.owner.name, binding.owner.type, binding.name) == ("T", "Left", "T")
    assert binding.record.callable.value.text == "n::T::Tx"


def test_a_name_may_come_as_a_string_of_its_own(program):
    text = BINDER.replace("const char* label", "const std::string& label").replace("m, label", "m, label.c_str()")
    made = program(a_cc=text, b_cc='void all(py::module_& m) { bind<Left>(m, "Near"); }')
    assert _bound(made) == [("Near", "Left")]


def test_what_is_computed_by_a_call_keeps_its_words(program):
    made = program(
        a_cc=BINDER.replace("m, label)", "m, (prefix + label).c_str())"),
        b_cc='void all(py::module_& m) { bind<Left>(m, "Left"); }',
    )
    ((name, kind),) = _bound(made)
    assert kind == "Left"
    assert not name.isidentifier()
