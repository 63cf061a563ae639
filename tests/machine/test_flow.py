"""Flow: every answer about order against a slow one that tries all of it."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ownlint.engine.forward import Machine, run
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.graph import Flow
from ownlint.flow.lower import Surroundings, lower
from ownlint.flow.places import last_name

NAMES = ("a", "b", "c")


def _call(name: str) -> r.Call:
    return r.Call(0, 0, r.Name(0, 0, name), ())


CALLS = st.sampled_from(NAMES).map(_call)
CONDITIONS = st.recursive(
    CALLS | st.sampled_from([r.Literal(0, 0, "bool", "true"), r.Literal(0, 0, "int", "0"), r.Name(0, 0, "x")]),
    lambda inner: st.one_of(
        st.builds(r.Binary, st.just(0), st.just(0), st.sampled_from(["&&", "||", "=="]), inner, inner),
        st.builds(r.Unary, st.just(0), st.just(0), st.just("!"), inner),
    ),
    max_leaves=3,
)
LEAVES = st.sampled_from(
    [
        r.Leave(0, 0, "return"),
        r.Leave(0, 0, "throw"),
        r.Leave(0, 0, "break"),
        r.Leave(0, 0, "continue"),
        r.Leave(0, 0, "goto", None, "l"),
        r.Label(0, 0, "l"),
        r.Opaque(0, 0, "asm"),
    ]
)
SIMPLE = st.one_of(
    CALLS.map(lambda call: r.Evaluate(0, 1, call)),
    CALLS.map(lambda call: r.Declare(1, 2, ("x",), "T", call)),
    LEAVES,
)


def _bodies(inner: st.SearchStrategy[r.Statement]) -> st.SearchStrategy[tuple[r.Statement, ...]]:
    return st.lists(inner, max_size=3).map(tuple)


def _compound(inner: st.SearchStrategy[r.Statement], loops: bool = True) -> st.SearchStrategy[r.Statement]:
    body, zero = _bodies(inner), st.just(0)
    handlers = st.lists(
        st.builds(r.Handler, zero, zero, st.sampled_from(["", "E"]), st.sampled_from(["", "x"]), body), max_size=2
    ).map(tuple)
    cases = st.lists(st.builds(r.Case, zero, zero, st.sampled_from([(), (r.Name(0, 0, "k"),)]), body), max_size=3).map(
        tuple
    )
    kinds = [
        st.builds(r.Block, zero, zero, body),
        st.builds(r.Branch, zero, zero, CONDITIONS, body, body),
        st.builds(r.Switch, zero, zero, CALLS, cases, st.booleans()),
        st.builds(r.Try, zero, zero, body, handlers, body, body),
        st.builds(r.With, zero, zero, st.just((r.WithItem(0, 0, _call("a"), r.Name(0, 0, "w")),)), body),
    ]
    if loops:
        condition = st.none() | CONDITIONS
        kinds += [
            st.builds(
                r.Loop,
                zero,
                zero,
                st.sampled_from(["for", "while", "do"]),
                body,
                condition=condition,
                step=st.none() | CALLS,
                otherwise=body,
            ),
            st.builds(
                r.Loop,
                zero,
                zero,
                st.just("range"),
                body,
                target=st.just(r.Name(0, 0, "i")),
                iterable=CALLS,
            ),
        ]
    return st.one_of(*kinds)


BODIES = _bodies(st.recursive(SIMPLE, _compound, max_leaves=8))
STRAIGHT = _bodies(
    st.recursive(
        CALLS.map(lambda call: r.Evaluate(0, 1, call)) | st.just(r.Leave(0, 0, "return")),
        lambda inner: _compound(inner, loops=False),
        max_leaves=6,
    )
)
PROPERTY = settings(max_examples=80)


def _flow(body: tuple[r.Statement, ...]) -> Flow:
    function = r.FunctionRecord(0, 9, "f", "", "", "function", "", (), 0, True)
    return Flow(lower(function, body, Surroundings()))


def _reach(flow: Flow, start: int, without: int = -1) -> set[int]:
    """The events that can come behind `start` if one is taken out."""
    seen: set[int] = set()
    queue = [start]
    while queue:
        for target, _ in flow.successors[queue.pop()]:
            if target != without and target not in seen:
                seen.add(target)
                queue.append(target)
    return seen


_ENDS_AT_ONCE = r.Try(0, 0, (), (r.Handler(0, 0, "E", "", ()),), (), ())


@PROPERTY
@given(BODIES)
@example((r.Try(0, 0, (), (), (_ENDS_AT_ONCE,), (r.Leave(0, 0, "return"),)),))
@example((r.Try(0, 0, (_ENDS_AT_ONCE,), (r.Handler(0, 0, "F", "", ()),), (), ()),))
def test_a_graph_is_well_formed_and_always_the_same(body):
    flow, again = _flow(body), _flow(body)
    assert [event.index for event in flow] == list(range(len(flow.events)))
    assert all(0 <= target < len(flow.events) for edges in flow.successors for target, _ in edges)
    assert all(len(edges) == len(set(edges)) for edges in flow.predecessors)
    assert not flow.successors[flow.exit]
    assert flow.reachable == _reach(flow, flow.entry) | {flow.entry}
    assert flow.successors == again.successors
    assert [type(event) for event in flow] == [type(event) for event in again]


@PROPERTY
@given(BODIES)
def test_dominators_are_what_cannot_be_avoided(body):
    flow = _flow(body)
    without = {
        one: (_reach(flow, flow.entry, one) | {flow.entry}) if one != flow.entry else set() for one in flow.reachable
    }
    for index in flow.reachable:
        expected = {one for one in flow.reachable if one != index and index not in without[one]}
        assert {event.index for event in flow.dominators(flow.events[index])} == expected


@PROPERTY
@given(BODIES)
def test_a_guard_holds_on_every_way(body):
    flow = _flow(body)
    for index in flow.reachable:
        for test, outcome in flow.guards(flow.events[index]):
            if not test.asserted:
                kept = [list(edges) for edges in flow.successors]
                kept[test.index] = [edge for edge in kept[test.index] if edge[1] is not outcome]
                cut = _flow(body)
                cut.successors = kept
                assert index not in _reach(cut, cut.entry)


@PROPERTY
@given(BODIES, st.integers(0, 200), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_paths_and_what_comes_before_and_after(body, at, wanted, avoided):
    flow = _flow(body)
    start = flow.events[at % len(flow.events)]

    def named(name):
        return lambda event: isinstance(event, e.CallEvent) and last_name(event.node.callee) == name

    assert {event.index for event in flow.after(start)} == _reach(flow, start.index)
    expected = {event.index for event in flow if start.index in _reach(flow, event.index)}
    assert {event.index for event in flow.before(start)} == expected

    free = {event.index for event in flow.after(start, named(avoided))}
    path = flow.path(start, named(wanted), named(avoided))
    entered = {target for index in free | {start.index} for target, _ in flow.successors[index]}
    assert (path is not None) == any(named(wanted)(flow.events[index]) for index in entered)
    if path is not None:
        assert named(wanted)(path[-1])
        assert not any(named(avoided)(event) for event in path[:-1])
        steps = zip([start, *path], path, strict=False)
        assert all(two.index in {t for t, _ in flow.successors[one.index]} for one, two in steps)


def _paths(flow: Flow) -> list[list[int]]:
    found, stack = [], [[flow.entry]]
    while stack:
        path = stack.pop()
        if path[-1] == flow.exit:
            found.append(path)
        stack.extend([*path, target] for target, _ in flow.successors[path[-1]])
    return found


DOOR = Machine("closed", {("closed", "a"): "open", ("open", "b"): "closed"})


def _word(event: e.Event) -> str | None:
    return last_name(event.node.callee) if isinstance(event, e.CallEvent) else None


@PROPERTY
@given(STRAIGHT)
def test_typestate_is_what_all_the_paths_say(body):
    flow = _flow(body)
    if len(flow.events) > 60:
        return
    paths = _paths(flow)
    if len(paths) > 2000:
        return
    expected: dict[int, set[str]] = {}
    for path in paths:
        state = frozenset({"closed"})
        for index in path:
            expected.setdefault(index, set()).update(state)
            word = _word(flow.events[index])
            state = DOOR.step(state, word) if word is not None else state
    states = run(flow, DOOR, _word)
    assert {index: set(states[index]) for index in expected} == expected


@PROPERTY
@given(STRAIGHT, st.sampled_from(NAMES))
def test_always_means_on_every_path(body, name):
    flow = _flow(body)
    paths = _paths(flow) if len(flow.events) <= 60 else []

    def wanted(event):
        return isinstance(event, e.CallEvent) and last_name(event.node.callee) == name

    for index in flow.reachable if 0 < len(paths) <= 2000 else ():
        through = [path for path in paths if index in path and index not in (flow.entry, flow.exit)]
        if not through:
            continue
        before = all(any(wanted(flow.events[i]) for i in path[: path.index(index)]) for path in through)
        after = all(any(wanted(flow.events[i]) for i in path[path.index(index) + 1 :]) for path in through)
        assert flow.always_before(flow.events[index], wanted) == before
        assert flow.always_after(flow.events[index], wanted) == after


# --- two sides of one condition ---

SIDES = st.recursive(
    st.sampled_from(["call", "set"]),
    lambda inner: st.tuples(
        st.sampled_from(["x", "!x", "x == 0"]), st.lists(inner, max_size=3), st.lists(inner, max_size=2)
    ),
    max_leaves=8,
)


def _asks(kind: str) -> r.Value:
    name = r.Name(0, 0, "x")
    if kind == "!x":
        return r.Unary(0, 0, "!", name)
    return r.Binary(0, 0, "==", name, r.Literal(0, 0, "int", "0")) if kind == "x == 0" else name


def _statement(drawn: object, calls: list[r.Call]) -> r.Statement:
    match drawn:
        case "call":
            calls.append(_call(f"f{len(calls)}"))
            return r.Evaluate(0, 1, calls[-1])
        case "set":
            return r.Evaluate(0, 1, r.Assign(0, 1, r.Name(0, 1, "x"), "=", r.Name(0, 1, "y")))
        case (str(kind), list(then), list(other)):
            sides = [tuple(_statement(inner, calls) for inner in side) for side in (then, other)]
            return r.Branch(0, 0, _asks(kind), *sides)
    raise AssertionError(drawn)


def _runs(body: tuple[r.Statement, ...], x: bool) -> list[tuple[list[str], bool]]:
    """What is called, in order, and `x` at the end, on every run."""
    runs: list[tuple[list[str], bool]] = [([], x)]
    for statement in body:
        match statement:
            case r.Evaluate(value=r.Call() as call):
                runs = [([*called, last_name(call.callee)], now) for called, now in runs]
            case r.Evaluate():
                runs = [(called, now) for called, _ in runs for now in (True, False)]
            case r.Branch(condition=asked, then=then, other=other):
                runs = [
                    (called + more, later)
                    for called, now in runs
                    for more, later in _runs(then if now is isinstance(asked, r.Name) else other, now)
                ]
    return runs


@given(st.lists(SIDES, max_size=5))
@settings(max_examples=150)
def test_what_excludes_another_never_runs_before_it(drawn: list[object]) -> None:
    calls: list[r.Call] = []
    body = tuple(_statement(one, calls) for one in drawn)
    flow = _flow(body)
    events = {last_name(event.node.callee): event for event in flow.calls}
    for called, _ in [*_runs(body, True), *_runs(body, False)]:
        for index, later in enumerate(called):
            assert not any(flow.excludes(events[one], events[later]) for one in called[:index])
