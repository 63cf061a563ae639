// What is bound: objects that know whether they are alive, and count who is.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

constexpr std::uint64_t kAlive = 0x600DC0DE600DC0DEull;
constexpr std::uint64_t kDead = 0xDEADDEADDEADDEADull;

inline int children = 0;
inline int parents = 0;
inline int twice = 0;  // objects destroyed that were dead already

struct Child {
  Child() { ++children; }
  Child(const Child& other) { mark = other.mark, ++children; }  // a copy of the dead is dead
  ~Child() {
    if (mark != kAlive) ++twice;
    mark = kDead;
    --children;
  }
  bool alive() const { return mark == kAlive; }
  volatile std::uint64_t mark = kAlive;
  int value = 0;
};

class Parent;

// Looks at a parent that it does not own.
class View {
 public:
  explicit View(Parent& parent) : parent_(&parent) {}
  bool alive() const;

 private:
  Parent* parent_;
};

struct Plain {
  int value = 3;
  bool alive() const { return true; }
};

class Parent {
 public:
  Parent() : owned_(new Child()), shared_(std::make_shared<Child>()), elements_(3) { ++parents; }
  Parent(const Parent&) = delete;
  Parent& operator=(const Parent&) = delete;
  ~Parent() {
    mark_ = kDead;
    --parents;
  }
  bool alive() const { return mark_ == kAlive; }
  Child* ptr() { return &child_; }
  Child& ref() { return child_; }
  Child* owned() { return owned_.get(); }
  Child* of_shared() { return shared_.get(); }
  std::shared_ptr<Child> shared() { return shared_; }
  Child* made() { return new Child(); }
  Child copied() { return child_; }
  std::vector<Child*> pointers() { return {&elements_[0], &elements_[1]}; }
  const std::vector<Child>& elements() { return elements_; }
  std::vector<Child>& list() { return elements_; }
  std::pair<int, Child*> pair() { return {1, &child_}; }
  View view() { return View(*this); }
  Plain plain() { return Plain{}; }
  int number() { return 5; }
  std::vector<int> numbers() { return {1, 2, 3}; }
  std::string text() { return "text"; }
  Parent& self() { return *this; }
  Parent* itself() { return this; }
  Child* raw_ptr = &child_;
  void append() { elements_.emplace_back(); }
  double* data() { return data_; }

 private:
  volatile std::uint64_t mark_ = kAlive;
  Child child_;
  std::unique_ptr<Child> owned_;
  std::shared_ptr<Child> shared_;
  std::vector<Child> elements_;
  double data_[4096] = {1, 2, 3};
};

inline bool View::alive() const { return parent_->alive(); }

// Stores what it is given.
class Keeper {
 public:
  Keeper() = default;
  explicit Keeper(Child& child) : child_(&child) {}
  void set(Child* child) { child_ = child; }
  void add(Child* child) { all_.push_back(child); }
  void look(const Child& child) { last_ = child.value; }
  bool alive() const {
    bool all = child_ == nullptr || child_->alive();
    for (Child* each : all_) all = all && each->alive();
    return all && (slot == nullptr || slot->alive());
  }
  Child* slot = nullptr;

 private:
  Child* child_ = nullptr;
  std::vector<Child*> all_;
  int last_ = 0;
};

// Handed out by shared pointers although its holder is another.
struct Loose {
  bool alive() const { return mark == kAlive; }
  ~Loose() {
    if (mark != kAlive) ++twice;
    mark = kDead;
  }
  volatile std::uint64_t mark = kAlive;
};

// Held by shared pointers, and handed out by a raw one.
struct Held {
  bool alive() const { return mark == kAlive; }
  ~Held() {
    if (mark != kAlive) ++twice;
    mark = kDead;
  }
  volatile std::uint64_t mark = kAlive;
};

struct Sharing : std::enable_shared_from_this<Sharing> {
  bool alive() const { return mark == kAlive; }
  ~Sharing() {
    if (mark != kAlive) ++twice;
    mark = kDead;
  }
  volatile std::uint64_t mark = kAlive;
};

class Store {
 public:
  std::shared_ptr<Loose> loose() { return loose_; }
  Held* held() { return held_.get(); }
  Sharing* sharing() { return sharing_.get(); }
  bool alive() const { return loose_->alive() && held_->alive() && sharing_->alive(); }

 private:
  std::shared_ptr<Loose> loose_ = std::make_shared<Loose>();
  std::shared_ptr<Held> held_ = std::make_shared<Held>();
  std::shared_ptr<Sharing> sharing_ = std::make_shared<Sharing>();
};

inline int shapes = 0;  // what casters make, and what keeps each other

// What a type caster makes with `new`, and another with a unique pointer.
struct Leaky {
  explicit Leaky(int sides) : sides(sides) { ++shapes; }
  Leaky(const Leaky&) = delete;
  ~Leaky() { --shapes; }
  int sides;
};

struct Owned {
  explicit Owned(int sides) : sides(sides) { ++shapes; }
  Owned(const Owned&) = delete;
  ~Owned() { --shapes; }
  int sides;
};

template <int>
struct Ring {
  Ring() { ++shapes; }
  Ring(const Ring&) = delete;
  ~Ring() { --shapes; }
};

struct First : Ring<1> {};
struct Second : Ring<2> {};
struct Third : Ring<3> {};
struct Fourth : Ring<4> {};

// What a caster gives to Python: an object that it keeps, and one that it gives up.
struct Lent {};
struct Given {};
