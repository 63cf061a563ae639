// Stand-ins for a library of statuses, and for what the cases use of the standard library: enough to compile, nothing to run.
#pragma once

void abort();

namespace std {
template <class T> T&& move(T& value);
extern const struct ignore_t {
  template <class T> const ignore_t& operator=(const T&) const;
} ignore;

template <class A, class B> struct pair { A first; B second; };

template <class T> struct unique_ptr {
  unique_ptr(); unique_ptr(unique_ptr&&); ~unique_ptr();
  template <class U> unique_ptr(unique_ptr<U>&&);
  unique_ptr& operator=(unique_ptr&&);
  T* get() const; T* operator->() const; T& operator*() const; explicit operator bool() const;
};
template <class T> struct shared_ptr {
  shared_ptr(); shared_ptr(const shared_ptr&); ~shared_ptr();
  T* get() const; T* operator->() const; T& operator*() const; explicit operator bool() const;
};
template <class T> struct optional { T* operator->(); T& operator*(); T& value(); explicit operator bool() const; };
template <class T, class... A> unique_ptr<T> make_unique(A&&... a);

template <class T> struct vector {
  vector(); ~vector();
  T* begin(); T* end(); T& front(); T& back(); T& at(unsigned long at); T& operator[](unsigned long at);
  void push_back(T value);
};
template <class K, class V> struct map {
  struct iterator {
    pair<const K, V>* operator->() const; pair<const K, V>& operator*() const; iterator& operator++();
    bool operator==(const iterator&) const; bool operator!=(const iterator&) const;
  };
  map(); ~map();
  iterator begin(); iterator end(); iterator find(const K& key); V& operator[](const K& key);
};
template <class F> struct function;
template <class R, class... A> struct function<R(A...)> {
  function(); template <class F> function(F); R operator()(A...) const;
};
}  // namespace std

namespace absl {
class [[nodiscard]] Status {
 public:
  Status(); Status(const Status&); ~Status();
  Status& operator=(const Status&);
  bool ok() const;
  const char* message() const;
  void Update(Status other);
  void IgnoreError() const;
};
Status OkStatus();
Status InternalError(const char* why);

template <class T> class [[nodiscard]] StatusOr {
 public:
  StatusOr(T value); StatusOr(Status status);
  bool ok() const;
  const Status& status() const;
  T& value();
  void IgnoreError() const;
};
}  // namespace absl

struct Stream { template <class T> Stream& operator<<(const T&); };
Stream& LogStream(int severity);
#define WARNING 1
#define LOG(severity) LogStream(severity)
