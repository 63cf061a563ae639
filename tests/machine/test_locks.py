"""Held locks and guarded members: what is held on every path, and what belongs to which lock."""

from __future__ import annotations

from itertools import permutations

import pytest

from ownlint.domains.locks import Callers, describe, held, locking
from ownlint.flow import events as e
from ownlint_rules.locks._guarded import guards


def _at(function, name):
    """The locks held when `name` is called."""
    locks = held(function)
    call = next(c for c in function.flow.calls if c.node.callee.end and _last(c) == name)
    return describe(locks[call.index])


def _last(call: e.CallEvent) -> str:
    callee = call.node.callee
    return getattr(callee, "name", "") or callee.text.rsplit("::", 1)[-1]


CACHE = """
class Cache {
 public:
  void Put(int k) {
    before();
    {
      std::lock_guard<std::mutex> lock(mu_);
      inside();
    }
    after();
  }
  void Maybe(bool wait) {
    std::unique_lock<std::mutex> lock(mu_, std::defer_lock);
    if (wait) { other_.lock(); }
    joined();
    other_.lock();
    by_hand();
    other_.unlock();
    let_go();
  }
 private:
  std::mutex mu_;
  std::mutex other_;
};
"""


def test_a_guard_object_holds_its_lock_to_the_end_of_its_block(program, function):
    put = function(program(cache_cc=CACHE), "Put")
    assert _at(put, "before") == ""
    assert _at(put, "inside") == "mu_"
    assert _at(put, "after") == ""


def test_a_lock_taken_on_one_path_is_not_held_where_paths_join(program, function):
    maybe = function(program(cache_cc=CACHE), "Maybe")
    assert "other_" not in _at(maybe, "joined")
    assert "other_" in _at(maybe, "by_hand")
    assert "other_" not in _at(maybe, "let_go")


def test_an_annotation_says_what_the_caller_holds(program, function):
    made = program(
        a_cc="class A { void F() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { work(); } absl::Mutex mu_;"
        " int n_ ABSL_GUARDED_BY(mu_); };"
    )
    assert _at(function(made, "F"), "work") == "mu_"
    assert guards(made.classes[0])["n_"].why == "annotation"


def test_a_comment_can_name_the_lock(program):
    made = program(
        a_cc="class A {\n  std::mutex mu_;\n  int n_;  // protected by mu_\n  int m_;  // protected by nobody\n};\n"
    )
    found = guards(made.classes[0])
    assert found["n_"].lock == "mu_"
    assert "m_" not in found


TABLE = """
class Table {
 public:
  void Add(int k) { std::lock_guard<std::mutex> l(mu_); rows_.push_back(k); count_ = count_ + 1; }
  void Drop() { std::lock_guard<std::mutex> l(mu_); rows_.clear(); count_ = 0; }
  int Count() { std::lock_guard<std::mutex> l(mu_); return count_; }
  int Peek() { return limit_ + limit_ + limit_; }
 private:
  std::mutex mu_;
  std::vector<int> rows_;
  int count_ = 0;
  int limit_ = 0;
};
"""


def test_use_tells_where_nobody_says_it(program):
    found = guards(program(table_cc=TABLE).classes[0])
    assert found["count_"].lock == "mu_"
    assert found["count_"].why == "use"
    assert found["count_"].touched == found["count_"].careful >= 3
    assert "limit_" not in found


def test_a_member_often_touched_without_the_lock_is_nobodys(program):
    careless = TABLE.replace("return limit_ + limit_ + limit_;", "return count_ + count_ + count_ + count_;")
    assert "count_" not in guards(program(table_cc=careless).classes[0])


def test_header_and_source_are_one_class(program, function):
    made = program(
        t_h="class T { public: void Set(int v); int Get(); void Zero(); std::mutex mu_; int v_; };",
        t_cc='#include "t.h"\nvoid T::Set(int v) { std::scoped_lock l(mu_); v_ = v; }\n'
        "int T::Get() { std::scoped_lock l(mu_); return v_; }\nvoid T::Zero() { std::scoped_lock l(mu_); v_ = 0; }\n",
    )
    assert guards(made.classes[0])["v_"].why == "use"


WALK = """
class Walk {
 public:
  void Begin() { std::lock_guard<std::mutex> l(mu_); down(); }
  void down() { if (n_ > 0) up(); }
  void up() { if (n_ > 1) down(); }
  void Again() { up(); }
 private:
  std::mutex mu_;
  int n_ = 0;
};
"""


def _names(callers: Callers) -> list[str]:
    return sorted(lock[-1] for lock in callers.locks)


@pytest.mark.parametrize("order", list(permutations(("down", "up", "Begin"))))
def test_who_call_each_other_hold_the_same_in_whichever_order_they_are_asked(program, function, order):
    made = program(walk_cc=WALK)
    answers = {name: locking(made).from_callers(function(made, name)) for name in order}
    assert _names(answers["up"]) == []  # `Again` holds nothing
    assert _names(answers["down"]) == []  # and leads here by `up`


@pytest.mark.parametrize("order", list(permutations(("down", "up"))))
def test_a_lock_around_all_ways_into_a_circle_is_held_in_it(program, function, order):
    made = program(walk_cc=WALK.replace("void Again() {", "void Again() { std::lock_guard<std::mutex> l(mu_);"))
    answers = {name: locking(made).from_callers(function(made, name)) for name in order}
    assert _names(answers["up"]) == _names(answers["down"]) == ["mu_"]


def test_a_circle_that_two_more_lead_into_is_as_bare_as_its_barest_way(program, function):
    calls = {"a": "b(); c();", "b": "c(); a();", "c": "a(); d();", "d": "b();"}
    body = " ".join(f"void {name}() {{ {inner} }}" for name, inner in calls.items())
    text = f"""
class Ring {{
 public:
  void In() {{ std::lock_guard<std::mutex> l(mu_); a(); }}
  void Out() {{ d(); }}
 private:
  {body}
  std::mutex mu_;
}};
"""
    for order in permutations(calls):
        made = program(ring_cc=text)
        assert [_names(locking(made).from_callers(function(made, name))) for name in order] == [[]] * 4
