"""Pairs of functions of libraries that the project does not declare: read off the code that uses both.

A library's headers are seldom in the tree. That `evbuffer_free` ends what `evbuffer_new` hands out shows where a
function gives to the one what it got from the other: the authors know that they have to. Names alone prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, last_name, strip
from ownlint.models import habits
from ownlint.project.pairs import Pairs, acquiring_words, is_getter, releasing_verb, words
from ownlint.project.program import Program
from ownlint.project.qualified import last
from ownlint.project.questions import each_function, program_question
from ownlint.project.subjects import Function


class UsedPair(NamedTuple):
    """What a function hands out, by its result (`argument` is -1) or in a variable that it is given, these end. `where`
    is the function that shows it."""

    argument: int
    releases: tuple[str, ...]
    where: str


@program_question
def used_pairs(program: Program) -> dict[str, UsedPair]:
    """By the last name of the function that hands something out."""
    called = program.index.mentioned("cpp")
    found: dict[str, dict[tuple[int, str], str]] = {}
    given: dict[str, dict[str, str]] = {}
    """By a member that is released what does so, and where."""
    for function, (calls, members) in _ended_in(program).items():
        for name, argument, release in calls:
            if _is_unseen(program, name):
                found.setdefault(name, {}).setdefault((argument, release), function.name)
        for member, release in members:
            given.setdefault(member, {}).setdefault(release, function.name)
    for name, argument, release, where in _kept(program, given):
        found.setdefault(name, {}).setdefault((argument, release), where)
    out: dict[str, UsedPair] = {}
    for name, shown in sorted(found.items()):
        argument = min(at for at, _ in shown)
        releases = sorted(release for at, release in shown if at == argument)
        out[name] = UsedPair(argument, tuple(releases), shown[argument, releases[0]])
    for name, pair in [(name, pair) for name, pair in out.items() if pair.argument >= 0]:
        said = words(name)
        longer = (one for one in called if words(one)[: len(said)] == said and one not in out)
        out |= {one: pair for one in sorted(longer) if _is_unseen(program, one)}
    return out


class _EndingNames(NamedTuple):
    """Last names of what releases what it is given."""

    releasing: frozenset[str]
    freeing: frozenset[str]


@program_question
def _ending(program: Program) -> _EndingNames:
    called = program.index.mentioned("cpp")
    releasing = frozenset(name for name in called if _ends(name) and _is_unseen(program, name))
    return _EndingNames(releasing, frozenset(name for name in called if _frees(program, name)))


_ShownPair = tuple[str, int, str]


@each_function
def _ended_in(function: Function) -> tuple[tuple[_ShownPair, ...], tuple[tuple[str, str], ...]] | None:
    """What is `_shown`, and the `_members_given`."""
    if function.language != "cpp":
        return None
    releasing, freeing = _ending(function.program)
    if not function.mentions_any(releasing) and not function.mentions_any(freeing):
        return None
    shown = tuple(_shown(function, releasing, freeing))
    members = tuple(_members_given(function, releasing))
    return (shown, members) if shown or members else None


def declared_as(record: r.FunctionRecord) -> str:
    """By which a function is known in every run, and so are its overloads."""
    return f"{record.scope}::{record.name}({', '.join(one.type for one in record.parameters)})"


def shown_pairs(program: Program, pairs: Pairs) -> dict[str, tuple[str, str]]:
    """Of the declared pairs that names and types suggest those that some code uses as such: a class whose methods call
    both on one object of another class (`arena_->Allocate` here, `arena_->Deallocate` there), or a function that gives
    to the one what it got from the other. By what the acquiring one is `declared_as` the release and who shows it."""
    found: dict[str, tuple[str, str]] = {}
    names, ends = pairs.names, pairs.releasing_names
    begun: dict[tuple[str, str], list[r.FunctionRecord]] = {}
    ended: dict[tuple[str, str], list[r.FunctionRecord]] = {}
    said = names | ends
    for function in program.calling(said):
        if function.language != "cpp":
            continue
        home = function.home.symbol if function.home is not None else ""
        for call in function.flow.calls if home else ():
            name, on = last_name(call.node.callee), call.receiver
            if name not in names and name not in ends:
                continue
            records = program.calls.callee(call.node, function).records
            if on is not None and on != (THIS,) and not function.is_local(on):
                (begun if name in names else ended).setdefault((home, on[-1]), []).extend(records)
        for record, release in _given_back(function, pairs):
            found.setdefault(declared_as(record), (release, function.name))
    for at, many in begun.items():
        for one in many:
            acquirer = pairs.acquirer(one)
            ends_it = [end for end in ended.get(at, ()) if acquirer is not None and end.name in acquirer.releases]
            if ends_it:
                found.setdefault(declared_as(one), (ends_it[0].name, last(at[0])))
    return found


def _given_back(function: Function, pairs: Pairs) -> Iterator[tuple[r.FunctionRecord, str]]:
    """The acquirers whose result, in a local, or what they write into a local of which they are given the address, is
    given to what is declared to end it."""
    if pairs.names.isdisjoint(function.mentioned) or pairs.releasing_names.isdisjoint(function.mentioned):
        return
    made = {
        write.place[0]: (-1, value)
        for write in function.flow.writes
        if len(write.place) == 1 and isinstance(value := strip(write.value), r.Call)
    }
    filled: dict[str, list[tuple[int, r.Call]]] = {}
    for call in function.flow.calls:
        name = last_name(call.node.callee)
        if name in pairs.names:
            for at, argument in enumerate(call.node.args):
                inner = strip(argument)
                if isinstance(inner, r.Unary) and inner.op == "&" and isinstance(given := strip(inner.value), r.Name):
                    filled.setdefault(given.text, []).append((at, call.node))
        if name not in pairs.releasing_names:
            continue
        for argument in call.node.args:
            given = _whose_address(argument)
            if not isinstance(given, r.Name):
                continue
            makers = (*((made[given.text],) if given.text in made else ()), *filled.get(given.text, ()))
            for at, maker in makers:
                for record in function.program.calls.callee(maker, function).records:
                    acquirer = pairs.acquirer(record)
                    if acquirer is not None and acquirer.argument == at and name in acquirer.releases:
                        yield record, name


def _is_unseen(program: Program, name: str) -> bool:
    """Whether the project declares no function of that name, and no model knows one."""
    return bool(
        name.isidentifier()
        and not program.index.records_called(name)
        and not program.macros.named(name)
        and not program.models.verbs(name)
    )


def _ends(name: str) -> bool:
    return bool(releasing_verb(name)) or (len(words(name)) > 1 and words(name)[-1] == "clear")


def _frees(program: Program, name: str) -> bool:
    """Whether it gives memory back, whatever has allocated that: a release of a model whose name says nothing of what
    it is for, `free`, `g_free`."""
    *said, verb = words(name) or ("",)
    return verb == "free" and len("".join(said)) < 2 and "release" in program.models.verbs(name)


def _shown(function: Function, releasing: AbstractSet[str], freeing: AbstractSet[str]) -> Iterator[_ShownPair]:
    """Which calls hand out what is released here: the name, the argument or -1, and what releases it."""
    made = _made(function)
    for call in function.flow.calls:
        name = last_name(call.node.callee)
        if not call.node.args or (name not in releasing and name not in freeing):
            continue
        given = _whose_address(call.node.args[0])
        if not isinstance(given, r.Name):
            continue
        got = made.get(given.text, ())
        if got and all(name in freeing or _is_named_after(name, maker) for maker in got):
            yield from ((maker, -1, name) for maker in got)
        if name in releasing and given.text in function.locals and not got:
            yield from ((begun, at, name) for begun, at in _begun(function, given.text, call, name))


def _is_named_after(release: str, maker: str) -> bool:
    """Whether all that a name says beside its verb begins the other: `udev_unref` and `udev_new_from_name`, but not
    `gen_map_close` and `gen_alloc`."""
    verb, said = releasing_verb(release), words(release)
    rest = tuple(word for word in said if word != verb)
    return bool(verb) and bool(rest) and maker != release and words(maker)[: len(rest)] == rest


def _members_given(function: Function, releasing: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """The members that are released here, by their names, and what does so."""
    for call in function.flow.calls:
        name = last_name(call.node.callee)
        if name in releasing and call.node.args:
            member = _whose_address(call.node.args[0])
            if isinstance(member, r.Member):
                yield member.name, name


def _kept(program: Program, given: dict[str, dict[str, str]]) -> Iterator[tuple[str, int, str, str]]:
    """The calls whose result, or what they write, is kept in a member that some function releases: by the opposite of
    what is called, by its name."""
    if not given:
        return
    releases = {release for found in given.values() for release in found if releasing_verb(release) in words(release)}
    said = {words(release)[: words(release).index(releasing_verb(release))] for release in releases}
    mentioned = program.index.mentioned("cpp", "python")
    names = {name for name in mentioned if _begins_one_of(name, said)}
    for function in program.calling(names):
        if function.language != "cpp":
            continue
        for call in function.flow.calls:
            name = last_name(call.node.callee)
            if name not in names or not isinstance(call.node.callee, r.Name) or not _is_unseen(program, name):
                continue
            places = [(-1, call.into[-1])] if call.into is not None and len(call.into) > 1 else []
            for index, argument in enumerate(call.node.args):
                inner = strip(argument)
                if isinstance(inner, r.Unary) and inner.op == "&" and isinstance(strip(inner.value), r.Member):
                    places.append((index, last_name(inner.value)))
            for at, member in places:
                for release, where in given.get(member, {}).items():
                    if _is_named_after(release, name):
                        yield name, at, release, where


def _begins_one_of(name: str, said: set[tuple[str, ...]]) -> bool:
    begins = acquiring_words(name)
    return begins is not None and bool(begins[0]) and begins[0] in said


def _whose_address(value: r.Value) -> r.Value | None:
    inner = strip(value)
    return strip(inner.value) if isinstance(inner, r.Unary) and inner.op == "&" else inner


def _made(function: Function) -> dict[str, tuple[str, ...]]:
    """The locals that get nothing but results of calls of C, with the names of what is called."""
    found: dict[str, tuple[str, ...]] = {}
    other: set[str] = set()
    for write in function.flow.writes:
        if len(write.place) != 1 or write.place[0] not in function.locals:
            continue
        value = strip(write.value)
        name = write.place[0]
        match value:
            case None if write.fresh:
                continue
            case r.Literal(kind="null") | r.Name(text="NULL"):
                continue
            case r.Call(kind="call", callee=r.Name(text=called)) if not is_getter(called):
                found[name] = (*found.get(name, ()), called)
            case _:
                other.add(name)
    return {name: called for name, called in found.items() if name not in other}


def _begun(function: Function, name: str, release: e.CallEvent, releasing: str) -> Iterator[tuple[str, int]]:
    """The calls that begin what stands in a local, by their names: `mpz_init(x)` of `mpz_clear(x)`."""
    for call in function.flow.calls:
        if call.index >= release.index or not isinstance(call.node.callee, r.Name) or not call.node.args:
            continue
        first = _whose_address(call.node.args[0])
        begins = acquiring_words(last_name(call.node.callee))
        if begins is None or not isinstance(first, r.Name) or first.text != name:
            continue
        before, verb = begins
        if verb in _PREPARES and before and words(releasing)[: len(before)] == before:
            yield last_name(call.node.callee), 0


_PREPARES = habits.MAKES | {"init", "initialize", "initialise", "open", "setup"}
