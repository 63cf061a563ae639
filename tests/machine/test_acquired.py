"""Which locks a call takes: what events wait for, what callees take, what they give up before, and whose lock it is."""

from __future__ import annotations

from itertools import permutations

import pytest

from ownlint.domains import stored_calls
from ownlint.domains.acquired import acquisitions
from ownlint.domains.locks import locking
from ownlint.flow.places import render


def _names(made, one):
    """The locks that a body waits for, each time that it does."""
    return sorted(render(held.lock) for taken in locking(made).taken(one).values() for held in taken)


def _waits(made, one):
    return [(render(wait.lock), wait.where.name) for wait in acquisitions(made).takes(one)]


BODIES = {
    "std::lock_guard<std::mutex> g(mu_);": ["mu_"],
    "std::unique_lock<std::mutex> g(mu_, std::defer_lock);": [],
    "std::unique_lock<std::mutex> g(mu_, std::defer_lock); g.lock();": ["mu_"],
    "std::unique_lock<std::mutex> g(mu_, std::try_to_lock);": [],
    "std::lock(mu_, other_); std::lock_guard<std::mutex> g(mu_, std::adopt_lock);": ["mu_", "other_"],
    "mu_.lock(); mu_.lock();": ["mu_", "mu_"],
    "if (mu_.try_lock()) work();": [],
    "std::shared_lock<std::shared_mutex> g(many_);": [],
    "many_.lock_shared();": [],
    "many_.lock();": ["many_"],
    "std::unique_lock<std::mutex> g(mu_); g.unlock(); g.lock();": ["mu_", "mu_"],
    "std::unique_lock<std::mutex> g(mu_); std::unique_lock<std::mutex> h(std::move(g));": ["mu_"],
}


@pytest.mark.parametrize("body", BODIES)
def test_what_a_body_waits_for(program, function, body):
    fields = "std::mutex mu_; std::mutex other_; std::shared_mutex many_;"
    made = program(a_cc=f"class A {{ void F() {{ {body} }} {fields} }};")
    assert _names(made, function(made, "F")) == BODIES[body]


TRIES = {
    "if (!g.owns_lock()) here();": "",
    "if (g.owns_lock()) here();": "mu_",
    "if (!g) { here(); }": "",
    "if (g.owns_lock() == false) here();": "",
    "if (g.owns_lock() != false) here();": "mu_",
    "bool got = g.owns_lock(); if (!got) here();": "",
    "bool got = g.try_lock(); if (got) here();": "mu_",
    "if (unrelated()) here();": "mu_",
    "if (!unrelated()) here();": "mu_",
}


@pytest.mark.parametrize("body", TRIES)
def test_a_lock_that_was_tried_is_not_held_where_it_was_not_got(program, function, body):
    tried = f"std::unique_lock<std::mutex> g(mu_, std::try_to_lock); {body}"
    made = program(a_cc=f"class A {{ void F() {{ {tried} }} std::mutex mu_; }};")
    one = function(made, "F")
    call = next(call for call in one.flow.calls if getattr(call.node.callee, "text", "") == "here")
    assert ", ".join(render(held.lock) for held in locking(made).held(one)[call.index]) == TRIES[body]


@pytest.mark.parametrize(("deep", "expected"), [(5, [("mu_", "F5")]), (6, [])])
def test_callees_are_followed_some_way_down(program, function, deep, expected):
    steps = " ".join(f"void F{n}() {{ F{n + 1}(); }}" for n in range(deep))
    last = f"void F{deep}() {{ std::lock_guard<std::mutex> g(mu_); }}"
    made = program(a_cc=f"class A {{ {steps} {last} std::mutex mu_; }};")
    assert _waits(made, function(made, "F0")) == expected


@pytest.mark.parametrize("order", list(permutations(("ping", "pong", "Begin"))))
def test_who_call_each_other_take_the_same_in_whichever_order_they_are_asked(program, function, order):
    made = program(
        a_cc="""
class A {
  void Begin() { ping(); }
  void ping() { std::lock_guard<std::mutex> g(a_); pong(); }
  void pong() { { std::lock_guard<std::mutex> g(b_); } ping(); }
  std::mutex a_;
  std::mutex b_;
};
"""
    )
    found = {name: _waits(made, function(made, name)) for name in order}
    assert found["Begin"] == [("a_", "ping"), ("b_", "pong")]
    assert sorted(found["pong"]) == [("a_", "ping"), ("b_", "pong")]


