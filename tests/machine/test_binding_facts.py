"""What each way to bind something yields in a contract, by structure alone: one line a construct."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ownlint.crossing.exports import contract_file
from ownlint.models.contract_records import ContractFile, MemberContract

CLASSES = """
struct Leaf { int v; };
struct Cursor { explicit Cursor(struct Tree& tree) : tree_(tree) {} struct Tree& tree_; };
struct Tree {
  explicit Tree(Leaf& root) : root_(&root) {}
  Leaf& leaf() { return leaf_; }
  Leaf* raw() { return &leaf_; }
  Leaf* make() { return new Leaf; }
  const Leaf& plain() const { return leaf_; }
  void attach(Leaf* leaf) { slot = leaf; }
  std::vector<Leaf>& leaves() { return leaves_; }
  int count() const { return 0; }
  Leaf leaf_;
  Leaf* slot;
  Leaf* root_;
  std::vector<Leaf> leaves_;
};
"""
PYBIND11 = """
#include <pybind11/pybind11.h>
namespace py = pybind11;
CLASSES
PYBIND11_MODULE(trees, m) {
  py::class_<Leaf>(m, "Leaf").def_readwrite("v", &Leaf::v);
  py::class_<Cursor>(m, "Cursor");
  py::class_<Tree>(m, "Tree")CHAIN;
}
"""
NANOBIND = """
#include <nanobind/nanobind.h>
namespace nb = nanobind;
CLASSES
NB_MODULE(trees, m) {
  nb::class_<Leaf>(m, "Leaf").def_rw("v", &Leaf::v);
  nb::class_<Cursor>(m, "Cursor");
  nb::class_<Tree>(m, "Tree")CHAIN;
}
"""
BOOST = """
#include <boost/python.hpp>
using namespace boost::python;
CLASSES
Leaf& leaf_of(Tree& tree) { return tree.leaf_; }
BOOST_PYTHON_MODULE(trees) {
  class_<Leaf>("Leaf").def_readwrite("v", &Leaf::v);
  class_<Tree>("Tree")CHAIN;
}
"""


@pytest.fixture
def extracted(program: Callable[..., object]) -> Callable[[str, str], ContractFile]:
    def read(frame: str, chain: str) -> ContractFile:
        text = frame.replace("CLASSES", CLASSES).replace("CHAIN", chain.replace("KEPT", "py::keep_alive<0, 1>()"))
        made = program(a_cc=text)
        return contract_file(made, set(made.files), {}, lambda path, _: path)

    return read


def _member(found: ContractFile, on: str, name: str) -> MemberContract:
    return next(one for one in found.members if (one.on, one.name) == (on, name))


def _lent(one: MemberContract) -> list[tuple[str, bool]]:
    return [(lent.source, lent.protected) for lent in one.borrows]


def _kept(one: MemberContract) -> list[tuple[int, str, bool]]:
    return [(kept.argument, kept.into, kept.protected) for kept in one.stores]


@pytest.mark.parametrize(
    ("frame", "chain", "lent", "kept"),
    [
        (
            PYBIND11,
            '.def("it", &Tree::leaf, py::return_value_policy::reference_internal)',
            [("self", True)],
            [],
        ),
        (PYBIND11, '.def("it", &Tree::leaf, py::return_value_policy::reference)', [("self", False)], []),
        (PYBIND11, '.def("it", [](Tree& t) { return Cursor(t); })', [("self", False)], []),
        (PYBIND11, '.def("it", [](Tree& t) { return Cursor(t); }, py::keep_alive<0, 1>())', [("self", True)], []),
        (PYBIND11, '.def_property_readonly("it", &Tree::leaf)', [("self", True)], []),
        (PYBIND11, '.def_readonly("it", &Tree::leaf_)', [("self", True)], []),
        (PYBIND11, '.def_readwrite("it", &Tree::slot)', [("self", True)], [(1, "self", False)]),
        (PYBIND11, '.def("it", &Tree::attach)', [], [(1, "self", False)]),
        (PYBIND11, '.def("it", &Tree::attach, py::keep_alive<1, 2>())', [], [(1, "self", True)]),
        (
            PYBIND11,
            '.def("it", [](Tree& t) { return py::make_iterator(t.leaves_.begin(), t.leaves_.end()); })',
            [("self", False)],
            [],
        ),
        (
            PYBIND11,
            '.def("it", [](Tree& t) { return py::make_iterator(t.leaves_.begin(), t.leaves_.end()); }, KEPT)',
            [("self", True)],
            [],
        ),
        (NANOBIND, '.def("it", &Tree::leaf, nb::rv_policy::reference_internal)', [("self", True)], []),
        (NANOBIND, '.def_prop_ro("it", &Tree::leaf)', [("self", True)], []),
        (NANOBIND, '.def_ro("it", &Tree::leaf_)', [("self", True)], []),
        (NANOBIND, '.def_rw("it", &Tree::slot)', [("self", True)], [(1, "self", False)]),
        (NANOBIND, '.def("it", &Tree::attach, nb::keep_alive<1, 2>())', [], [(1, "self", True)]),
        (BOOST, '.def("it", &Tree::leaf, return_internal_reference<>())', [("self", True)], []),
        (BOOST, '.def("it", &Tree::raw, return_value_policy<reference_existing_object>())', [("self", False)], []),
        (BOOST, '.def("it", &Tree::make, return_value_policy<manage_new_object>())', [], []),
        (BOOST, '.def("it", &Tree::plain, return_value_policy<return_by_value>())', [], []),
        (BOOST, '.def("it", &Tree::plain, return_value_policy<copy_const_reference>())', [], []),
        (BOOST, '.def("it", &Tree::attach, with_custodian_and_ward<1, 2>())', [], [(1, "self", True)]),
        (BOOST, '.def("it", &Tree::attach)', [], [(1, "self", False)]),
        (BOOST, '.add_property("it", make_function(&Tree::leaf, return_internal_reference<>()))', [("self", True)], []),
        (BOOST, '.def_readonly("it", &Tree::leaf_)', [("self", True)], []),
    ],
)
def test_a_member_says_what_it_lends_and_keeps(extracted, frame, chain, lent, kept) -> None:  # type: ignore[no-untyped-def]
    one = _member(extracted(frame, chain), "Tree", "it")
    assert (_lent(one), _kept(one)) == (lent, kept)


@pytest.mark.parametrize(
    ("frame", "chain", "kept"),
    [
        (PYBIND11, ".def(py::init<Leaf&>())", [(1, "self", False)]),
        (PYBIND11, ".def(py::init<Leaf&>(), py::keep_alive<1, 2>())", [(1, "self", True)]),
        (PYBIND11, ".def(py::init([](Leaf& leaf) { return new Tree(leaf); }))", [(1, "self", False)]),
        (NANOBIND, ".def(nb::init<Leaf&>())", [(1, "self", False)]),
        (NANOBIND, ".def(nb::init<Leaf&>(), nb::keep_alive<1, 2>())", [(1, "self", True)]),
    ],
)
def test_a_constructor_says_what_it_keeps(extracted, frame, chain, kept) -> None:  # type: ignore[no-untyped-def]
    assert _kept(_member(extracted(frame, chain), "Tree", "__init__")) == kept


@pytest.mark.parametrize(
    ("chain", "lent"),
    [
        ("return_internal_reference<1>()", [("argument 1", True)]),
        ("return_value_policy<reference_existing_object>()", [("argument 1", False)]),
        (
            "with_custodian_and_ward_postcall<0, 1, return_value_policy<reference_existing_object>>()",
            [("argument 1", True)],
        ),
    ],
)
def test_a_function_of_boost_has_no_receiver(extracted, chain, lent) -> None:  # type: ignore[no-untyped-def]
    found = extracted(BOOST, f'; def("it", &leaf_of, {chain})')
    assert _lent(_member(found, "", "it")) == lent


@pytest.mark.parametrize(
    ("frame", "made", "lent", "dead"),
    [
        (PYBIND11, 'py::bind_vector<std::vector<Leaf>>(m, "Leaves")', [("self", True)], ("__getitem__", "__iter__")),
        (NANOBIND, 'nb::bind_vector<std::vector<Leaf>>(m, "Leaves")', [], ("__iter__",)),
        (
            NANOBIND,
            'nb::bind_vector<std::vector<Leaf>, nb::rv_policy::reference_internal>(m, "Leaves")',
            [("self", True)],
            ("__getitem__", "__iter__"),
        ),
        (PYBIND11, 'py::bind_vector<std::vector<double>>(m, "Leaves")', [], ("__iter__",)),
    ],
)
def test_a_vector_is_a_class(extracted, frame, made, lent, dead) -> None:  # type: ignore[no-untyped-def]
    found = extracted(frame, f"; {made}")
    assert next(cls.cxx for cls in found.classes if cls.name == "Leaves").startswith("std::vector<")
    told = {one.name: one for one in found.members if one.on == "Leaves"}
    assert _lent(told["__getitem__"]) == lent if lent else "__getitem__" not in told or not told["__getitem__"].borrows
    changes = ("__delitem__", "append", "clear", "extend", "insert", "pop")
    assert [told[name].invalidates for name in changes] == [dead] * len(changes)


def test_a_map_lends_elements_that_stay(extracted) -> None:  # type: ignore[no-untyped-def]
    found = extracted(PYBIND11, '; py::bind_map<std::map<std::string, Leaf>>(m, "Table")')
    one = _member(found, "Table", "__getitem__")
    assert (one.returns, _lent(one)) == ("Leaf", [("self", True)])
    assert not [member for member in found.members if member.on == "Table" and member.invalidates]


def test_a_result_that_is_such_a_container_has_its_class(extracted) -> None:  # type: ignore[no-untyped-def]
    chain = '.def_property_readonly("leaves", &Tree::leaves); py::bind_vector<std::vector<Leaf>>(m, "Leaves")'
    one = _member(extracted(PYBIND11, chain), "Tree", "leaves")
    assert (one.returns, _lent(one)) == ("Leaves", [("self", True)])


PLUMBING = """
#include <Python.h>
typedef struct { PyObject_HEAD PyObject* sink; PyObject* name; PyObject* loose; } Pipe;
static int pipe_init(PyObject* obj, PyObject* args, PyObject* kw) {
  static char* names[] = {"sink", "name", NULL};
  Pipe* self = (Pipe*)obj;
  PyObject *sink, *name = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "O!|O", names, &PyList_Type, &sink, &name)) return -1;
  Py_INCREF(sink);
  self->sink = sink;
  Py_XINCREF(name);
  Py_XSETREF(self->name, name);
  return 0;
}
static PyObject* set_loose(Pipe* self, PyObject* given) {
  self->loose = given;
  Py_RETURN_NONE;
}
static PyObject* set_sink(Pipe* self, PyObject* args) {
  int n; PyObject* sink;
  if (!PyArg_ParseTuple(args, "iO", &n, &sink)) return NULL;
  Py_XDECREF(self->sink);
  self->sink = Py_NewRef(sink);
  Py_RETURN_NONE;
}
static int put_name(Pipe* self, PyObject* value, void* closure) {
  Py_INCREF(value);
  Py_XDECREF(self->name);
  self->name = value;
  return 0;
}
static PyObject* get_name(Pipe* self, void* closure) { return Py_NewRef(self->name); }
static void pipe_dealloc(Pipe* self) {
  Py_XDECREF(self->sink);
  Py_XDECREF(self->name);
  Py_XDECREF(self->loose);
  Py_TYPE(self)->tp_free((PyObject*)self);
}
static PyMethodDef methods[] = {
  {"set_loose", (PyCFunction)set_loose, METH_O, NULL},
  {"set_sink", (PyCFunction)set_sink, METH_VARARGS, NULL},
  {NULL},
};
static PyGetSetDef attrs[] = {{"name", (getter)get_name, (setter)put_name, NULL}, {NULL}};
static PyTypeObject PipeType = {
  PyVarObject_HEAD_INIT(NULL, 0)
  .tp_name = "plumbing.Pipe",
  .tp_basicsize = sizeof(Pipe),
  .tp_dealloc = (destructor)pipe_dealloc,
  .tp_methods = methods,
  .tp_getset = attrs,
  .tp_init = pipe_init,
};
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "plumbing"};
"""


def test_a_table_says_which_arguments_are_kept_and_how(program) -> None:  # type: ignore[no-untyped-def]
    made = program(plumbing_cc=PLUMBING)
    contract = contract_file(made, list(made.files), {}, lambda path, start: "")
    kept = {
        member.symbol: [(one.argument, one.into, one.protected) for one in member.stores] for member in contract.members
    }
    assert kept == {
        "Pipe.__init__": [(1, "self", True)],
        "Pipe.name": [(1, "self", True)],
        "Pipe.set_loose": [(1, "self", False)],
        "Pipe.set_sink": [(2, "self", True)],
    }
