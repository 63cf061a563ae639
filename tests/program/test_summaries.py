"""Summaries: the project's own functions in the models' words."""

from __future__ import annotations

from ownlint.program.summaries import names, summaries

SOURCE = """
struct Node { int value; };
class Owner {
 public:
  Node* first() { return &nodes_[0]; }
  const Node& at(int i) const { return nodes_[i]; }
  Node* fresh() { return new Node(); }
  void attach(Node* n) { held_ = n; }
  void attach_through(Node* n) { attach(n); }
  void check() { if (!valid_) throw std::runtime_error("gone"); }
  void forwarded() { check(); }
  absl::Status work() { return absl::OkStatus(); }
  bool valid_ = true;
  Node* held_;
  std::vector<Node> nodes_;
};
void drop(Node* n) { delete n; }
void drop_later(int count, Node* n) { drop(n); }
void even(Node* n, int k);
void odd(Node* n, int k) { if (k > 0) even(n, k - 1); }
void even(Node* n, int k) { if (k > 0) odd(n, k - 1); else drop(n); }
void nothing(Node* n) { n->value = 1; }
"""


def _of(program, function, symbol):
    made = program(a_cc=SOURCE)
    return names(summaries(made).of(function(made, symbol)))


def test_a_pointer_into_a_member_borrows_from_the_receiver(program, function):
    assert _of(program, function, "first") == ["borrow result from receiver"]
    assert _of(program, function, "at") == ["borrow result from receiver"]
    assert _of(program, function, "fresh") == []


def test_a_pointer_stored_in_a_member_is_kept(program, function):
    assert _of(program, function, "attach") == ["keep argument 1 in receiver"]


def test_effects_go_through_calls(program, function):
    assert _of(program, function, "attach_through") == ["keep argument 1 in receiver"]
    assert _of(program, function, "drop") == ["release argument 1"]
    assert _of(program, function, "drop_later") == ["release argument 2"]


def test_functions_that_call_each_other_settle(program, function):
    assert _of(program, function, "odd") == ["release argument 1"]
    assert _of(program, function, "even") == ["release argument 1"]


def test_a_check_of_its_own_state_validates(program, function):
    assert "validate receiver" in _of(program, function, "check")
    assert "validate receiver" in _of(program, function, "forwarded")


def test_a_status_or_a_throw_may_fail(program, function):
    assert "may fail" in _of(program, function, "work")
    assert "may fail" in _of(program, function, "check")


def test_what_only_looks_has_no_effect(program, function):
    assert _of(program, function, "nothing") == []
