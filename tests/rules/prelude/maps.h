// Small stand-ins for the containers that registries are made of: enough to compile the cases, nothing to run.
#pragma once

#ifdef NDEBUG
#define assert(...) ((void)0)
#else
void assertion_failed(const char* text);
#define assert(...) ((__VA_ARGS__) ? (void)0 : assertion_failed(#__VA_ARGS__))
#endif

using size_t = decltype(sizeof(0));
using uintptr_t = unsigned long;
using uint64_t = unsigned long;

namespace std {

using ::size_t;
using ::uintptr_t;

template <class T> T&& move(T& value);
template <class T> T&& move(T&& value);
template <class T> void swap(T& one, T& other);
template <class T, class U = T> T exchange(T& place, U&& value);
extern const struct ignore_t { template <class T> const ignore_t& operator=(const T&) const; } ignore;

struct string { string(const char* = ""); bool empty() const; };
struct string_view { string_view(const char* = ""); };
struct logic_error { explicit logic_error(const char* what); };
struct runtime_error { explicit runtime_error(const char* what); };
class type_info { public: virtual ~type_info(); const char* name() const; };
struct mutex { void lock(); void unlock(); };
template <class M> struct lock_guard { explicit lock_guard(M& mutex); ~lock_guard(); };

template <class A, class B> struct pair {
  A first;
  B second;
  pair();
  pair(A a, B b);
  template <class C, class D> pair(pair<C, D> other);
};
template <class A, class B> pair<A, B> make_pair(A a, B b);

template <class T> struct unique_ptr {
  unique_ptr(); unique_ptr(decltype(nullptr)); explicit unique_ptr(T* p); unique_ptr(unique_ptr&&);
  ~unique_ptr();
  unique_ptr& operator=(unique_ptr&&);
  T* get() const; T* release(); T* operator->() const; T& operator*() const; explicit operator bool() const;
};
template <class T> struct shared_ptr {
  shared_ptr(); shared_ptr(decltype(nullptr)); explicit shared_ptr(T* p); shared_ptr(const shared_ptr&);
  ~shared_ptr();
  shared_ptr& operator=(const shared_ptr&);
  T* get() const; T* operator->() const; T& operator*() const; explicit operator bool() const;
};
template <class T> struct weak_ptr {
  weak_ptr(); weak_ptr(shared_ptr<T>); ~weak_ptr();
  shared_ptr<T> lock() const; bool expired() const;
};
template <class T, class... A> unique_ptr<T> make_unique(A&&... a);
template <class T, class... A> shared_ptr<T> make_shared(A&&... a);

template <class T> struct vector {
  vector(); ~vector();
  T* begin(); T* end(); size_t size() const; void push_back(T value); T& operator[](size_t at); void clear();
  void pop_back();
};

template <class K, class V> struct map {
  using value_type = pair<const K, V>;
  struct iterator {
    value_type* operator->() const; value_type& operator*() const; iterator& operator++();
    bool operator==(const iterator&) const; bool operator!=(const iterator&) const;
  };
  map(); ~map();
  iterator begin(); iterator end(); iterator find(const K& key); iterator lower_bound(const K& key);
  iterator begin() const; iterator end() const; iterator find(const K& key) const;
  size_t count(const K& key) const; bool contains(const K& key) const; size_t size() const; bool empty() const;
  V& operator[](const K& key); V& at(const K& key);
  pair<iterator, bool> insert(pair<K, V> entry);
  template <class... A> pair<iterator, bool> emplace(A&&... a);
  template <class... A> pair<iterator, bool> try_emplace(const K& key, A&&... a);
  template <class T> pair<iterator, bool> insert_or_assign(const K& key, T&& value);
  size_t erase(const K& key); iterator erase(iterator at); void clear();
};
template <class K, class V> struct unordered_map : map<K, V> {};

template <class K> struct unordered_set {
  struct iterator { const K& operator*() const; iterator& operator++(); bool operator==(const iterator&) const; bool operator!=(const iterator&) const; };
  unordered_set(); ~unordered_set();
  iterator begin(); iterator end(); iterator find(const K& key); size_t count(const K& key) const;
  pair<iterator, bool> insert(K key); size_t erase(const K& key); void clear();
};
template <class K> struct set : unordered_set<K> {};

}  // namespace std
