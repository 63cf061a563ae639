"""Two locks are taken in opposite orders.

## What it reports

- two locks that are acquired in one order in one place and in the opposite order in another, once per pair
- the same through called functions, in any file of the project

## Why it is a bug

A thread that holds the first lock waits for the second, while another holds the second and waits for the first: both
wait forever.

## Example

bad:

```cpp
class Account {
 public:
  void Deposit(int amount) {
    std::lock_guard<std::mutex> balance(balance_mu_);
    balance_ += amount;
    std::lock_guard<std::mutex> log(log_mu_);
    log_.push_back(amount);
  }
  void Report() {
    std::lock_guard<std::mutex> log(log_mu_);
    std::lock_guard<std::mutex> balance(balance_mu_);
    Print(log_, balance_);
  }
 private:
  std::mutex balance_mu_;
  std::mutex log_mu_;
  int balance_ = 0;
  std::vector<int> log_;
};
```

```text
case.cc:6: error: `log_mu_` is locked while `balance_mu_` is held, but `Report` locks them in the opposite order
  help: lock both in the same order everywhere, or together with `std::scoped_lock`
```

good:

```cpp
class Account {
 public:
  void Deposit(int amount) {
    std::lock_guard<std::mutex> balance(balance_mu_);
    balance_ += amount;
    std::lock_guard<std::mutex> log(log_mu_);
    log_.push_back(amount);
  }
  void Report() {
    std::lock_guard<std::mutex> balance(balance_mu_);
    std::lock_guard<std::mutex> log(log_mu_);
    Print(log_, balance_);
  }
 private:
  std::mutex balance_mu_;
  std::mutex log_mu_;
  int balance_ = 0;
  std::vector<int> log_;
};
```

## How to fix it

Acquire both in the same order everywhere, or together with `std::scoped_lock(a, b)`.

## What it does not report

- `try_lock`, `std::lock`, and one `std::scoped_lock` for both
- orders that a third lock serializes
- a lock that a callee releases before it acquires the next
- an object's own lock in its constructor and destructor; shared locks
- with the default `--certainty`: two locks of one class, which may belong to two objects, and locks acquired only under
  a condition

## Known limitations

- Locks are distinguished by class and member, so both places may never refer to the same two objects.
- Cycles of three locks, locks in arrays, virtual callees of several classes and lambdas are not analysed.

## Source

[thread.lock.algorithm] of the C++ standard, which gives `std::lock` for this reason; Clang's `ACQUIRED_BEFORE` checks
the same where it is annotated.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Finding, Program, Step, because, rule
from ownlint_rules.locks import _ordering as ordering


@rule(severity="error", cwe=(833,))
def lock_order_reversed(program: Program) -> Iterator[Finding]:
    for one, other in ordering.reversed_orders(program):
        held, taken = _names(one)
        yield one.function.finding(
            one.event,
            f"`{taken}` is locked while `{held}` is held, but `{other.function.name}` locks them in the opposite order",
            certainty=_certainty(one, other),
            help="lock both in the same order everywhere, or together with `std::scoped_lock`",
            steps=(
                *_below(one),
                other.function.step(other.event, f"`{held}` is locked while `{taken}` is held"),
                *_below(other),
            ),
        )


def _names(order: ordering.Order) -> tuple[str, str]:
    """Both locks, with their classes where these differ."""
    if order.held.owner == order.wait.key.owner:
        return order.held.name, order.wait.key.name
    return str(order.held), str(order.wait.key)


def _below(order: ordering.Order) -> Iterator[Step]:
    if order.wait.where is not order.function:
        yield order.wait.where.step(order.wait.span, f"`{_names(order)[1]}` is locked here")


def _certainty(one: ordering.Order, other: ordering.Order) -> Certainty:
    if one.held.owner == other.held.owner and not (one.is_of_one_object and other.is_of_one_object):
        return because("possible", "the locks may belong to different objects")
    if one.wait.conditional or other.wait.conditional:
        return because("possible", "one of them is locked only under a condition")
    return because("threads", "deadlocks only if two threads run both at the same time")
