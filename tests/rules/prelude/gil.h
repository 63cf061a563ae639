// Small stand-ins, written for these tests: threads, the C API's locks, and the parts of pybind11 and nanobind that
// need the interpreter's lock.
#pragma once

namespace std {
using size_t = decltype(sizeof(0));
template <class T>
struct remove_reference {
  using type = T;
};
template <class T>
struct remove_reference<T&> {
  using type = T;
};
template <class T>
constexpr typename remove_reference<T>::type&& move(T&& value) noexcept {
  return static_cast<typename remove_reference<T>::type&&>(value);
}
class string {
 public:
  string() = default;
  string(const char* text);
  const char* c_str() const;
  bool empty() const;
};
class exception {
 public:
  virtual ~exception();
  virtual const char* what() const noexcept;
};
class runtime_error : public exception {
 public:
  runtime_error(const char* text);
};
template <class T>
class vector {
 public:
  using value_type = T;
  vector() = default;
  T* begin();
  T* end();
  const T* begin() const;
  const T* end() const;
  T& operator[](size_t index);
  const T& operator[](size_t index) const;
  size_t size() const;
  void push_back(const T& value);
  void push_back(T&& value);
  template <class... A>
  T& emplace_back(A&&... arguments);
  void clear();
};
template <class T>
class unique_ptr {
 public:
  unique_ptr() = default;
  explicit unique_ptr(T* pointer);
  T& operator*() const;
  T* operator->() const;
  T* get() const;
  void reset(T* pointer = nullptr);
};
template <class T>
class shared_ptr {
 public:
  shared_ptr() = default;
  explicit shared_ptr(T* pointer);
  template <class D>
  shared_ptr(T* pointer, D deleter);
  T& operator*() const;
  T* operator->() const;
  T* get() const;
};
template <class T, class... A>
unique_ptr<T> make_unique(A&&... arguments);
template <class T, class... A>
shared_ptr<T> make_shared(A&&... arguments);
template <class T>
class optional {
 public:
  optional() = default;
  template <class... A>
  T& emplace(A&&... arguments);
  void reset();
};
template <class S>
class function;
template <class R, class... A>
class function<R(A...)> {
 public:
  function() = default;
  template <class F>
  function(F callable) {}
  R operator()(A... arguments) const;
  explicit operator bool() const;
};
class mutex {
 public:
  void lock();
  void unlock();
};
class recursive_mutex {
 public:
  void lock();
  void unlock();
};
template <class M>
class lock_guard {
 public:
  explicit lock_guard(M& mutex);
  ~lock_guard();
};
template <class M>
class unique_lock {
 public:
  explicit unique_lock(M& mutex);
  ~unique_lock();
  void lock();
  void unlock();
};
template <class M>
class scoped_lock {
 public:
  explicit scoped_lock(M& mutex);
  ~scoped_lock();
};
class condition_variable {
 public:
  template <class L>
  void wait(L& lock);
  template <class L, class P>
  void wait(L& lock, P done);
  void notify_all();
};
class thread {
 public:
  thread() = default;
  template <class F, class... A>
  explicit thread(F callable, A... arguments) {}
  thread(thread&&);
  thread& operator=(thread&&);
  void join();
  void detach();
  bool joinable() const;
};
template <class T>
class future {
 public:
  T get();
  void wait() const;
};
template <class T>
class shared_future {
 public:
  T get() const;
  void wait() const;
};
template <class T>
class promise {
 public:
  future<T> get_future();
};
enum class launch { async, deferred };
template <class F>
future<int> async(launch policy, F callable) { return {}; }
template <class F>
future<int> async(F callable) { return {}; }
template <class I, class F>
void for_each(I first, I last, F callable) {}
}  // namespace std

