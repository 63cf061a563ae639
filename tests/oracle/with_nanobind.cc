// Every row is one line: `// row: NAME` and what is done with it. See `rows.py`.
#include <nanobind/make_iterator.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "objects.h"

namespace nb = nanobind;
using rvp = nb::rv_policy;
using Array = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

void late_rows(nb::module_& m);

namespace nanobind::detail {
template <>
struct type_caster<Leaky> {
  static constexpr auto Name = const_name("Leaky");
  template <typename>
  using Cast = Leaky&;
  template <typename>
  static constexpr bool can_cast() { return true; }
  explicit operator Leaky&() { return *value; }
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    value = new Leaky(nanobind::cast<int>(src));  // row: caster_new
    return true;
  }
  Leaky* value = nullptr;
};

template <>
struct type_caster<Owned> {
  static constexpr auto Name = const_name("Owned");
  template <typename>
  using Cast = Owned&;
  template <typename>
  static constexpr bool can_cast() { return true; }
  explicit operator Owned&() { return *value; }
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    value = std::make_unique<Owned>(nanobind::cast<int>(src));  // row: caster_kept
    return true;
  }
  std::unique_ptr<Owned> value;
};

template <>
struct type_caster<Lent> {
  NB_TYPE_CASTER(Lent, const_name("Lent"))
  bool from_python(handle, uint8_t, cleanup_list*) noexcept { return false; }
  static handle from_cpp(const Lent&, rv_policy, cleanup_list*) noexcept {
    static object made = str(std::string(5000, 'x').c_str());
    return made;  // row: giver_lent
  }
};

template <>
struct type_caster<Given> {
  NB_TYPE_CASTER(Given, const_name("Given"))
  bool from_python(handle, uint8_t, cleanup_list*) noexcept { return false; }
  static handle from_cpp(const Given&, rv_policy, cleanup_list*) noexcept {
    static object made = str(std::string(5000, 'x').c_str());
    return object(made).release();  // row: giver_counted
  }
};
}  // namespace nanobind::detail

// Classes into which Python puts what it likes; one shows it to the collector.
struct Box : Ring<5> {
  nb::object held;
};
struct Called : Ring<6> {
  std::function<int()> call;
};
struct Shown : Ring<7> {
  nb::object held;
};
struct Linked : Ring<9> {
  std::shared_ptr<Linked> next;
};
struct Pair : Ring<8> {
  First first;
  First* part() { return &first; }
};
static int shown_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Shown>(self)->held.ptr());
  return 0;
}
static int shown_clear(PyObject* self) {
  nb::inst_ptr<Shown>(self)->held.reset();
  return 0;
}
static PyType_Slot shown_slots[] = {{Py_tp_traverse, (void*)shown_traverse}, {Py_tp_clear, (void*)shown_clear}, {0, nullptr}};

