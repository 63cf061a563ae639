// Small stand-ins for what the cases about callbacks use: enough to compile them, nothing to run.
#pragma once

using size_t = decltype(sizeof(0));

namespace std {
using ::size_t;
struct string { string(const char* = ""); string(const char* text, size_t size); const char* c_str() const; };
struct exception { virtual ~exception(); virtual const char* what() const; };
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> constexpr typename remove_reference<T>::type&& move(T&& value) noexcept {
  return static_cast<typename remove_reference<T>::type&&>(value);
}
template <class T> struct vector {
  void push_back(T value); template <class... A> T& emplace_back(A&&... a);
  T* begin(); T* end(); size_t size() const;
};
template <class T> struct unique_ptr {
  unique_ptr(); explicit unique_ptr(T* p); ~unique_ptr(); T* get() const; T* operator->() const; T& operator*() const;
};
template <class T> struct shared_ptr {
  shared_ptr(); explicit shared_ptr(T* p); shared_ptr(const shared_ptr&); ~shared_ptr();
  T* get() const; T* operator->() const; T& operator*() const;
};
template <class T, class... A> unique_ptr<T> make_unique(A&&... a);
template <class T, class... A> shared_ptr<T> make_shared(A&&... a);
}  // namespace std

struct _object;
using PyObject = _object;
PyObject* PyObject_CallOneArg(PyObject* callable, PyObject* argument);

#define STAND_INS                                                                  \
  class handle {                                                                   \
   public:                                                                         \
    handle(); handle(PyObject* p);                                                 \
    PyObject* ptr() const;                                                         \
    template <class... A> object operator()(A&&... a) const;                       \
    handle attr(const char* name) const;                                           \
    const handle& inc_ref() const; const handle& dec_ref() const;                  \
  };                                                                               \
  class object : public handle { public: object(); object(const object&); ~object(); }; \
  class callable : public object {};                                               \
  class function : public object {};                                               \
  class list : public object { public: template <class T> void append(T&& item); }; \
  class str : public object { public: str(const char* text); };                    \
  template <class T> T cast(const handle& from);                                   \
  class gil_scoped_acquire { public: gil_scoped_acquire(); ~gil_scoped_acquire(); }; \
  class module_ : public object { public: template <class F, class... E> module_& def(const char* name, F f, const E&... e); }; \
  template <class T, class... O> class class_ : public object {                    \
   public:                                                                         \
    template <class... E> class_(handle scope, const char* name, const E&... e);   \
    template <class F, class... E> class_& def(const char* name, F f, const E&... e); \
  };

namespace nanobind {
class object;
enum class rv_policy { automatic, take_ownership, copy, move, reference };
STAND_INS
template <class T> object cast(T&& value, rv_policy policy = rv_policy::automatic);
}  // namespace nanobind

namespace pybind11 {
class object;
enum class return_value_policy { automatic, take_ownership, copy, move, reference };
STAND_INS
template <class T> object cast(T&& value, return_value_policy policy = return_value_policy::automatic);
}  // namespace pybind11

template <class F> struct scope_exit { explicit scope_exit(F f); ~scope_exit(); };
template <class F> scope_exit<F> make_scope_exit(F f);
