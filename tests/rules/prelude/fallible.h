// Stand-ins for what code that can fail is written with: just enough to be compiled.
#pragma once

#define NULL 0
#define EINVAL 22

using size_t = decltype(sizeof(0));

namespace std {
struct string {
  string() = default;
  string(const char*);
  bool operator==(const string&) const;
  bool empty() const;
};
struct exception {
  const char* what() const;
};
struct runtime_error : exception {
  explicit runtime_error(const char*);
};
template <class T>
T&& move(T& value);
template <class T, class U>
T exchange(T& place, U value);

template <class T>
struct atomic {
  atomic() = default;
  atomic(T);
  T load(int order = 0) const;
  void store(T, int order = 0);
  T exchange(T, int order = 0);
  bool compare_exchange_strong(T& expected, T desired);
  operator T() const;
  T operator=(T);
};
constexpr int memory_order_acquire = 2, memory_order_release = 3;
struct atomic_flag {
  bool test_and_set();
  void clear();
};
struct mutex {};
template <class M>
struct lock_guard {
  explicit lock_guard(M&);
  ~lock_guard();
};

template <class T>
struct unique_ptr {
  unique_ptr() = default;
  unique_ptr(T*);
  unique_ptr(unique_ptr&&);
  unique_ptr& operator=(unique_ptr&&);
  T* operator->() const;
  T& operator*() const;
  T* get() const;
  void reset(T* = nullptr);
  T* release();
  explicit operator bool() const;
  bool operator==(decltype(nullptr)) const;
};
template <class T>
struct shared_ptr {
  shared_ptr() = default;
  T* operator->() const;
  T& operator*() const;
  T* get() const;
  explicit operator bool() const;
  bool operator==(decltype(nullptr)) const;
};
template <class T, class... A>
unique_ptr<T> make_unique(A&&...);
template <class T, class... A>
shared_ptr<T> make_shared(A&&...);

template <class K, class V>
struct pair {
  K first;
  V second;
};
template <class T>
struct vector {
  T* begin();
  T* end();
  T& operator[](size_t);
  size_t size() const;
  T& back();
  void push_back(T);
};
template <class K, class V>
struct map {
  struct iterator {
    pair<K, V>* operator->() const;
    pair<K, V>& operator*() const;
    iterator& operator++();
    bool operator==(const iterator&) const;
  };
  V& operator[](const K&);
  V& at(const K&);
  iterator find(const K&);
  iterator begin();
  iterator end();
};
template <class T>
struct set {
  pair<T*, bool> insert(const T&);
  void erase(const T&);
  bool contains(const T&) const;
};
template <class T>
struct optional {
  optional();
  optional(T);
  void reset();
  bool has_value() const;
  explicit operator bool() const;
  T& operator*();
  T* operator->();
};
template <class T>
struct function;
}  // namespace std

namespace absl {
enum class StatusCode { kOk, kInternal };
class [[nodiscard]] Status {
 public:
  Status();
  bool ok() const;
  StatusCode code() const;
  std::string message() const;
  void IgnoreError() const;
};
Status OkStatus();
Status InternalError(const char*);
Status FailedPreconditionError(const char*);
Status InvalidArgumentError(const char*);
template <class T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(T);
  StatusOr(Status);
  bool ok() const;
  Status status() const;
  T& value();
  T& operator*();
};
template <class F>
struct Cleanup {
  Cleanup(F);
  ~Cleanup();
  void Cancel() &&;
};
template <class F>
Cleanup(F) -> Cleanup<F>;
template <class F>
Cleanup<F> MakeCleanup(F);
}  // namespace absl
using absl::OkStatus;
using absl::Status;
using absl::StatusOr;

#define RETURN_IF_ERROR(expression)                            \
  do {                                                         \
    if (auto status_ = (expression); !status_.ok()) return status_; \
  } while (false)
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define ASSIGN_OR_RETURN(left, right) ASSIGN_OR_RETURN_(JOINED(or_, __LINE__), left, right)
#define ASSIGN_OR_RETURN_(name, left, right) \
  auto name = (right);                       \
  if (!name.ok()) return name.status();      \
  left = std::move(name.value())
#define CHECK(condition) \
  if (!(condition)) __builtin_abort()
#define DCHECK(condition)
struct Line {
  template <class T>
  Line& operator<<(const T&);
};
#define LOG(severity) Line()