extern "C" {
struct PyObject;
struct PyThreadState;
enum PyGILState_STATE { PyGILState_LOCKED, PyGILState_UNLOCKED };
PyThreadState* PyEval_SaveThread();
void PyEval_RestoreThread(PyThreadState* state);
PyGILState_STATE PyGILState_Ensure();
void PyGILState_Release(PyGILState_STATE state);
int PyGILState_Check();
int Py_IsInitialized();
int Py_FinalizeEx();
void Py_Initialize();
void Py_InitializeEx(int signals);
void Py_Finalize();
int Py_AddPendingCall(int (*callback)(void*), void* data);
int Py_AtExit(void (*callback)());
int atexit(void (*callback)());
void* PyMem_RawMalloc(std::size_t size);
void PyMem_RawFree(void* memory);
void PyErr_SetString(PyObject* kind, const char* text);
int PyErr_CheckSignals();
void PyErr_Clear();
void PyErr_WriteUnraisable(PyObject* where);
PyObject* PyErr_Occurred();
PyObject* PyLong_FromLong(long value);
long PyLong_AsLong(PyObject* value);
PyObject* PyUnicode_FromString(const char* text);
PyObject* PyObject_CallNoArgs(PyObject* callable);
PyObject* PyObject_CallObject(PyObject* callable, PyObject* arguments);
PyObject* PyObject_CallFunction(PyObject* callable, const char* format, ...);
PyObject* PyImport_ImportModule(const char* name);
PyObject* PyObject_GetAttrString(PyObject* object, const char* name);
int PyRun_SimpleString(const char* text);
void Py_INCREF(PyObject* object);
void Py_DECREF(PyObject* object);
void Py_XDECREF(PyObject* object);
extern PyObject* PyExc_ValueError;
extern PyObject* PyExc_RuntimeError;
typedef PyObject* (*PyCFunction)(PyObject*, PyObject*);
struct PyMethodDef {
  const char* ml_name;
  PyCFunction ml_meth;
  int ml_flags;
  const char* ml_doc;
};
struct PyType_Slot {
  int slot;
  void* pfunc;
};
enum { Py_tp_dealloc = 52, Py_tp_repr = 66, Py_tp_str = 70, Py_tp_traverse = 71, Py_nb_add = 7, METH_VARARGS = 1, METH_NOARGS = 4 };
}
#define Py_CLEAR(object) do { PyObject* old = (object); (object) = nullptr; Py_XDECREF(old); } while (0)
#define Py_BEGIN_ALLOW_THREADS { PyThreadState* _save; _save = PyEval_SaveThread();
#define Py_BLOCK_THREADS PyEval_RestoreThread(_save);
#define Py_UNBLOCK_THREADS _save = PyEval_SaveThread();
#define Py_END_ALLOW_THREADS PyEval_RestoreThread(_save); }

