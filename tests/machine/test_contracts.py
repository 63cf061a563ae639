"""Contracts: what the result of a binding borrows, and who keeps that alive."""

from __future__ import annotations

import pytest

from ownlint.bindings.contracts import contract_of

SOURCE = """
#include <pybind11/pybind11.h>
namespace py = pybind11;
struct Part { int n; };
class Doc {
 public:
  Part& part() { return part_; }
  Part* given() { return given_; }
  explicit Doc(Part* given) : given_(given) {}
  Doc& self() { return *this; }
  Part part_;
  Part* given_;
};
class Cursor {
 public:
  Cursor(Doc& doc) : doc_(doc) {}
  Doc& doc_;
};
PYBIND11_MODULE(m, m) {
  py::class_<Part>(m, "Part");
  py::class_<Cursor>(m, "Cursor");
  py::class_<Doc>(m, "Doc")CHAIN;
}
"""


@pytest.fixture
def contract(program):
    def read(chain):
        made = program(a_cc=SOURCE.replace("CHAIN", chain))
        return contract_of(next(b for b in made.bindings if b.name == "it"))

    return read


def _told(found):
    return found.shape, found.borrows, found.borrow.certainty if found.borrow else "", found.protected


CURSOR = "[](Doc& d) { return Cursor(d); }"


@pytest.mark.parametrize(
    ("chain", "told"),
    [
        (f'.def("it", {CURSOR})', ("view", "self", "certain", False)),
        (f'.def("it", {CURSOR}, py::keep_alive<0, 1>())', ("view", "self", "certain", True)),
        (f'.def("it", {CURSOR}, py::keep_alive<1, 0>())', ("view", "self", "certain", False)),
        (f'.def_static("it", {CURSOR})', ("view", "argument 1", "certain", False)),
        ('.def("it", &Doc::part)', ("other", "", "", False)),
        ('.def("it", &Doc::part, py::return_value_policy::reference)', ("reference", "self", "certain", False)),
        ('.def("it", &Doc::part, py::return_value_policy::reference_internal)', ("reference", "self", "certain", True)),
        ('.def_property_readonly("it", &Doc::part)', ("reference", "self", "certain", True)),
        ('.def("it", &Doc::given, py::return_value_policy::reference)', ("pointer", "self", "possible", False)),
        ('.def("it", &Doc::self, py::return_value_policy::reference)', ("other", "", "", False)),
        ('.def("it", [](Doc& d) { return py::cast(&d.part_); })', ("pointer", "self", "certain", False)),
        ('.def("it", [](Doc& d) { return 3; })', None),
    ],
)
def test_what_a_binding_promises(contract, chain, told):
    found = contract(chain)
    assert (found if found is None else _told(found)) == told


def test_an_annotation_without_effect_is_named(contract):
    found = contract(f'.def("it", {CURSOR}, py::return_value_policy::reference_internal)')
    assert (found.ineffective.name, found.reason) == ("reference_internal", "has no effect on a result by value")
    found = contract(f'.def_property_readonly("it", {CURSOR}, py::keep_alive<0, 1>())')
    assert (found.ineffective.name, found.reason) == ("keep_alive", "has no effect on a property")
    found = contract(f'.def("it", {CURSOR}, py::keep_alive<0, 2>())')
    assert found.reason == "keeps a different object alive than the one that the result points into"


def test_an_extra_that_nobody_can_read_lowers_the_certainty(contract):
    assert contract(f'.def("it", {CURSOR}, extras)').borrow.certainty == "possible"
    assert contract(f'.def("it", {CURSOR}, "A cursor.")').borrow.certainty == "certain"