def test_what_is_given_up_before_is_said(program, function):
    made = program(
        a_cc="""
class A {
  void Out() { Rest(); }
  void Rest() { mu_.unlock(); { std::lock_guard<std::mutex> g(log_); } mu_.lock(); }
  std::mutex mu_;
  std::mutex log_;
};
"""
    )
    waits = {render(wait.lock): wait for wait in acquisitions(made).takes(function(made, "Out"))}
    assert [render(lock) for lock in waits["log_"].given_up] == ["mu_"]


def test_a_lock_that_a_condition_alone_decides_about_is_conditional(program, function):
    made = program(
        a_cc="""
class A {
  void Maybe(bool locked) { if (!locked) mu_.lock(); work(); if (!locked) mu_.unlock(); }
  void Early(bool bad) { if (bad) return; mu_.lock(); work(); mu_.unlock(); }
  std::mutex mu_;
};
"""
    )
    assert [wait.conditional for wait in acquisitions(made).takes(function(made, "Maybe"))] == [True]
    assert [wait.conditional for wait in acquisitions(made).takes(function(made, "Early"))] == [False]


KEYS = {
    "mu_": "A::mu_",
    "this->mu_": "A::mu_",
    "other->mu_": "A::mu_",
    "part_.mu": "Part::mu",
    "owned_->mu": "Part::mu",
    "A::all_mu_": "A::all_mu_",
    "all_mu_": "A::all_mu_",
    "g_mu": "g_mu",
}


@pytest.mark.parametrize("written", KEYS)
def test_a_lock_is_known_by_its_class_and_member(program, function, written):
    made = program(
        a_cc=f"""
struct Part {{ std::mutex mu; }};
static std::mutex g_mu;
class A {{
  void F(A* other) {{ std::lock_guard<std::mutex> g({written}); }}
  std::mutex mu_;
  static std::mutex all_mu_;
  Part part_;
  std::unique_ptr<Part> owned_;
}};
"""
    )
    assert [str(wait.key) for wait in acquisitions(made).takes(function(made, "F"))] == [KEYS[written]]


def test_the_annotated_lock_of_another_class_is_not_the_own_one(program, function):
    made = program(
        a_cc="""
class A {
  void Own() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { work(); }
  void Other() ABSL_EXCLUSIVE_LOCKS_REQUIRED(&B::mu_) { work(); }
  void Given(B* b) ABSL_EXCLUSIVE_LOCKS_REQUIRED(b->mu_) { work(); }
  absl::Mutex mu_;
};
class B { absl::Mutex mu_; };
"""
    )
    known = acquisitions(made)
    held = {
        name: [str(key) for key in known.exclusive(function(made, name), 1).values()]
        for name in ("Own", "Other", "Given")
    }
    assert held == {"Own": ["A::mu_"], "Other": [], "Given": ["B::mu_"]}


def test_a_stored_callback_is_traced_to_who_stores_it(program, function):
    made = program(
        a_cc="""
struct Job { std::function<void()> done; };
class A {
 public:
  explicit A(std::function<void()> told) : told_(told) {}
  void Own() { std::lock_guard<std::mutex> g(mu_); Tell(); }
  void Made() { std::lock_guard<std::mutex> g(mu_); Job job; Finish(job); }
  void Put(Job& job, std::function<void()> done) { job.done = done; }
  void Lent(Job& job) { std::lock_guard<std::mutex> g(mu_); Finish(job); }
 private:
  void Tell() { told_(); }
  void Finish(Job& job) { job.done(); }
  std::mutex mu_;
  std::function<void()> told_;
};
"""
    )
    found = {
        name: [(render(call.holder), call.where.name) for call in stored_calls.under_lock(function(made, name))]
        for name in ("Own", "Made", "Lent")
    }
    assert found == {"Own": [("told_", "Tell")], "Made": [], "Lent": [("job.done", "Finish")]}