NB_MODULE(with_nanobind, m) {
  nb::set_leak_warnings(false);
  m.def("counts", [] { return std::vector<int>{parents, children, twice}; });
  nb::class_<Child>(m, "Child").def(nb::init<>()).def("alive", &Child::alive);
  nb::class_<Plain>(m, "Plain").def("alive", &Plain::alive);
  nb::class_<View>(m, "View").def("alive", &View::alive);
  nb::class_<Parent> parent(m, "Parent");
  parent.def(nb::init<>()).def("alive", &Parent::alive);
  parent.def("ptr_auto", &Parent::ptr);  // row: ptr_auto
  parent.def("ptr_made", &Parent::made);  // row: ptr_made
  parent.def("ptr_owned", &Parent::owned);  // row: ptr_owned
  parent.def("itself", &Parent::itself);  // row: itself
  parent.def("self", &Parent::self, rvp::reference);  // row: self
  parent.def_prop_ro("ptr_prop", &Parent::ptr);  // row: ptr_prop
  parent.def("ref_auto", &Parent::ref);  // row: ref_auto
  parent.def_prop_ro("ref_prop", &Parent::ref);  // row: ref_prop
  parent.def("ptr_reference", &Parent::ptr, rvp::reference);  // row: ptr_reference
  parent.def("ref_reference", &Parent::ref, rvp::reference);  // row: ref_reference
  parent.def("ptr_internal", &Parent::ptr, rvp::reference_internal);  // row: ptr_internal
  parent.def("ref_internal", &Parent::ref, rvp::reference_internal);  // row: ref_internal
  parent.def("reference_kept", &Parent::ptr, rvp::reference, nb::keep_alive<0, 1>());  // row: reference_kept
  parent.def("lam_ref_decay", [](Parent& p) { return p.ref(); }, rvp::reference_internal);  // row: lam_ref_decay
  parent.def("list_auto", &Parent::pointers);  // row: list_auto
  parent.def("list_reference", &Parent::pointers, rvp::reference);  // row: list_reference
  parent.def("list_internal", &Parent::pointers, rvp::reference_internal);  // row: list_internal
  parent.def("elements_internal", &Parent::elements, rvp::reference_internal);  // row: elements_internal
  parent.def("pair_auto", &Parent::pair);  // row: pair_auto
  parent.def("pair_internal", &Parent::pair, rvp::reference_internal);  // row: pair_internal
  parent.def("view", &Parent::view);  // row: view
  parent.def("view_internal", &Parent::view, rvp::reference_internal);  // row: view_internal
  parent.def("view_ka01", &Parent::view, nb::keep_alive<0, 1>());  // row: view_ka01
  parent.def("view_ka10", &Parent::view, nb::keep_alive<1, 0>());  // row: view_ka10
  parent.def_prop_ro("view_prop", &Parent::view);  // row: view_prop
  parent.def_prop_ro("view_prop_ka01", &Parent::view, nb::keep_alive<0, 1>());  // row: view_prop_ka01
  parent.def("plain_internal", &Parent::plain, rvp::reference_internal);  // row: plain_internal
  parent.def("number_ka01", &Parent::number, nb::keep_alive<0, 1>());  // row: number_ka01
  parent.def("numbers_ka01", &Parent::numbers, nb::keep_alive<0, 1>());  // row: numbers_ka01
  parent.def("text_ka01", &Parent::text, nb::keep_alive<0, 1>());  // row: text_ka01
  parent.def("pytuple_ka01", [](Parent&) { return nb::make_tuple(1, 2); }, nb::keep_alive<0, 1>());  // row: pytuple_ka01
  parent.def("iter", [](Parent& p) { return nb::make_iterator(nb::type<Parent>(), "Iterator", p.list().begin(), p.list().end()); });  // row: iter
  parent.def("iter_ka01", [](Parent& p) { return nb::make_iterator(nb::type<Parent>(), "KeptIterator", p.list().begin(), p.list().end()); }, nb::keep_alive<0, 1>());  // row: iter_ka01
  parent.def_ro("raw_readonly", &Parent::raw_ptr);  // row: raw_readonly
  parent.def("cast_ptr", [](Parent& p) -> nb::object { return nb::cast(p.ptr()); });  // row: cast_ptr
  parent.def("cast_ref", [](Parent& p) -> nb::object { return nb::cast(p.ref()); });  // row: cast_ref
  parent.def("cast_address", [](Parent& p) -> nb::object { return nb::cast(&p.ref()); });  // row: cast_address
  parent.def("cast_internal", [](Parent& p) -> nb::object { return nb::cast(p.ptr(), rvp::reference_internal); });  // row: cast_internal
  parent.def("cast_parent", [](Parent& p) -> nb::object { return nb::cast(p.ptr(), rvp::reference_internal, nb::find(p)); });  // row: cast_parent
  parent.def("cast_new", [](Parent&) -> nb::object { return nb::cast(new Child()); });  // row: cast_new
  parent.def("cast_taken", [](Parent&) -> nb::object { return nb::cast(new Child(), rvp::take_ownership); });  // row: cast_taken
  m.def("free_ref_internal", [](Parent& p) -> Child& { return p.ref(); }, rvp::reference_internal);  // row: free_ref_internal
  m.def("free_ptr_auto", [](Parent& p) { return p.ptr(); });  // row: free_ptr_auto
  parent.def("arr_copied", [](Parent& p) { return Array(p.data(), {4096}); });  // row: arr_copied
  parent.def("arr_reference", [](Parent& p) { return Array(p.data(), {4096}); }, rvp::reference);  // row: arr_reference
  parent.def("arr_internal", [](Parent& p) { return Array(p.data(), {4096}); }, rvp::reference_internal);  // row: arr_internal
  parent.def("arr_capsule", [](Parent& p) { return Array(p.data(), {4096}, nb::capsule(p.data(), [](void*) noexcept {})); });  // row: arr_capsule
  parent.def("arr_self", [](nb::handle_t<Parent> self) { Parent& p = nb::cast<Parent&>(self); return Array(p.data(), {4096}, self); });  // row: arr_self
  nb::class_<Keeper>(m, "Keeper0").def(nb::init<Child&>()).def("alive", &Keeper::alive);  // row: init_none
  struct Keeper1 : Keeper { using Keeper::Keeper; };
  struct Keeper2 : Keeper { using Keeper::Keeper; };
  nb::class_<Keeper1>(m, "Keeper1").def(nb::init<Child&>(), nb::keep_alive<0, 1>()).def("alive", [](Keeper1& k) { return k.alive(); });  // row: init_ka01
  nb::class_<Keeper2>(m, "Keeper2").def(nb::init<Child&>(), nb::keep_alive<1, 2>()).def("alive", [](Keeper2& k) { return k.alive(); });  // row: init_ka12
  struct Setter : Keeper {};
  nb::class_<Setter> setter(m, "Setter");
  setter.def(nb::init<>()).def("alive", [](Setter& s) { return s.alive(); });
  setter.def("set", [](Setter& s, Child* child) { s.set(child); });  // row: set
  setter.def("set_ka12", [](Setter& s, Child* child) { s.set(child); }, nb::keep_alive<1, 2>());  // row: set_ka12
  setter.def("set_ka01", [](Setter& s, Child* child) { s.set(child); }, nb::keep_alive<0, 2>());  // row: set_ka01
  setter.def("add", [](Setter& s, Child* child) { s.add(child); });  // row: add
  setter.def("look", [](Setter& s, const Child& child) { s.look(child); });  // row: look
  setter.def_rw("slot", &Setter::slot);  // row: slot
  nb::class_<Loose>(m, "Loose").def("alive", &Loose::alive);
  nb::class_<Sharing>(m, "Sharing").def("alive", &Sharing::alive);
  nb::class_<Store> store(m, "Store");
  store.def(nb::init<>()).def("alive", &Store::alive);
  store.def("loose", &Store::loose);  // row: loose
  store.def("sharing", &Store::sharing);  // row: sharing
  late_rows(m);
}

