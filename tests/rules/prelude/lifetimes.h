// Small stand-ins for what the cases about lifetimes use: enough to compile them, nothing to run.
#pragma once

using size_t = decltype(sizeof(0));
void* operator new(size_t, void* place) noexcept;
#define LIFETIME_BOUND [[clang::lifetimebound]]

namespace std {

using ::size_t;
using nullptr_t = decltype(nullptr);

template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> constexpr typename remove_reference<T>::type&& move(T&& value) noexcept {
  return static_cast<typename remove_reference<T>::type&&>(value);
}

struct string {
  string(); string(const char* text); string(const string&); string(string&&); ~string();
  template <class V> explicit string(const V& view);
  string& operator=(const string&); string& operator=(string&&); string& operator=(const char*);
  string& operator+=(const string& more);
  const char* c_str() const; const char* data() const; char* data(); size_t size() const; bool empty() const; void clear();
  bool operator==(const string&) const; bool operator<(const string&) const;
};
string operator+(const string& a, const string& b);
string to_string(int value);
struct string_view {
  string_view(); string_view(const char* text); string_view(const char* text, size_t size); string_view(const string& text);
  const char* data() const; size_t size() const; bool empty() const; bool operator==(const string_view&) const;
  string_view substr(size_t from, size_t count = 0) const; bool operator<(const string_view&) const;
};
template <class T> struct function;
template <class R, class... A> struct function<R(A...)> {
  function(); function(nullptr_t); template <class F> function(F f); ~function();
  R operator()(A... a) const; explicit operator bool() const;
};

template <class T> struct unique_ptr {
  unique_ptr(); unique_ptr(nullptr_t); explicit unique_ptr(T* p); unique_ptr(unique_ptr&&); ~unique_ptr();
  template <class U> unique_ptr(unique_ptr<U>&&);
  unique_ptr& operator=(unique_ptr&&); unique_ptr& operator=(nullptr_t);
  T* get() const; T* release(); void reset(T* p = nullptr); T* operator->() const; T& operator*() const;
  explicit operator bool() const; bool operator==(nullptr_t) const; bool operator!=(nullptr_t) const;
};
template <class T> struct unique_ptr<T[]> {
  unique_ptr(); explicit unique_ptr(T* p); unique_ptr(unique_ptr&&); ~unique_ptr(); T* get() const; T* release();
};
template <class T> struct shared_ptr {
  shared_ptr(); shared_ptr(nullptr_t); explicit shared_ptr(T* p); shared_ptr(const shared_ptr&); ~shared_ptr();
  shared_ptr& operator=(const shared_ptr&);
  T* get() const; T* operator->() const; T& operator*() const; explicit operator bool() const;
};
template <class T, class... A> unique_ptr<T> make_unique(A&&... a);
template <class T, class... A> shared_ptr<T> make_shared(A&&... a);
template <class T> struct optional {
  optional(); optional(T value); ~optional(); bool has_value() const; explicit operator bool() const;
  T& value(); T& operator*(); T* operator->(); void reset();
  template <class... A> T& emplace(A&&... a); optional& operator=(T value);
};

template <class A, class B> struct pair { A first; B second; pair(A a, B b); };
template <class T> struct vector {
  vector(); explicit vector(size_t n); vector(const vector&); vector(vector&&); ~vector();
  vector& operator=(const vector&); vector& operator=(vector&&);
  T* begin(); T* end(); const T* begin() const; const T* end() const;
  size_t size() const; bool empty() const; void push_back(T value); T& operator[](size_t at);
  template <class... A> T& emplace_back(A&&... a);
  const T& operator[](size_t at) const; T& back(); T& front(); T* data(); const T* data() const; void clear(); void pop_back();
  void resize(size_t n);
};
template <class T> struct span { span(); span(T* data, size_t size); T* data() const; size_t size() const; };

template <class K, class V> struct map {
  using value_type = pair<const K, V>;
  struct iterator {
    value_type* operator->() const; value_type& operator*() const; iterator& operator++();
    bool operator==(const iterator&) const; bool operator!=(const iterator&) const;
  };
  map(); ~map();
  iterator begin(); iterator end(); iterator find(const K& key);
  iterator begin() const; iterator end() const; iterator find(const K& key) const;
  size_t count(const K& key) const; bool contains(const K& key) const; size_t size() const; bool empty() const;
  V& operator[](const K& key); V& at(const K& key);
  pair<iterator, bool> insert(pair<K, V> entry);
  template <class... A> pair<iterator, bool> emplace(A&&... a);
  template <class T, class... A> pair<iterator, bool> try_emplace(const T& key, A&&... a);
  size_t erase(const K& key); void clear();
};
template <class K, class V> struct unordered_map : map<K, V> {};
template <class K> struct set {
  struct iterator { const K& operator*() const; bool operator==(const iterator&) const; bool operator!=(const iterator&) const; };
  iterator begin(); iterator end(); iterator find(const K& key); size_t count(const K& key) const;
  pair<iterator, bool> insert(K key); size_t erase(const K& key); void clear();
};

struct mutex { void lock(); void unlock(); };
template <class M> struct lock_guard { explicit lock_guard(M& m); ~lock_guard(); };
struct once_flag {};
template <class F, class... A> void call_once(once_flag& flag, F f, A&&... a);
struct runtime_error { explicit runtime_error(const char* what); };

}  // namespace std
