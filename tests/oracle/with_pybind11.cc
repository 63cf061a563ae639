// Every row is one line: `// row: NAME` and what is done with it. See `rows.py`.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "objects.h"

namespace py = pybind11;
using rvp = py::return_value_policy;

void release_gil_rows(py::module_& m);
void late_rows(py::module_& m);

namespace pybind11::detail {
template <>
struct type_caster<Leaky> {
  static constexpr auto name = const_name("Leaky");
  template <typename>
  using cast_op_type = Leaky&;
  operator Leaky&() { return *value; }
  bool load(handle src, bool) {
    value = new Leaky(src.cast<int>());  // row: caster_new
    return true;
  }
  Leaky* value = nullptr;
};

template <>
struct type_caster<Owned> {
  static constexpr auto name = const_name("Owned");
  template <typename>
  using cast_op_type = Owned&;
  operator Owned&() { return *value; }
  bool load(handle src, bool) {
    value = std::make_unique<Owned>(src.cast<int>());  // row: caster_kept
    return true;
  }
  std::unique_ptr<Owned> value;
};

template <>
struct type_caster<Lent> {
  PYBIND11_TYPE_CASTER(Lent, const_name("Lent"));
  bool load(handle, bool) { return false; }
  static handle cast(const Lent&, return_value_policy, handle) {
    static object made = str(std::string(5000, 'x').c_str());
    return made;  // row: giver_lent
  }
};

template <>
struct type_caster<Given> {
  PYBIND11_TYPE_CASTER(Given, const_name("Given"));
  bool load(handle, bool) { return false; }
  static handle cast(const Given&, return_value_policy, handle) {
    static object made = str(std::string(5000, 'x').c_str());
    return object(made).release();  // row: giver_counted
  }
};
}  // namespace pybind11::detail