namespace pybind11 {
struct gil_scoped_release {
  gil_scoped_release();
  ~gil_scoped_release();
};
struct scoped_interpreter {
  explicit scoped_interpreter(bool signals = true);
  ~scoped_interpreter();
};
void initialize_interpreter(bool signals = true);
void finalize_interpreter();
struct gil_scoped_acquire {
  gil_scoped_acquire();
  ~gil_scoped_acquire();
};
template <class... T>
struct call_guard {};
template <int N, int P>
struct keep_alive {};
struct arg {
  explicit arg(const char* name);
};
class handle {
 public:
  handle() = default;
  handle(PyObject* pointer);
  PyObject* ptr() const;
  handle attr(const char* name) const;
  handle operator()() const;
  template <class... A>
  handle operator()(A&&... arguments) const;
  handle operator[](const char* key) const;
  handle* begin() const;
  handle* end() const;
  bool is_none() const;
  template <class T>
  T cast() const;
  const handle& inc_ref() const;
  const handle& dec_ref() const;
};
class object : public handle {
 public:
  object() = default;
  object(const object& other);
  object(object&& other) noexcept;
  object(handle borrowed);
  object& operator=(const object& other);
  object& operator=(object&& other) noexcept;
  ~object();
  handle release();
};
class str : public object {
 public:
  str(const char* text);
};
class int_ : public object {
 public:
  int_(long value);
};
class none : public object {};
class list : public object {
 public:
  template <class T>
  void append(T&& value) const;
};
class dict : public object {};
class function : public object {
 public:
  using object::object;
  function() = default;
  function(const object& other);
};
class module_ : public object {
 public:
  static module_ import(const char* name);
  template <class F, class... E>
  module_& def(const char* name, F function, const E&... extras) { return *this; }
  handle attr(const char* name) const;
};
class capsule : public object {
 public:
  capsule(const void* value, void (*destructor)(void*));
};
template <class T>
class array_t : public object {
 public:
  const T* data() const;
  T* mutable_data();
  std::size_t size() const;
};
class error_already_set : public std::exception {
 public:
  error_already_set();
  const char* what() const noexcept override;
  void restore();
};
class value_error : public std::runtime_error {
 public:
  explicit value_error(const char* text);
};
template <class T>
class gil_safe_call_once_and_store {
 public:
  template <class F>
  gil_safe_call_once_and_store& call_once_and_store_result(F&& made) { return *this; }
  T& get_stored();
};
template <class... A>
void print(A&&... arguments) {}
template <class T>
object cast(T&& value) { return {}; }
template <class T>
bool isinstance(handle value) { return false; }
template <class T>
T reinterpret_borrow(handle value) { return {}; }
template <class... A>
struct init_t {};
template <class... A>
init_t<A...> init() { return {}; }
template <class F>
init_t<F> init(F factory) { return {}; }
template <class T, class... O>
class class_ : public object {
 public:
  template <class... E>
  class_(handle scope, const char* name, const E&... extras) {}
  template <class F, class... E>
  class_& def(const char* name, F function, const E&... extras) { return *this; }
  template <class... A, class... E>
  class_& def(init_t<A...>, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_static(const char* name, F function, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_property_readonly(const char* name, F getter, const E&... extras) { return *this; }
};
}  // namespace pybind11
#define PYBIND11_EMBEDDED_MODULE(name, variable) PYBIND11_MODULE(name, variable)
#define PYBIND11_MODULE(name, variable) void name##_module(pybind11::module_ variable)
#define PYBIND11_OVERRIDE(result, base, name, ...) \
  do {                                             \
    pybind11::gil_scoped_acquire gil;              \
    return base::name(__VA_ARGS__);                \
  } while (false)

namespace nanobind {
struct gil_scoped_release {
  gil_scoped_release();
  ~gil_scoped_release();
};
struct gil_scoped_acquire {
  gil_scoped_acquire();
  ~gil_scoped_acquire();
};
template <class... T>
struct call_guard {};
class handle {
 public:
  handle() = default;
  handle(PyObject* pointer);
  PyObject* ptr() const;
  handle attr(const char* name) const;
  template <class... A>
  handle operator()(A&&... arguments) const;
  bool is_valid() const;
  const handle& inc_ref() const;
  const handle& dec_ref() const;
};
class object : public handle {
 public:
  object() = default;
  object(const object& other);
  object(object&& other) noexcept;
  object(handle borrowed);
  object& operator=(const object& other);
  object& operator=(object&& other) noexcept;
  ~object();
  handle release();
  void reset();
};
class str : public object {
 public:
  str(const char* text);
  const char* c_str() const;
};
class list : public object {
 public:
  template <class T>
  void append(T&& value) const;
};
class dict : public object {};
class callable : public object {
 public:
  callable() = default;
};
class module_ : public object {
 public:
  static module_ import_(const char* name);
  template <class F, class... E>
  module_& def(const char* name, F function, const E&... extras) { return *this; }
};
struct numpy {};
template <class... T>
class ndarray {
 public:
  ndarray() = default;
  float* data() const;
  std::size_t size() const;
};
class python_error : public std::exception {
 public:
  python_error();
};
class type_error : public std::exception {
 public:
  explicit type_error(const char* text);
};
bool is_alive() noexcept;
template <class... A>
void print(A&&... arguments) {}
template <class T>
object cast(T&& value) { return {}; }
template <class T>
T borrow(handle value) { return {}; }
template <class... A>
struct init {};
template <class T, class... O>
class class_ : public object {
 public:
  template <class... E>
  class_(handle scope, const char* name, const E&... extras) {}
  template <class F, class... E>
  class_& def(const char* name, F function, const E&... extras) { return *this; }
  template <class... A, class... E>
  class_& def(init<A...>, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_prop_ro(const char* name, F getter, const E&... extras) { return *this; }
};
}  // namespace nanobind
#define NB_MODULE(name, variable) void name##_module(nanobind::module_ variable)

namespace py = pybind11;
namespace nb = nanobind;