template <class T>
bool all_there(const T& text) {
  for (int i = 0; i < 5000; ++i)
    if (text[i] != 'x') return false;
  return true;
}

struct Closer {
  ~Closer() { nb::module_::import_("no_such_module"); }  // row: ends_throwing
};

struct Careful {
  ~Careful() { try { nb::module_::import_("no_such_module"); } catch (...) {} }  // row: ends_caught
};

void late_rows(nb::module_& m) {
  m.def("shapes", [] { return shapes; });
  m.def("local_arr", [] { std::vector<double> out(4096); out[0] = 1, out[1] = 2, out[2] = 3; return Array(out.data(), {4096}, nb::capsule(out.data(), [](void*) noexcept {})); });  // row: local_arr
  m.def("text_gone", [](nb::object o) { const char* text = nb::cast<std::string>(o).c_str(); return all_there(text); });  // row: text_gone
  m.def("text_named", [](nb::object o) { std::string held = nb::cast<std::string>(o); const char* text = held.c_str(); return all_there(text); });  // row: text_named
  m.def("text_at_once", [](nb::object o) { return all_there(nb::cast<std::string>(o).c_str()); });  // row: text_at_once
  m.def("handle_gone", []() -> nb::handle { return nb::str(std::string(5000, 'x').c_str()); });  // row: handle_gone
  m.def("handle_local", []() -> nb::handle { nb::str made(std::string(5000, 'x').c_str()); return made; });  // row: handle_local
  m.def("handle_released", []() -> nb::handle { return nb::str(std::string(5000, 'x').c_str()).release(); });  // row: handle_released
  m.def("caster_new", [](Leaky& shape) { return shape.sides; });
  m.def("caster_kept", [](Owned& shape) { return shape.sides; });
  m.def("ends_throwing", [] { Closer closer; });
  m.def("ends_caught", [] { Careful careful; });
  nb::class_<First> first(m, "Ring1");
  nb::class_<Second> second(m, "Ring2");
  nb::class_<Third> third(m, "Ring3");
  nb::class_<Fourth> fourth(m, "Ring4");
  first.def(nb::init<>()).def("keep", [](First&, Second&) {}, nb::keep_alive<1, 2>());
  second.def(nb::init<>()).def("keep", [](Second&, Third&) {}, nb::keep_alive<1, 2>());
  third.def(nb::init<>());
  third.def("ring_closed", [](Third&, First&) {}, nb::keep_alive<1, 2>());  // row: ring_closed
  fourth.def(nb::init<>());
  third.def("ring_open", [](Third&, Fourth&) {}, nb::keep_alive<1, 2>());  // row: ring_open
  m.def("giver_lent", [] { return Lent(); });
  m.def("giver_counted", [] { return Given(); });
  m.def("trust_blindly", [](nb::object o) { size_t n = 0; for (auto one : nb::borrow<nb::list>(o)) n += nb::len(one); return n; });  // row: trust_blindly
  m.def("trust_asked", [](nb::object o) { size_t n = 0; if (nb::isinstance<nb::list>(o)) for (auto one : nb::borrow<nb::list>(o)) n += nb::len(one); return n; });  // row: trust_asked
  nb::class_<Box>(m, "Box").def(nb::init<>()).def_rw("hold_object", &Box::held);  // row: hold_object
  nb::class_<Called>(m, "Called").def(nb::init<>()).def_rw("hold_function", &Called::call);  // row: hold_function
  nb::class_<Shown>(m, "Shown", nb::type_slots(shown_slots)).def(nb::init<>()).def_rw("hold_shown", &Shown::held);  // row: hold_shown
  nb::class_<Linked>(m, "Linked").def(nb::init<>()).def_rw("hold_shared", &Linked::next);  // row: hold_shared
  nb::class_<Pair> pair(m, "Pair");
  pair.def(nb::init<>());
  pair.def("knot_both", &Pair::part, rvp::reference_internal, nb::keep_alive<1, 0>());  // row: knot_both
  pair.def("knot_one", &Pair::part, rvp::reference_internal);  // row: knot_one
}
