// Small stand-ins for locks, atomics, threads and containers: enough to compile the cases, nothing to run.
#pragma once

#ifdef NDEBUG
#define assert(...) ((void)0)
#else
void assertion_failed(const char* text);
#define assert(...) ((__VA_ARGS__) ? (void)0 : assertion_failed(#__VA_ARGS__))
#endif

using size_t = decltype(sizeof(0));
#define NULL 0

extern "C" {
void* malloc(size_t size);
void free(void* p);
int atoi(const char* text);
char* getenv(const char* name);
int setenv(const char* name, const char* value, int overwrite);
int strcmp(const char* one, const char* other);
long strtol(const char* text, char** end, int base);
}

namespace std {

using ::size_t;
using ::getenv;
using ::atoi;
using ::strcmp;
using ::strtol;

template <class T> T&& move(T& value);
template <class T> T&& move(T&& value);

struct string {
  string(const char* = ""); string(const string&); ~string();
  string& operator=(const string&);
  bool empty() const; size_t size() const; const char* c_str() const; void clear();
  string& operator+=(const string&); string& operator+=(const char*);
  friend bool operator==(const string&, const char*);
};
string operator+(const string&, const char*);
string to_string(long value);
struct string_view { string_view(const char* = ""); string_view(const string&); };
struct logic_error { explicit logic_error(const char* what); };
struct invalid_argument { explicit invalid_argument(const string& what); };

enum memory_order { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel };

template <class T> struct atomic {
  atomic(); atomic(T value);
  T load(memory_order = memory_order_relaxed) const; void store(T value, memory_order = memory_order_relaxed);
  T exchange(T value, memory_order = memory_order_relaxed);
  bool compare_exchange_strong(T& expected, T wanted); bool compare_exchange_weak(T& expected, T wanted);
  T operator=(T value); operator T() const; T operator++(); T operator++(int); T fetch_add(T by, memory_order = memory_order_relaxed);
};

struct adopt_lock_t {};
struct defer_lock_t {};
extern const adopt_lock_t adopt_lock;
extern const defer_lock_t defer_lock;

struct mutex { mutex(); mutex(const mutex&) = delete; void lock(); void unlock(); bool try_lock(); };
struct recursive_mutex { void lock(); void unlock(); };
struct shared_mutex { void lock(); void unlock(); void lock_shared(); void unlock_shared(); };
template <class M> struct lock_guard { explicit lock_guard(M& mutex); lock_guard(M& mutex, adopt_lock_t); ~lock_guard(); };
template <class M> struct unique_lock {
  unique_lock(); explicit unique_lock(M& mutex); unique_lock(M& mutex, defer_lock_t); unique_lock(M& mutex, adopt_lock_t);
  unique_lock(unique_lock&&); ~unique_lock();
  void lock(); void unlock();
};
template <class M> struct shared_lock { explicit shared_lock(M& mutex); ~shared_lock(); void unlock(); };
template <class... M> struct scoped_lock { explicit scoped_lock(M&... mutexes); ~scoped_lock(); };
struct condition_variable { void notify_one(); void notify_all(); void wait(unique_lock<mutex>& lock); };
struct once_flag {};
template <class F, class... A> void call_once(once_flag& flag, F&& f, A&&... a);
struct thread { thread(); template <class F, class... A> explicit thread(F&& f, A&&... a); void join(); void detach(); };

template <class A, class B> struct pair {
  A first;
  B second;
  pair();
  pair(A a, B b);
  template <class C, class D> pair(pair<C, D> other);
};
template <class A, class B> pair<A, B> make_pair(A a, B b);

template <class T> struct optional {
  optional(); optional(T value); optional& operator=(T value);
  T* operator->(); T& operator*(); const T& operator*() const; T& value(); explicit operator bool() const; bool has_value() const; void emplace(T value); void reset();
};
template <class T> struct unique_ptr {
  unique_ptr(); unique_ptr(decltype(nullptr)); explicit unique_ptr(T* p); unique_ptr(unique_ptr&&); ~unique_ptr();
  unique_ptr& operator=(unique_ptr&&);
  T* get() const; T* release(); void reset(T* p = nullptr); T* operator->() const; T& operator*() const; explicit operator bool() const;
  bool operator==(decltype(nullptr)) const; bool operator!=(decltype(nullptr)) const;
};
template <class T> struct shared_ptr {
  shared_ptr(); shared_ptr(decltype(nullptr)); explicit shared_ptr(T* p); shared_ptr(const shared_ptr&); ~shared_ptr();
  shared_ptr& operator=(const shared_ptr&);
  T* get() const; void reset(T* p = nullptr); T* operator->() const; T& operator*() const; explicit operator bool() const;
  bool operator==(decltype(nullptr)) const; bool operator!=(decltype(nullptr)) const;
};
template <class T, class... A> unique_ptr<T> make_unique(A&&... a);
template <class T, class... A> shared_ptr<T> make_shared(A&&... a);

template <class T> struct vector {
  vector(); vector(const vector&); ~vector();
  T* begin(); T* end(); const T* begin() const; const T* end() const; size_t size() const; bool empty() const;
  void push_back(T value); T& operator[](size_t at); T& at(size_t at); T& back(); void clear(); void reserve(size_t);
};

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
  template <class... A> pair<iterator, bool> try_emplace(const K& key, A&&... a);
  template <class T> pair<iterator, bool> insert_or_assign(const K& key, T&& value);
  size_t erase(const K& key); iterator erase(iterator at); void clear();
};
template <class K, class V> struct unordered_map : map<K, V> {};
template <class K> struct set {
  struct iterator { const K& operator*() const; iterator& operator++(); bool operator==(const iterator&) const; bool operator!=(const iterator&) const; };
  iterator begin(); iterator end(); iterator find(const K& key); size_t count(const K& key) const;
  pair<iterator, bool> insert(K key); size_t erase(const K& key); void clear();
};
template <class K> struct unordered_set : set<K> {};

}  // namespace std

namespace absl {
class Mutex {
 public:
  void Lock(); void Unlock(); void ReaderLock(); void ReaderUnlock(); void AssertHeld() const;
};
class MutexLock { public: explicit MutexLock(Mutex* mu); ~MutexLock(); };
class WriterMutexLock { public: explicit WriterMutexLock(Mutex* mu); ~WriterMutexLock(); };
class ReaderMutexLock { public: explicit ReaderMutexLock(Mutex* mu); ~ReaderMutexLock(); };
class ReleasableMutexLock { public: explicit ReleasableMutexLock(Mutex* mu); ~ReleasableMutexLock(); void Release(); };
template <class K, class V> struct flat_hash_map : std::map<K, V> {};
}  // namespace absl

#define ABSL_GUARDED_BY(x)
#define ABSL_EXCLUSIVE_LOCKS_REQUIRED(x)

namespace pybind11 {
class gil_scoped_acquire { public: gil_scoped_acquire(); ~gil_scoped_acquire(); };
class gil_scoped_release { public: gil_scoped_release(); ~gil_scoped_release(); };
}  // namespace pybind11
namespace py = pybind11;

struct Stream { template <class T> Stream& operator<<(const T&); };
Stream& LogStream(int severity);
#define INFO 0
#define WARNING 1
#define LOG(severity) LogStream(severity)
#define VLOG(level) if ((level) <= 1) LogStream(level)
#define DVLOG(level) if (false) LogStream(level)
#define VLOG_IS_ON(level) ((level) <= 1)
