"""Maps that outlive a call: which one an expression stands for, what goes in, who has looked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ownlint.domains.memory.seen import may_be_reserved
from ownlint.engine import containers, lookups
from ownlint.facts import records as r
from ownlint.facts.show import text

PRELUDE = """
struct Key; struct Handle { Key* key; };
using Map = std::unordered_map<Key*, Handle*>;
class Table {
 public:
  Map& live() { return live_; }
  void drop(Key* key) { live_.erase(key); }
  Map live_;
  std::map<int, Map> per_device_;
  std::unique_ptr<Map> held_;
  std::unordered_multimap<Key*, Handle*> many_;
  std::map<std::string, Handle*> named_;
};
Map global_;
"""


def inserts_of(program, function, body: str, parameters: str = "Table& t, Key* key, Handle* handle"):
    made = program(a_cc=PRELUDE + f"void f({parameters}) {{ {body} }}")
    found = function(made, "f")
    return found, list(containers.inserts(found))


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("t.live_[key] = handle;", {"live_"}),
        ("auto& m = t.live_; m[key] = handle;", {"live_"}),
        ("auto* m = &t.live_; (*m)[key] = handle;", {"live_"}),
        ("t.live()[key] = handle;", {"live()", "live_"}),
        ("auto& m = t.live(); m[key] = handle;", {"live()", "live_"}),
        ("t.per_device_[0][key] = handle;", {"per_device_[]"}),
        ("auto at = t.per_device_.find(0); at->second[key] = handle;", {"per_device_[]"}),
        ("(*t.held_)[key] = handle;", {"held_"}),
        ("t.held_->emplace(key, handle);", {"held_"}),
        ("global_.try_emplace(key, handle);", {"global_"}),
        ("static Map kept; kept[key] = handle;", {"kept"}),
    ],
)
def test_a_map_is_known_by_its_names_however_it_is_reached(program, function, body, names):
    _, found = inserts_of(program, function, body)
    assert [set(insert.container.names) for insert in found] == [names]


@pytest.mark.parametrize(
    "body",
    [
        "Map own; own[key] = handle;",
        "Table own; own.live_[key] = handle;",
        "t.live_.insert(own.begin(), own.end());",
        "t.live_.erase(key);",
        "t.live_.at(key) = handle;",
        "auto& slot = t.live_.at(key); slot = handle; t.live_.erase(key);",
        "handle->key = key;",
    ],
)
def test_what_ends_with_the_call_or_inserts_nothing_is_no_insert(program, function, body):
    _, found = inserts_of(program, function, body)
    assert found == []


@pytest.mark.parametrize(
    ("body", "key", "overwrites"),
    [
        ("t.live_[key] = handle;", "key", True),
        ("auto& slot = t.live_[key]; slot = handle;", "key", True),
        ("auto* slot = &t.live_[key]; *slot = handle;", "key", True),
        ("t.live_.insert_or_assign(key, handle);", "key", True),
        ("t.live_.insert({key, handle});", "key", False),
        ("t.live_.insert(std::make_pair(key, handle));", "key", False),
        ("t.live_.emplace_hint(t.live_.end(), key, handle);", "key", False),
        (
            "t.live_.emplace(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple(handle));",
            "key",
            False,
        ),
    ],
)
def test_an_insert_says_its_key_and_whether_it_replaces(program, function, body, key, overwrites):
    _, found = inserts_of(program, function, body)
    assert [(text(insert.key), insert.overwrites) for insert in found] == [(key, overwrites)]


@pytest.mark.parametrize(
    ("body", "keyed"),
    [
        ("t.live_[key] = handle;", True),
        ("t.many_.emplace(key, handle);", False),
        ("t.named_[name] = handle;", False),
    ],
)
def test_an_address_leads_to_one_entry(program, function, body, keyed):
    found, (insert,) = inserts_of(program, function, body)
    assert containers.is_keyed_by_address(found, insert.container, insert.key) is keyed


def test_names_of_maps_are_known_without_decoding(program):
    assert containers.address_maps(program(a_cc=PRELUDE)).names == {"live_", "live", "per_device_", "held_", "global_"}


def test_a_map_handed_in_lasts_as_long_as_the_callers(program, function):
    source = """
    void put(Map& m, Key* k, Handle* h) { m[k] = h; }
    void lasting(Table& t, Key* k, Handle* h) { put(t.live_, k, h); }
    void passing(Key* k, Handle* h) { Map own; put(own, k, h); }
    """
    found = function(program(a_cc=PRELUDE + source), "put")
    (insert,) = containers.inserts(found)
    assert [one.names for one in containers.lasting(found, insert.container)] == [("live_",)]
    assert containers.is_erased(found, insert.container)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("if (t.live_.count(key)) return; t.live_[key] = handle;", "guarded"),
        ("if (global_.count(key)) return; t.live_[key] = handle;", "bare"),
        ("t.drop(key); t.live_[key] = handle;", "guarded"),
        ("assert(!t.live_.count(key)); t.live_[key] = handle;", "asserted"),
        ("bool was = t.live_.count(key); assert(!was); t.live_[key] = handle;", "asserted"),
        ("t.live_.count(key); t.live_[key] = handle;", "bare"),
        ("if (t.live_.count(key)) warn(); t.live_[key] = handle;", "told"),
        ("if (t.live_.count(key)) die(); t.live_[key] = handle;", "guarded"),
        ("if (handle && t.live_.count(key)) return; t.live_[key] = handle;", "partly"),
        ("if (handle) { if (t.live_.count(key)) return; } if (handle) t.live_[key] = handle;", "guarded"),
        ("Key* same = key; if (t.live_.count(same)) return; t.live_[key] = handle;", "guarded"),
        ("if (t.live_.count(other)) return; t.live_[key] = handle;", "bare"),
    ],
)
def test_who_looked(program, function, body, kind):
    found, inserts = inserts_of(program, function, body, "Table& t, Key* key, Key* other, Handle* handle")
    insert = inserts[-1]
    assert lookups.who_looked(found, insert.event, insert.container, insert.key).kind == kind


_STATEMENTS = st.sampled_from(
    [
        "if (t.live_.count(key)) return;",
        "assert(t.live_.empty());",
        "handle->key = key;",
        "for (int i = 0; i < 3; ++i) touch(i);",
        "if (other) { t.drop(other); }",
    ]
)


@settings(max_examples=40)
@given(st.lists(_STATEMENTS, max_size=4), st.lists(_STATEMENTS, max_size=4))
def test_a_look_on_the_way_guards_whatever_stands_around_it(before, after):
    from tests.machine.conftest import make

    body = " ".join([*before, "if (t.live_.count(key)) return;", *after, "t.live_[key] = handle;"])
    made = make(a_cc=PRELUDE + f"void f(Table& t, Key* key, Key* other, Handle* handle) {{ {body} }}")
    found = next(one for one in made.functions if one.name == "f")
    insert = list(containers.inserts(found))[-1]
    assert lookups.who_looked(found, insert.event, insert.container, insert.key).kind == "guarded"


ROOM = """\
#include <vector>
void make_room(std::vector<int>& numbers) { numbers.reserve(64); }
int of_a_local() {
  std::vector<int> numbers = {1, 2};
  numbers.push_back(3);
  return numbers[0];
}
void of_a_parameter(std::vector<int>& numbers) { numbers.push_back(3); }
void of_what_is_given(std::vector<int>& given) {
  std::vector<int>& same = given;
  same.push_back(3);
}
void gives() {
  std::vector<int> sizes;
  sizes.reserve(8);
  of_what_is_given(sizes);
}
struct Queue {
  void prepare() { sizes_.reserve(16); }
  void of_a_member() { sizes_.push_back(1); }
  void by_name() {
    auto& same = sizes_;
    same.push_back(1);
  }
  std::vector<int> sizes_;
};
"""


def test_for_which_containers_room_may_be_made_out_of_sight(program) -> None:
    made = program(a_cc=ROOM)
    found = {
        function.name: may_be_reserved(function, call.callee.base)
        for function in made.functions
        for call in function.calls()
        if isinstance(call.callee, r.Member) and call.callee.name == "push_back"
    }
    assert found == {
        "of_a_local": False,
        "of_a_parameter": False,
        "of_what_is_given": True,
        "of_a_member": True,
        "by_name": True,
    }