// A type of C's, which shows one of its two members, and another that shows both.
struct Node {
  PyObject_HEAD
  PyObject* left;
  PyObject* right;
};
static int half_traverse(Node* self, visitproc visit, void* arg) {  // row: hidden_half
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(self->left);
  return 0;
}
static int whole_traverse(Node* self, visitproc visit, void* arg) {  // row: hidden_none
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(self->left);
  Py_VISIT(self->right);
  return 0;
}
static int node_clear(Node* self) {
  Py_CLEAR(self->left);
  Py_CLEAR(self->right);
  return 0;
}
static void node_dealloc(Node* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  node_clear(self);
  --shapes;
  type->tp_free(self);
  Py_DECREF(type);
}
static PyObject* node_join(Node* self, PyObject* other) {
  ++shapes;
  Py_XSETREF(self->right, Py_NewRef(other));
  self->right = other;
  Py_RETURN_NONE;
}
static PyMethodDef node_methods[] = {{"join", (PyCFunction)node_join, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyType_Slot half_slots[] = {{Py_tp_traverse, (void*)half_traverse}, {Py_tp_clear, (void*)node_clear}, {Py_tp_dealloc, (void*)node_dealloc}, {Py_tp_methods, node_methods}, {0, nullptr}};
static PyType_Slot whole_slots[] = {{Py_tp_traverse, (void*)whole_traverse}, {Py_tp_clear, (void*)node_clear}, {Py_tp_dealloc, (void*)node_dealloc}, {Py_tp_methods, node_methods}, {0, nullptr}};
static PyType_Spec half_spec = {"with_pybind11.Half", sizeof(Node), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, half_slots};
static PyType_Spec whole_spec = {"with_pybind11.Whole", sizeof(Node), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, whole_slots};

// Classes into which Python puts what it likes; one shows it to the collector.
struct Box : Ring<5> {
  py::object held;
  std::function<int()> call;
};
struct Called : Ring<6> {
  std::function<int()> call;
};
struct Shown : Ring<7> {
  py::object held;
};
struct Pair : Ring<8> {
  First first;
  First* part() { return &first; }
};
static bool is_made(PyObject* self) { return reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().holder_constructed(); }

PYBIND11_MODULE(with_pybind11, m) {
  m.def("counts", [] { return std::vector<int>{parents, children, twice}; });
  py::class_<Child>(m, "Child").def(py::init<>()).def("alive", &Child::alive);
  py::class_<Plain>(m, "Plain").def("alive", &Plain::alive);
  py::class_<View>(m, "View").def("alive", &View::alive);
  py::class_<Parent> parent(m, "Parent");
  parent.def(py::init<>()).def("alive", &Parent::alive);
  parent.def("ptr_auto", &Parent::ptr);  // row: ptr_auto
  parent.def("ptr_made", &Parent::made);  // row: ptr_made
  parent.def("ptr_owned", &Parent::owned);  // row: ptr_owned
  parent.def("itself", &Parent::itself);  // row: itself
  parent.def("self", &Parent::self, rvp::reference);  // row: self
  parent.def_property_readonly("ptr_prop", &Parent::ptr);  // row: ptr_prop
  parent.def_property_readonly("ptr_prop_cppf", py::cpp_function(&Parent::ptr));  // row: ptr_prop_cppf
  parent.def_property_readonly("policy_behind_cppf", py::cpp_function(&Parent::ptr), rvp::reference_internal);  // row: policy_behind_cppf
  parent.def("ref_auto", &Parent::ref);  // row: ref_auto
  parent.def_property_readonly("ref_prop", &Parent::ref);  // row: ref_prop
  parent.def("ptr_reference", &Parent::ptr, rvp::reference);  // row: ptr_reference
  parent.def("ref_reference", &Parent::ref, rvp::reference);  // row: ref_reference
  parent.def("ptr_internal", &Parent::ptr, rvp::reference_internal);  // row: ptr_internal
  parent.def("ref_internal", &Parent::ref, rvp::reference_internal);  // row: ref_internal
  parent.def("reference_kept", &Parent::ptr, rvp::reference, py::keep_alive<0, 1>());  // row: reference_kept
  parent.def("lam_ref_decay", [](Parent& p) { return p.ref(); }, rvp::reference_internal);  // row: lam_ref_decay
  parent.def("list_auto", &Parent::pointers);  // row: list_auto
  parent.def("list_reference", &Parent::pointers, rvp::reference);  // row: list_reference
  parent.def("list_internal", &Parent::pointers, rvp::reference_internal);  // row: list_internal
  parent.def("elements_internal", &Parent::elements, rvp::reference_internal);  // row: elements_internal
  parent.def("pair_auto", &Parent::pair);  // row: pair_auto
  parent.def("pair_internal", &Parent::pair, rvp::reference_internal);  // row: pair_internal
  parent.def("view", &Parent::view);  // row: view
  parent.def("view_internal", &Parent::view, rvp::reference_internal);  // row: view_internal
  parent.def("view_ka01", &Parent::view, py::keep_alive<0, 1>());  // row: view_ka01
  parent.def("view_ka10", &Parent::view, py::keep_alive<1, 0>());  // row: view_ka10
  parent.def_property_readonly("view_prop", &Parent::view);  // row: view_prop
  parent.def_property_readonly("view_prop_cppf", py::cpp_function(&Parent::view, py::keep_alive<0, 1>()));  // row: view_prop_cppf
#if PYBIND11_VERSION_HEX < 0x03000200
  parent.def_property_readonly("view_prop_ka01", &Parent::view, py::keep_alive<0, 1>());  // row: view_prop_ka01
#endif
  parent.def("plain_internal", &Parent::plain, rvp::reference_internal);  // row: plain_internal
  parent.def("number_ka01", &Parent::number, py::keep_alive<0, 1>());  // row: number_ka01
  parent.def("numbers_ka01", &Parent::numbers, py::keep_alive<0, 1>());  // row: numbers_ka01
  parent.def("text_ka01", &Parent::text, py::keep_alive<0, 1>());  // row: text_ka01
  parent.def("pytuple_ka01", [](Parent&) { return py::make_tuple(1, 2); }, py::keep_alive<0, 1>());  // row: pytuple_ka01
  parent.def("beyond", &Parent::view, py::keep_alive<0, 1>(), py::keep_alive<0, 2>());  // row: beyond
  parent.def("iter", [](Parent& p) { return py::make_iterator(p.list().begin(), p.list().end()); });  // row: iter
  parent.def("iter_ka01", [](Parent& p) { return py::make_iterator(p.list().begin(), p.list().end()); }, py::keep_alive<0, 1>());  // row: iter_ka01
  parent.def_readonly("raw_readonly", &Parent::raw_ptr);  // row: raw_readonly
  parent.def("cast_ptr", [](Parent& p) -> py::object { return py::cast(p.ptr()); });  // row: cast_ptr
  parent.def("cast_ref", [](Parent& p) -> py::object { return py::cast(p.ref()); });  // row: cast_ref
  parent.def("cast_address", [](Parent& p) -> py::object { return py::cast(&p.ref()); });  // row: cast_address
  parent.def("cast_internal", [](Parent& p) -> py::object { return py::cast(p.ptr(), rvp::reference_internal); });  // row: cast_internal
  parent.def("cast_parent", [](Parent& p) -> py::object { return py::cast(p.ptr(), rvp::reference_internal, py::cast(p)); });  // row: cast_parent
  parent.def("cast_new", [](Parent&) -> py::object { return py::cast(new Child()); });  // row: cast_new
  parent.def("cast_taken", [](Parent&) -> py::object { return py::cast(new Child(), rvp::take_ownership); });  // row: cast_taken
  m.def("free_ref_internal", [](Parent& p) -> Child& { return p.ref(); }, rvp::reference_internal);  // row: free_ref_internal
  m.def("free_ptr_auto", [](Parent& p) { return p.ptr(); });  // row: free_ptr_auto
  parent.def("arr_copied", [](Parent& p) { return py::array_t<double>(4096, p.data()); });  // row: arr_copied
  parent.def("arr_none", [](Parent& p) { return py::array_t<double>(4096, p.data(), py::none()); });  // row: arr_none
  parent.def("arr_str", [](Parent& p) { return py::array_t<double>(4096, p.data(), py::str("base")); });  // row: arr_str
  parent.def("arr_capsule", [](Parent& p) { return py::array_t<double>(4096, p.data(), py::capsule(p.data(), [](void*) {})); });  // row: arr_capsule
  parent.def("arr_self", [](py::object self) { Parent& p = self.cast<Parent&>(); return py::array_t<double>(4096, p.data(), self); });  // row: arr_self
  parent.def("memory", [](Parent& p) { return py::memoryview::from_memory(p.data(), 4096 * sizeof(double)); });  // row: memory
  py::class_<Keeper>(m, "Keeper0").def(py::init<Child&>()).def("alive", &Keeper::alive);  // row: init_none
  struct Keeper1 : Keeper { using Keeper::Keeper; };
  struct Keeper2 : Keeper { using Keeper::Keeper; };
  py::class_<Keeper1>(m, "Keeper1").def(py::init<Child&>(), py::keep_alive<0, 1>()).def("alive", &Keeper1::alive);  // row: init_ka01
  py::class_<Keeper2>(m, "Keeper2").def(py::init<Child&>(), py::keep_alive<1, 2>()).def("alive", &Keeper2::alive);  // row: init_ka12
  struct Setter : Keeper {};
  py::class_<Setter> setter(m, "Setter");
  setter.def(py::init<>()).def("alive", &Setter::alive);
  setter.def("set", &Setter::set);  // row: set
  setter.def("set_ka12", &Setter::set, py::keep_alive<1, 2>());  // row: set_ka12
  setter.def("set_ka01", &Setter::set, py::keep_alive<0, 2>());  // row: set_ka01
  setter.def("add", &Setter::add);  // row: add
  setter.def("look", &Setter::look);  // row: look
  setter.def_readwrite("slot", &Setter::slot);  // row: slot
  py::class_<Loose>(m, "Loose").def("alive", &Loose::alive);
  py::class_<Held, std::shared_ptr<Held>>(m, "Held").def("alive", &Held::alive);
  py::class_<Sharing, std::shared_ptr<Sharing>>(m, "Sharing").def("alive", &Sharing::alive);
  py::class_<Store> store(m, "Store");
  store.def(py::init<>()).def("alive", &Store::alive);
  store.def("loose", &Store::loose);  // row: loose
  store.def("held", &Store::held);  // row: held
  store.def("sharing", &Store::sharing);  // row: sharing
  release_gil_rows(m);
  late_rows(m);
}

// The interpreter's lock is released while these run.
struct Visitor {
  void visit(const py::function& f) const { f(); }
};

void release_gil_rows(py::module_& m) {
  using unlocked = py::call_guard<py::gil_scoped_release>;
  m.def("gil_by_value", [](py::object) {}, unlocked());  // row: gil_by_value
  m.def("gil_vector", [](std::vector<py::object>) {}, unlocked());  // row: gil_vector
  m.def("gil_returns", []() -> py::object { return py::none(); }, unlocked());  // row: gil_returns
  m.def("gil_call", [](const py::function& f) { f(); }, unlocked());  // row: gil_call
  m.def("gil_attr", [](const py::object& o) { py::gil_scoped_release release; return o.attr("real").cast<int>(); });  // row: gil_attr
  m.def("gil_const_ref", [](const py::object&) {}, unlocked());  // row: gil_const_ref
  m.def("gil_handle", [](py::handle) {}, unlocked());  // row: gil_handle
  m.def("gil_std_function", [](const std::function<int()>& f) { return f(); }, unlocked());  // row: gil_std_function
  m.def("gil_throws", [](int n) { if (n > 0) throw py::value_error("no"); }, unlocked());  // row: gil_throws
  m.def("gil_capture", [](py::function f) { auto g = [f] { return 1; }; py::gil_scoped_release release; auto h = g; return h(); });  // row: gil_capture
}

template <class T>
bool all_there(const T& text) {
  for (int i = 0; i < 5000; ++i)
    if (text[i] != 'x') return false;
  return true;
}

struct Closer {
  ~Closer() { py::module_::import("no_such_module"); }  // row: ends_throwing
};

struct Careful {
  ~Careful() { try { py::module_::import("no_such_module"); } catch (...) {} }  // row: ends_caught
};

void late_rows(py::module_& m) {
  m.def("shapes", [] { return shapes; });
  m.def("local_arr", [] { std::vector<double> out(4096); out[0] = 1, out[1] = 2, out[2] = 3; return py::array_t<double>(out.size(), out.data(), py::none()); });  // row: local_arr
  m.def("local_copied", [] { std::vector<double> out(4096); out[0] = 1, out[1] = 2, out[2] = 3; return py::array_t<double>(out.size(), out.data()); });  // row: local_copied
  m.def("local_memory", [] { std::vector<double> out(4096); out[0] = 1, out[1] = 2, out[2] = 3; return py::memoryview::from_memory(out.data(), 24); });  // row: local_memory
  m.def("text_gone", [](py::object o) { const char* text = o.cast<std::string>().c_str(); return all_there(text); });  // row: text_gone
  m.def("text_named", [](py::object o) { std::string held = o.cast<std::string>(); const char* text = held.c_str(); return all_there(text); });  // row: text_named
  m.def("text_at_once", [](py::object o) { return all_there(o.cast<std::string>().c_str()); });  // row: text_at_once
  m.def("handle_gone", []() -> py::handle { return py::str(std::string(5000, 'x').c_str()); });  // row: handle_gone
  m.def("handle_local", []() -> py::handle { py::str made(std::string(5000, 'x').c_str()); return made; });  // row: handle_local
  m.def("handle_released", []() -> py::handle { return py::str(std::string(5000, 'x').c_str()).release(); });  // row: handle_released
  m.def("caster_new", [](Leaky& shape) { return shape.sides; });
  m.def("caster_kept", [](Owned& shape) { return shape.sides; });
  m.def("ends_throwing", [] { Closer closer; });
  m.def("ends_caught", [] { Careful careful; });
  py::class_<First> first(m, "Ring1");
  py::class_<Second> second(m, "Ring2");
  py::class_<Third> third(m, "Ring3");
  py::class_<Fourth> fourth(m, "Ring4");
  first.def(py::init<>()).def("keep", [](First&, Second&) {}, py::keep_alive<1, 2>());
  second.def(py::init<>()).def("keep", [](Second&, Third&) {}, py::keep_alive<1, 2>());
  third.def(py::init<>());
  third.def("ring_closed", [](Third&, First&) {}, py::keep_alive<1, 2>());  // row: ring_closed
  fourth.def(py::init<>());
  third.def("ring_open", [](Third&, Fourth&) {}, py::keep_alive<1, 2>());  // row: ring_open
  m.def("giver_lent", [] { return Lent(); });
  m.def("giver_counted", [] { return Given(); });
  m.add_object("hidden_half", PyType_FromSpec(&half_spec));
  m.add_object("hidden_none", PyType_FromSpec(&whole_spec));
  m.def("trust_blindly", [](py::object o) { int n = 0; for (auto one : py::reinterpret_borrow<py::list>(o)) n += py::len(one); return n; });  // row: trust_blindly
  m.def("trust_asked", [](py::object o) { int n = 0; if (py::isinstance<py::list>(o)) for (auto one : py::reinterpret_borrow<py::list>(o)) n += py::len(one); return n; });  // row: trust_asked
  py::class_<Box>(m, "Box").def(py::init<>()).def_readwrite("hold_object", &Box::held);  // row: hold_object
  py::class_<Called>(m, "Called").def(py::init<>()).def_readwrite("hold_function", &Called::call);  // row: hold_function
  auto setup = [](PyHeapTypeObject* heap) {
    heap->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    heap->ht_type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) { Py_VISIT(Py_TYPE(self)); if (is_made(self)) Py_VISIT(py::cast<Shown&>(py::handle(self)).held.ptr()); return 0; };
    heap->ht_type.tp_clear = [](PyObject* self) { if (is_made(self)) py::cast<Shown&>(py::handle(self)).held = py::none(); return 0; };
  };
  py::class_<Shown>(m, "Shown", py::custom_type_setup(setup)).def(py::init<>()).def_readwrite("hold_shown", &Shown::held);  // row: hold_shown
  py::class_<Pair> pair(m, "Pair");
  pair.def(py::init<>());
  pair.def("knot_both", &Pair::part, rvp::reference_internal, py::keep_alive<1, 0>());  // row: knot_both
  pair.def("knot_one", &Pair::part, rvp::reference_internal);  // row: knot_one
}
