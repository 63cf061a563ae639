// Small stand-ins for locks, containers and threads: enough to compile the cases, nothing to run.
#pragma once

using size_t = decltype(sizeof(0));

extern "C" {
struct pthread_mutex_t { int state; };
int pthread_mutex_lock(pthread_mutex_t* mutex);
int pthread_mutex_unlock(pthread_mutex_t* mutex);
}

namespace std {

using ::size_t;

template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> constexpr typename remove_reference<T>::type&& move(T&& value);
template <class T> void swap(T& one, T& other);
template <class T> T exchange(T& place, T value);

struct string {
  string(); string(const char*); string(const string&); ~string();
  string& operator=(const string&);
  bool empty() const; size_t size() const; const char* c_str() const; const char* data() const; void clear();
  string& operator+=(const string&); string& append(const string&);
};
bool operator==(const string&, const string&);
struct string_view { string_view(); string_view(const char*); string_view(const string&); size_t size() const; bool empty() const; };
template <class T> struct span { span(); template <class C> span(C& c); T* begin() const; T* end() const; };

struct adopt_lock_t {};
struct defer_lock_t {};
struct try_to_lock_t {};
extern const adopt_lock_t adopt_lock;
extern const defer_lock_t defer_lock;
extern const try_to_lock_t try_to_lock;

struct mutex { mutex(); mutex(const mutex&) = delete; void lock(); void unlock(); bool try_lock(); };
struct recursive_mutex { void lock(); void unlock(); };
struct shared_mutex { void lock(); void unlock(); void lock_shared(); void unlock_shared(); };
template <class M> struct lock_guard { explicit lock_guard(M& mutex); lock_guard(M& mutex, adopt_lock_t); ~lock_guard(); };
template <class M> struct unique_lock {
  unique_lock(); explicit unique_lock(M& mutex); unique_lock(M& mutex, defer_lock_t); unique_lock(M& mutex, adopt_lock_t);
  unique_lock(unique_lock&&); unique_lock& operator=(unique_lock&&); ~unique_lock();
  void lock(); void unlock(); bool owns_lock() const;
};
template <class M> struct shared_lock { explicit shared_lock(M& mutex); ~shared_lock(); void unlock(); };
template <class... M> struct scoped_lock { explicit scoped_lock(M&... mutexes); ~scoped_lock(); };
struct condition_variable {
  void notify_one(); void notify_all(); void wait(unique_lock<mutex>& lock);
  template <class P> void wait(unique_lock<mutex>& lock, P predicate);
};
struct thread { thread(); template <class F, class... A> explicit thread(F&& f, A&&... a); void join(); void detach(); };
template <class S> struct function;
template <class R, class... A> struct function<R(A...)> { function(); template <class F> function(F f); R operator()(A...) const; };

template <class T> struct atomic {
  atomic(); atomic(T value); T load() const; void store(T value); T operator=(T value); operator T() const; T operator++(int); T operator++();
};

template <class A, class B> struct pair { A first; B second; pair(); pair(A a, B b); };

template <class T> struct optional {
  optional(); optional(T value); optional& operator=(T value);
  T* operator->(); T& operator*(); explicit operator bool() const; bool has_value() const;
  template <class... A> void emplace(A&&... a); void reset();
};
template <class T> struct unique_ptr {
  unique_ptr(); unique_ptr(decltype(nullptr)); explicit unique_ptr(T* p); unique_ptr(unique_ptr&&); ~unique_ptr();
  unique_ptr& operator=(unique_ptr&&);
  T* get() const; T* release(); void reset(T* p = nullptr); T* operator->() const; T& operator*() const; explicit operator bool() const;
};
template <class T> bool operator==(const unique_ptr<T>&, decltype(nullptr));
template <class T> struct shared_ptr {
  shared_ptr(); shared_ptr(decltype(nullptr)); explicit shared_ptr(T* p); shared_ptr(const shared_ptr&); ~shared_ptr();
  shared_ptr& operator=(const shared_ptr&);
  T* get() const; void reset(T* p = nullptr); T* operator->() const; T& operator*() const; explicit operator bool() const;
};
template <class T, class... A> unique_ptr<T> make_unique(A&&... a);
template <class T, class... A> shared_ptr<T> make_shared(A&&... a);

template <class T> struct vector {
  using iterator = T*;
  vector(); vector(const vector&); ~vector(); vector& operator=(const vector&);
  iterator begin(); iterator end(); const T* begin() const; const T* end() const; size_t size() const; bool empty() const;
  void push_back(T value); template <class... A> T& emplace_back(A&&... a); void pop_back(); iterator erase(iterator at);
  T& operator[](size_t at); const T& operator[](size_t at) const; T& at(size_t at); T& back(); T& front();
  T* data(); void clear(); void resize(size_t); void reserve(size_t); void swap(vector& other);
};
template <class T> struct deque : vector<T> { void push_front(T value); void pop_front(); };
template <class T> struct list {
  struct iterator { T& operator*() const; T* operator->() const; iterator& operator++(); bool operator!=(const iterator&) const; };
  iterator begin(); iterator end(); T& back(); T& front(); void push_back(T value); template <class... A> T& emplace_back(A&&... a);
  void pop_front(); iterator erase(iterator at); void clear(); bool empty() const; size_t size() const;
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
  V& operator[](const K& key); V& at(const K& key); const V& at(const K& key) const;
  template <class... A> pair<iterator, bool> emplace(A&&... a);
  template <class... A> pair<iterator, bool> try_emplace(const K& key, A&&... a);
  template <class T> pair<iterator, bool> insert_or_assign(const K& key, T&& value);
  size_t erase(const K& key); iterator erase(iterator at); void clear();
};
template <class K, class V> struct unordered_map : map<K, V> {};

}  // namespace std

namespace absl {
class Mutex {
 public:
  void Lock(); void Unlock(); void ReaderLock(); void ReaderUnlock(); void AssertHeld() const;
};
class MutexLock { public: explicit MutexLock(Mutex* mu); ~MutexLock(); };
class ReaderMutexLock { public: explicit ReaderMutexLock(Mutex* mu); ~ReaderMutexLock(); };
class ReleasableMutexLock { public: explicit ReleasableMutexLock(Mutex* mu); ~ReleasableMutexLock(); void Release(); };
template <class K, class V> struct flat_hash_map : std::map<K, V> {};
template <class K, class V> struct node_hash_map : std::map<K, V> {};
}  // namespace absl

#define ABSL_GUARDED_BY(x)
#define ABSL_PT_GUARDED_BY(x)
#define ABSL_EXCLUSIVE_LOCKS_REQUIRED(x)
#define ABSL_NO_THREAD_SAFETY_ANALYSIS
#define GUARDED_BY(x)

struct Stream { template <class T> Stream& operator<<(const T&); };
Stream& LogStream(int severity);
#define INFO 0
#define LOG(severity) LogStream(severity)
