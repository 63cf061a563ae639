// Small stand-ins, written for these tests: enough of the standard library, pybind11 and nanobind for a case to compile.
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
struct remove_reference<T&&> {
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
  const char* data() const;
  size_t size() const;
};

template <class T>
class reference_wrapper {
 public:
  reference_wrapper(T& target);
  T& get() const;
};
template <class T>
reference_wrapper<const T> cref(const T& target);

class string_view {
 public:
  string_view() = default;
  string_view(const char* text);
  string_view(const string& text);
  size_t size() const;
};

template <class T>
class vector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;
  vector() = default;
  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;
  T& operator[](size_t index);
  const T& operator[](size_t index) const;
  T& at(size_t index);
  T& front();
  T& back();
  T* data();
  const T* data() const;
  size_t size() const;
  void push_back(const T& value);
  void push_back(T&& value);
  template <class... A>
  T& emplace_back(A&&... arguments);
  void clear();
};

template <class C>
auto begin(C& container) -> decltype(container.begin());
template <class C>
auto end(C& container) -> decltype(container.end());

template <class T>
class span {
 public:
  span() = default;
  span(T* first, size_t count);
  template <class C>
  span(C& container);
  size_t size() const;
};

template <class K, class V>
struct pair {
  K first;
  V second;
};

template <class K, class V>
class map {
 public:
  using iterator = pair<const K, V>*;
  using const_iterator = const pair<const K, V>*;
  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;
  iterator find(const K& key);
  V& at(const K& key);
  V& operator[](const K& key);
};

template <class T>
class unique_ptr {
 public:
  unique_ptr() = default;
  template <class U>
  unique_ptr(unique_ptr<U>&& other);
  explicit unique_ptr(T* pointer);
  T* get() const;
  T* release();
  void reset(T* pointer = nullptr);
  T& operator*() const;
  T* operator->() const;
};

template <class T>
class shared_ptr {
 public:
  shared_ptr() = default;
  explicit shared_ptr(T* pointer);
  template <class U>
  shared_ptr(const shared_ptr<U>& owner, T* pointer);
  T* get() const;
  T& operator*() const;
  T* operator->() const;
};

template <class T>
class weak_ptr {
 public:
  weak_ptr() = default;
  weak_ptr(const shared_ptr<T>& owner);
  shared_ptr<T> lock() const;
};

template <class T>
class optional {
 public:
  optional() = default;
  optional(T value);
};

template <class T, class... A>
unique_ptr<T> make_unique(A&&... arguments);
template <class T, class... A>
shared_ptr<T> make_shared(A&&... arguments);
}  // namespace std

inline void* operator new(std::size_t, void* place) noexcept { return place; }

namespace pybind11 {
enum class return_value_policy { automatic, automatic_reference, take_ownership, copy, move, reference, reference_internal };
template <int N, int P>
struct keep_alive {};
template <class T>
struct call_guard {};
struct gil_scoped_release {};
struct arg {
  explicit arg(const char* name);
};
class handle {};
class object : public handle {
 public:
  template <class T>
  T cast() const;
};
class args : public object {};
class none : public object {};
class list : public object {
 public:
  template <class T>
  void append(T&& value);
};
class dict : public object {
 public:
  struct slot {
    template <class T>
    void operator=(T&& value);
  };
  slot operator[](const char* key);
};
class str : public object {
 public:
  str() = default;
  str(const std::string& text);
};
class iterator : public object {};
class capsule : public object {
 public:
  capsule(const void* value, void (*destructor)(void*));
};
class memoryview : public object {
 public:
  static memoryview from_memory(const void* memory, std::size_t size);
};
class array : public object {
 public:
  array() = default;
  template <class T>
  array(std::size_t count, const T* data, handle base = {});
};
template <class T>
class array_t : public array {
 public:
  array_t(std::size_t count, const T* data, handle base = {});
};
struct buffer_protocol {};
struct buffer_info {
  template <class T>
  buffer_info(T* data, std::size_t count);
};
namespace detail {
void keep_alive_impl(handle nurse, handle patient);
}  // namespace detail
class cpp_function : public object {
 public:
  template <class F, class... E>
  cpp_function(F function, const E&... extras) {}
};
template <class... A>
struct init_t {};
template <class... A>
init_t<A...> init() { return {}; }
template <class F>
init_t<F> init(F function) { return {}; }
template <class T>
object cast(T&& value, return_value_policy policy = return_value_policy::automatic_reference, handle parent = {}) { return {}; }
iterator iter(handle iterable);
template <class C, class... E>
iterator make_iterator(C& container, const E&... extras) { return {}; }
template <class I, class S, class... E>
iterator make_iterator(I first, S last, const E&... extras) { return {}; }
template <return_value_policy P, class I, class S, class... E>
iterator make_iterator(I first, S last, const E&... extras) { return {}; }
template <class I, class S, class... E>
iterator make_key_iterator(I first, S last, const E&... extras) { return {}; }
template <class... A>
struct overload_cast_t {
  template <class R, class C>
  constexpr auto operator()(R (C::*member)(A...)) const {
    return member;
  }
  template <class R>
  constexpr auto operator()(R (*function)(A...)) const {
    return function;
  }
};
template <class... A>
inline constexpr overload_cast_t<A...> overload_cast{};
class module_ : public object {
 public:
  template <class F, class... E>
  module_& def(const char* name, F function, const E&... extras) { return *this; }
  module_ def_submodule(const char* name);
};
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
  template <class F, class G, class... E>
  class_& def_property(const char* name, F getter, G setter, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_property_readonly_static(const char* name, F getter, const E&... extras) { return *this; }
  template <class F>
  class_& def_buffer(F function) { return *this; }
  template <class F, class... E>
  class_& def_readonly(const char* name, F member, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_readwrite(const char* name, F member, const E&... extras) { return *this; }
};
template <class T>
class enum_ : public class_<T> {
 public:
  enum_(handle scope, const char* name) : class_<T>(scope, name) {}
  enum_& value(const char* name, T value) { return *this; }
};
}  // namespace pybind11

#define PYBIND11_MODULE(name, variable) void name##_module(pybind11::module_ variable)

namespace nanobind {
enum class rv_policy { automatic, automatic_reference, take_ownership, copy, move, reference, reference_internal, none };
template <int N, int P>
struct keep_alive {};
template <class P>
struct call_policy {};
class handle {};
template <class T>
class handle_t : public handle {};
class object : public handle {};
class iterator : public object {};
class capsule : public object {
 public:
  capsule(const void* value, void (*destructor)(void*) noexcept);
};
struct numpy {};
template <class F, class T>
class ndarray {
 public:
  ndarray(T* data, const std::size_t (&shape)[1], handle owner = {});
};
template <class T>
T cast(handle source);
template <class T>
handle type();
template <class... A>
struct init {};
template <class I, class S, class... E>
iterator make_iterator(handle scope, const char* name, I first, S last, const E&... extras) { return {}; }
class module_ : public object {
 public:
  template <class F, class... E>
  module_& def(const char* name, F function, const E&... extras) { return *this; }
};
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
  class_& def_static(const char* name, F function, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_prop_ro(const char* name, F getter, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_ro(const char* name, F member, const E&... extras) { return *this; }
  template <class F, class... E>
  class_& def_rw(const char* name, F member, const E&... extras) { return *this; }
  template <class F, class G, class... E>
  class_& def_prop_rw(const char* name, F getter, G setter, const E&... extras) { return *this; }
};
}  // namespace nanobind

#define NB_MODULE(name, variable) void name##_module(nanobind::module_ variable)
