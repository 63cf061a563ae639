"""Which member belongs to which lock, and who touches it how.

An annotation says it, or a comment, or use: a member that is nearly always touched under one lock of its own class
belongs to it, and one for which alone the lock is taken somewhere, when no write goes without. A class that annotates
some of its members means the others as it wrote them. Variables of a file, beside a lock of that file, are treated as
members of a class would be.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Literal as OneOf
from typing import NamedTuple

import msgspec

from ownlint import (
    Class,
    File,
    Function,
    Program,
    Span,
    acquired,
    assignments,
    bodies,
    conditions,
    habits,
    keeping,
    locks,
    mutexes,
    pairs,
    patterns,
    places,
    questions,
    resources,
    sections,
    standing,
    steps,
    trials,
    types,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.locks._accesses import accesses_in
from ownlint_rules.locks._tracing import Kind, Traced, Tracer, strip_address, touched

MOST_CAREFUL = 0.8
"""Share of a member's accesses that must hold the lock before it counts as guarded by use, or of the functions that
have such; with at least `FEWEST` accesses, one of them a write. From counts over XLA, gRPC core and Arrow."""
FEWEST = 3
MOST_SLIPS = 2
"""Functions without the lock, beyond which an access without is a design nobody wrote down, and no slip."""

_SAYS = re.compile(r"\b(?:guarded|protected|locked)\s+by\s+[`'\"|]?(?:this->)?(\w+)", re.IGNORECASE)
_GUARDS = re.compile(r"\b(?:guards|protects)\b(.*)", re.IGNORECASE | re.DOTALL)
_BEGINS_OR_ENDS = re.compile(r"init|create|destroy|delete|free|deinit|alloc|new|term", re.IGNORECASE)
"""A function of C that is a constructor or a destructor, by its name."""
_SHOWING = ("log", "debug log", "assert", "evaluated assert")
_FREE = frozenset({"atomic", "condition variable", "once", "mutex", "thread"})
"""What needs no lock: it brings its own order."""

_SCALAR = re.compile(
    r"(?:std::)?(?:u?int\w*|size_t|ssize_t|bool|char|double|float|long(?: \w+)*|unsigned(?: \w+)*|short|string)"
)
_EARLY = re.compile(r"(?:init|initiali[sz]e|set_?up|load|open|replay|restore|recover)(?![a-z])", re.IGNORECASE)
_MOST_AROUND = 16
"""Where a body says members of more classes around it than that, it says of none whose they are."""
_UNCHECKED = re.compile(r"NO_THREAD_SAFETY(?:_ANALYSIS)?$")
"""A macro of the project's own for what the models know by other names."""


class Guard(msgspec.Struct, frozen=True):
    """`member` belongs to `lock`; `touched` and `careful` count its accesses outside of constructors and
    those of them that hold the lock (both 0 when it is written down)."""

    member: str
    lock: str
    why: OneOf["annotation", "comment", "use", "section"]
    touched: int = 0
    careful: int = 0
    pointee: bool = False
    by_function: bool = False
    """Functions are counted: one that is careless in many places is careless once."""

    @property
    def share(self) -> str:
        return f"{self.careful} of {self.touched} {'functions' if self.by_function else 'accesses'}"

    """What the member points to is guarded, not the member."""


class GuardedMember(NamedTuple):
    name: str
    type: str
    span: Span
    annotations: tuple[r.Annotation, ...]
    comment: str


class MemberUse(NamedTuple):
    """A member is touched. `held` is what is held there as far as the function itself says."""

    function: Function
    at: int
    """Index of the event."""
    span: Span
    traced: Traced
    kind: Kind
    held: frozenset[locks.HeldLock]
    alias: bool = False
    """It is written as the name of a reference that was bound before."""

    @property
    def member(self) -> str:
        return self.traced.member


def _atomically_used(cls: Class) -> frozenset[str]:
    """What methods of a class give to operations on shared places by its address: `std::atomic_load(&ptr_)`."""
    return frozenset(
        places.last_name(given.value)
        for method in cls.methods
        if any("atomic" in name for name in method.mentioned)
        for call in method.flow.calls
        if not habits.ATOMICS.isdisjoint(pairs.words(places.last_name(call.node.callee)))
        for given in map(places.strip, call.node.args)
        if isinstance(given, r.Unary) and given.op == "&"
    )


class GuardedDomain:
    """Data and the locks beside them: the members of a class, or the variables of one file's namespace."""

    def __init__(
        self, program: Program, file: File, scope: str, cls: Class | None, members: list[GuardedMember]
    ) -> None:
        self.program = program
        self.file = file
        self.scope = scope
        self.cls = cls
        known = mutexes.mutexes(program)
        self.locks = [m.name for m in members if known.is_mutex(m.type, file, scope)]
        self.locks += [
            field.name
            for base in (cls.ancestry[1:] if cls is not None and members else ())
            for field in base.record.fields
            if field.access != "private" and known.is_mutex(field.type, base.file, base.symbol)
        ]
        self.all = members

    @questions.derived_property
    def members(self) -> dict[str, GuardedMember]:
        """What can belong to a lock, and needs one."""
        return {m.name: m for m in self.all if m.name not in self.locks and (m.annotations or not self._is_free(m))}

    @property
    def path(self) -> str:
        return self.file.path

    def _is_free(self, member: GuardedMember) -> bool:
        written = self.program.names.expand(member.type, self.file, self.scope)
        kind = types.parse(written)
        if not _FREE.isdisjoint(self.program.types.roles_at(kind.name, self.file, self.scope)):
            return True
        if kind.is_value and self.locks_itself(kind.name):
            return True
        constant = bool(re.match(r"\s*(?:static\s+|inline\s+)*(?:const\b(?!.*[*&])|constexpr\b)", member.type))
        return constant or bool(re.search(r"\*\s*const\s*$", member.type))

    def locks_itself(self, name: str) -> bool:
        """Whether it is a class that brings locks or atomics of its own, and sees to itself."""
        cls = (
            self.program.names.find_class(name, self.scope, self.file)
            if self.program.index.defines(name.rpartition("::")[2])
            else None
        )
        if cls is None or cls is self.cls:
            return False
        known = mutexes.mutexes(self.program)
        inner = guarded(self.program).inner
        return any(
            known.is_mutex(field.type, one.file, one.symbol)
            or "atomic" in self.program.types.roles_at(field.type, one.file, one.symbol)
            or field.name in _atomically_used(one)
            for variant in self.program.index.variants(cls)
            for base in variant.ancestry
            for one in (base, *inner.get(base.symbol, ()))
            for field in one.record.fields
        )

    # --- what guards what ---

    @questions.derived_property
    def said(self) -> dict[str, Guard]:
        """What annotations and comments say."""
        found: dict[str, Guard] = {}
        for member in self.members.values():
            said = self._annotated(member) or self._commented(member)
            if said is not None:
                found[member.name] = said
        return found

    @questions.derived_property
    def guards(self) -> dict[str, Guard]:
        """All members that belong to a lock."""
        found = dict(self.said)
        if self.locks and not any(guard.why == "annotation" for guard in found.values()):
            for guard in self._by_use():
                found.setdefault(guard.member, guard)
        return found

    def _annotated(self, member: GuardedMember) -> Guard | None:
        for annotation in member.annotations:
            if self.program.macros.role(annotation.name) == "guarded by" and annotation.arguments.strip():
                lock = self._lock_named(annotation.arguments)
                if lock:
                    pointee = "PT_" in annotation.name.upper()
                    return Guard(member.name, lock, "annotation", pointee=pointee)
        return None

    def _lock_named(self, written: str) -> str:
        """The last name of the lock that an annotation names; empty where that is no lock of a known kind."""
        written = written.strip().removesuffix(".get()")
        name = locks.last_part(written)
        if written.endswith("()"):
            getters = self.cls.defined(name) if self.cls is not None else []
            returned = [s.value for g in getters[:1] for s in g.statements if isinstance(s, r.Leave)]
            name = places.last_name(strip_address(returned[0])) if len(returned) == 1 else ""
        return name if name in guarded(self.program).lock_names else ""

    def _commented(self, member: GuardedMember) -> Guard | None:
        match = _SAYS.search(member.comment)
        if match is not None and match[1] in self.locks:
            return Guard(member.name, match[1], "comment")
        for lock, told in self._told.items():
            if len(member.name) > 1 and member.name in told:
                return Guard(member.name, lock, "comment")
        return None

    @questions.derived_property
    def _told(self) -> dict[str, frozenset[str]]:
        """The names that comments on locks say these are for."""
        fields = self.cls.fields if self.cls is not None else {}
        said = {lock: _GUARDS.search(fields[lock].comment) for lock in self.locks if lock in fields}
        return {lock: frozenset(_NAMES.findall(told[1])) for lock, told in said.items() if told is not None}

    def _by_use(self) -> Iterator[Guard]:
        touched: dict[str, list[MemberUse]] = {}
        for use in self.uses:
            if use.member in self.said or is_exempt(use.function) or use.function.record.kind == "lambda":
                continue
            if not is_address(use):
                touched.setdefault(use.member, []).append(use)
        for member, uses in sorted(touched.items()):
            held = [locks.last_names(use.held) for use in uses]
            shares = [share for lock in self.locks if (share := self._share(member, lock, uses, held)) is not None]
            if shares:
                yield max(shares, key=lambda share: (share.why == "use", share.careful))

    def _share(self, member: str, lock: str, uses: list[MemberUse], held: list[frozenset[str]]) -> Guard | None:
        """Whether nearly all uses, at which locks of these names are `held`, hold the lock, or it is there for the
        member alone. Callers are asked only where their answer can matter."""
        steps.spend()
        if len(uses) < 2:
            return None
        careful = [use for use, names in zip(uses, held, strict=True) if locks.is_among(lock, names)]
        if all(use.kind == "read" for use in careful):
            return None
        total = len(uses)
        bare: list[MemberUse] = []
        for use, names in zip(uses, held, strict=True):
            if locks.is_among(lock, names):
                continue
            if self.is_alone(use.function) or is_unreachable(use.function):
                total -= 1
            elif self.is_held(use, lock):
                careful.append(use)
            elif use.kind != "read" and len(uses) < FEWEST:
                return None
            else:
                bare.append(use)
        if len(careful) >= FEWEST and len({use.function for use in careful}) > 1:
            # Where the lock was held just before is no vote for doing without.
            late = 0 if len(careful) >= MOST_CAREFUL * total else sum(was_held(use, lock) for use in bare)
            if len(careful) >= MOST_CAREFUL * (total - late):
                return Guard(member, lock, "use", total, len(careful))  # what one function does is no habit
        if self._is_kept_by_own(lock, careful, bare):
            return Guard(member, lock, "use", total, len(careful))
        by_function = self._share_of_functions(uses, careful)
        if by_function is not None:
            return Guard(member, lock, "use", *by_function, by_function=True)
        return (
            Guard(member, lock, "section", total, len(careful)) if self._is_for(member, lock, uses, careful) else None
        )

    def _is_kept_by_own(self, lock: str, careful: list[MemberUse], bare: list[MemberUse]) -> bool:
        """Whether the class's own methods never do without its private lock, and only friends of it do: those know less
        of its rules."""
        users, others = {use.function for use in careful}, {use.function for use in bare}
        return (
            is_private(self, lock)
            and len(careful) >= FEWEST
            and len({user for user in users if user.home is self.cls}) > 1
            and 0 < len(others) <= MOST_SLIPS
            and all(other.home is not self.cls and other.home is not None for other in others)
        )

    def _share_of_functions(self, uses: list[MemberUse], careful: list[MemberUse]) -> tuple[int, int] | None:
        """How many functions there are, and how many of them hold the lock for each of their accesses, where those are
        nearly all."""
        known = set(map(id, careful))
        counted = [u for u in uses if id(u) in known or not (self.is_alone(u.function) or is_unreachable(u.function))]
        functions = {use.function for use in counted}
        steady = functions - {use.function for use in counted if id(use) not in known}
        if len(steady) < FEWEST or len(steady) < MOST_CAREFUL * len(functions):
            return None
        return len(functions), len(steady)

    def _is_for(self, member: str, lock: str, uses: list[MemberUse], careful: list[MemberUse]) -> bool:
        """Whether every write holds the lock, at least as many accesses do as do not, and somewhere the lock is taken
        for one such write and for nothing else that others could look at."""
        known = set(map(id, careful))
        bare = [
            u for u in uses if id(u) not in known and not self.is_alone(u.function) and not is_unreachable(u.function)
        ]
        if len(bare) > len(careful) or len({use.function for use in bare}) > MOST_SLIPS:
            return False
        if any(use.kind != "read" for use in bare):
            return False
        written = [use for use in careful if use.kind != "read"]
        readers = {use.function for use in bare}
        callers = [self.program.index.callers(use.function) for use in written if use.function not in readers]
        if callers and all(found and readers.issuperset(found) for found in callers):
            return False  # who reads without it is the only thread that writes
        return any(self._is_section_of(section, use) for use in written for section in _sections_of(use, lock))

    def _is_section_of(self, section: sections.Section, use: MemberUse) -> bool:
        """Whether a critical section touches one member, and nothing that the others of the class need."""
        others = self._shared_state - {use.member}
        for index in section.inside:
            event = use.function.flow.events[index]
            where = event.place if isinstance(event, e.Read | e.Write) else getattr(event, "receiver", None)
            if where is not None and not others.isdisjoint(where):
                return False
            if isinstance(event, e.CallEvent) and not self._is_apart(use.function, event):
                return False
        return True

    @questions.derived_property
    def _shared_state(self) -> frozenset[str]:
        """The members that a lock can be there for."""
        return frozenset(m.name for m in self.all if m.name not in self.locks and not self._orders_itself(m))

    def _orders_itself(self, member: GuardedMember) -> bool:
        kind = types.parse(self.program.names.expand(member.type, self.file, self.scope))
        return "condition variable" in self.program.types.roles_at(kind.name, self.file, self.scope)

    def _is_out_of_sight(self, name: str) -> bool:
        """Whether a name is that of a method whose body nobody has read, and which comes back."""
        declared = self.cls.declared(name) if self.cls is not None else []
        return any(all("noreturn" not in one.name for one in record.annotations) for record in declared)

    def _is_apart(self, function: Function, call: e.CallEvent) -> bool:
        """Whether a call does not come to the other members: it is of no method of the object, nor given the object; or
        of one that says none of them."""
        if any(isinstance(arg, r.Name) and arg.text == places.THIS for arg in call.node.args):
            return False
        own = call.receiver == (places.THIS,) or (call.receiver is None and function.home is not None)
        if not own or self.cls is None:
            return True
        called = places.last_name(call.node.callee)
        queue = list(self.cls.defined(called))
        if not queue and self._is_out_of_sight(called):
            return False
        for method in queue:
            if method.says(self.words):
                return False
            for name in method.mentioned:
                further = self.cls.defined(name)
                if not further and self._is_out_of_sight(name):
                    return False
                queue += [one for one in further if one not in queue]
        return True

    def beside(self, member: str, handed: Span) -> Guard | None:
        """The lock of a container of which too little is seen to tell by use: each access holds the one lock, which
        guards what stands beside it. Where its address is `handed` away is no access."""
        if member in self.guards or any(one.why == "annotation" for one in self.said.values()):
            return None
        uses = [use for use in self.uses if use.member == member and use.span != handed and not is_exempt(use.function)]
        uses = [use for use in uses if not is_address(use) and not is_made_here(use)]
        if not self.is_container(member) or all(use.kind == "read" for use in uses):
            return None
        for lock in sorted({guard.lock for guard in self.guards.values()}):
            if all(locks.holds(use.held, lock) for use in uses):
                return Guard(member, lock, "use", len(uses), len(uses))
        return None

    def guard(self, member: str) -> Guard | None:
        """The guard of one member; cheap for one that is written down."""
        return self.said.get(member) or self.guards.get(member)

    def is_known(self, member: str) -> bool:
        """Whether a member's type is one of whose objects it is known what their methods do."""
        written = self.program.names.expand(self.members[member].type, self.file, self.scope)
        kind = types.parse(written)
        if (
            not kind.is_value
            or _SCALAR.fullmatch(kind.name)
            or self.program.types.roles_at(written, self.file, self.scope)
        ):
            return True
        return self.program.names.find_class(kind.name, self.scope, self.file) is not None or self._is_enum(kind.name)

    def is_container(self, member: str) -> bool:
        """Whether a member is a container of a known kind."""
        written = self.program.names.expand(self.members[member].type, self.file, self.scope)
        return "container" in self.program.types.roles_at(written, self.file, self.scope)

    def _is_enum(self, name: str) -> bool:
        return self.program.names.find_class(name, self.scope, self.file, enum=True) is not None

    # --- who touches it ---

    @questions.derived_property
    def uses(self) -> list[MemberUse]:
        """Every access to a member in code that can be seen, in the order of files."""
        found: list[MemberUse] = []
        known = guarded(self.program)
        for function in known.functions_of(self):
            found += self._uses_in(function, known.locking)
        return found

    def _uses_in(self, function: Function, known: locks.Locking) -> Iterator[MemberUse]:
        if not self.may_mean(function):
            return
        held = known.held(function)
        tracer = Tracer(self, function)
        for event in function.flow:
            for traced, kind, node in touched(tracer, event):
                if any(event.span.start in span for span in _unchecked_reads(function)):
                    continue
                if traced.member in self.members and event.index in held:
                    alias = isinstance(node, r.Name) and node.text in function.flow.aliases
                    yield MemberUse(function, event.index, event.span, traced, kind, held[event.index], alias)

    @questions.derived_property
    def freed(self) -> dict[str, MemberUse]:
        """The members of which some function frees what they, or their elements, point to, while it holds a lock."""
        known, owned = guarded(self.program), resources.resources(self.program)
        found: dict[str, MemberUse] = {}
        for function in known.functions_of(self):
            if is_exempt(function) or not self.may_mean(function):
                continue
            if not function.mentions("delete") and owned.releasing_names.isdisjoint(function.mentioned):
                continue
            held, tracer = known.locking.held(function), Tracer(self, function)
            for call in function.flow.calls:
                for ended in owned.released(call.node, function) if held.get(call.index) else ():
                    if ended.where.kind != "argument" or ended.where.index >= len(call.node.args):
                        continue
                    traced = _came_from(tracer, call.node.args[ended.where.index])
                    if ended.certainty != "possible" and traced is not None and traced.member in self.members:
                        if _is_last(tracer, call, traced.member):
                            continue
                        use = MemberUse(function, call.index, call.span, traced, "erase", held[call.index])
                        found.setdefault(traced.member, use)
        return found

    @questions.derived_property
    def words(self) -> patterns.AnyName:
        """In a body that touches a member."""
        return patterns.strings(member.removesuffix("()") for member in self.members)

    @questions.derived_property
    def _words_of_an_object(self) -> patterns.AnyName:
        return patterns.AnyName(self.members, _OF_AN_OBJECT)

    def may_mean(self, function: Function) -> bool:
        """Whether the body may say a member: a class that has members of all these names itself says so with the
        object. Needs no decoding."""
        return function.says(self._words_of_an_object if self._is_hidden_in(function.home) else self.words)

    def _is_hidden_in(self, home: Class | None) -> bool:
        if home is None or home is self.cls:
            return False
        return all((found := home.field(name)) is not None and found[0] is not self.cls for name in self.members)

    @questions.derived_property
    def lenders(self) -> frozenset[str]:
        """Names of the functions that may hand out a way into a member. Needs no decoding."""
        return frozenset(
            function.name
            for function in guarded(self.program).functions_of(self)
            if not types.parse(function.record.result).is_value and function.says(self.words)
        )

    def is_held(self, use: MemberUse, lock: str) -> bool:
        """Whether a lock is held at a use: by the function, or by all who call it."""
        if locks.holds(use.held, lock):
            return True
        called = guarded(self.program).locking.from_callers(use.function).locks
        if lock in self.locks:
            called = frozenset(place for place in called if place[0] != locks.ELSEWHERE)
        return locks.holds(called, lock)

    def is_alone(self, function: Function) -> bool:
        """Whether only constructors and destructors come there."""
        return guarded(self.program).locking.from_callers(function).alone

    def changes(self, member: str) -> Iterator[MemberUse]:
        """What changes a member while others may look at it."""
        for use in self.uses:
            if use.member != member or use.kind == "read" or is_exempt(use.function):
                continue
            if use.held or not self.is_alone(use.function):
                yield use


def _is_last(tracer: Tracer, call: e.CallEvent, member: str) -> bool:
    """Whether it is one of all in a loop, which leaves them where they are: what has them is not used any more."""
    function = tracer.function
    around = (
        one
        for one in function.statements
        if isinstance(one, r.Loop) and one.kind == "range" and call.span.start in one.span
    )
    if not any((of := tracer.trace(loop.iterable)) is not None and of.member == member for loop in around):
        return False
    touches = (one for event in function.flow for one in touched(tracer, event))
    return all(kind == "read" for traced, kind, _ in touches if traced.member == member)


def _came_from(tracer: Tracer, value: r.Value | None, depth: int = 2) -> Traced | None:
    """The place below a member that a pointer is a copy of, or was led to."""
    traced = tracer.trace(value)
    inner = strip_address(value)
    if traced is not None or not isinstance(inner, r.Name) or not depth:
        return traced
    writes = tracer.function.flow.writes_to((inner.text,))
    copied = (_came_from(tracer, write.value, depth - 1) for write in writes if write.value is not None)
    return next((one for one in copied if one is not None), None)


def meets(one: Traced, other: Traced) -> bool:
    """Whether two places of one member overlap: one lies in the other."""
    left, right = one.place[one.at :], other.place[other.at :]
    return left[: len(right)] == right or right[: len(left)] == left


def is_ordered(one: MemberUse, other: MemberUse) -> bool:
    """Whether a lock that both hold keeps two accesses apart."""
    names = {lock.lock[-1] for lock in other.held}
    return any(locks.holds(one.held, name) for name in names)


def is_exempt(function: Function) -> bool:
    """Where nobody else knows the object yet, or any more; and where the author asked not to be checked."""
    record = function.record
    if record.kind in ("constructor", "destructor"):
        return True
    if record.name == "operator=" or any(_is_unchecked(function, one) for one in _annotations(function)):
        return True
    return record.kind == "lambda" and function.parent is not None and is_exempt(function.parent)


def _is_unchecked(function: Function, annotation: r.Annotation) -> bool:
    """Whether the author asks not to be checked; also through a macro of the project: `ATTRIBUTE(no_analysis)`."""
    role = function.program.macros.role
    words = (annotation.name, *re.findall(r"\w+", annotation.arguments))
    return bool(_UNCHECKED.search(annotation.name)) or any(role(word) == "no analysis" for word in words)


@questions.flow_question
def _unchecked_reads(function: Function) -> list[Span]:
    """What the author marks as read without the lock: `ABSL_TS_UNCHECKED_READ(total_)`."""
    role = function.program.macros.role
    names = frozenset(name for name in function.mentioned if role(name) == "unchecked read")
    return [call.span for call in function.flow.calls if names and places.last_name(call.node.callee) in names]


def _annotations(function: Function) -> Iterator[r.Annotation]:
    yield from function.record.annotations
    if function.cls is not None:
        for declared in function.cls.declared_here.get(function.name, ()):
            yield from declared.annotations


def is_unreachable(function: Function) -> bool:
    """Whether nobody runs a method: it is private, and what can see it neither calls nor names it."""
    record, home = function.record, function.cls
    if (
        home is None
        or record.kind != "method"
        or _access(function) != "private"
        or function.program.index.callers(function)
    ):
        return False
    if locks.is_override(function) or "virtual" in record.qualifiers:
        return False
    named = patterns.AnyName([function.name])
    return not any(
        other.says(named) for other in guarded(function.program).functions_with(home) if other is not function
    )


def _access(function: Function) -> str:
    declared = function.cls.declared_here.get(function.name, ()) if function.cls is not None else ()
    return next((one.access for one in (function.record, *declared) if one.access), "")


def _sections_of(use: MemberUse, lock: str) -> Iterator[sections.Section]:
    """The critical sections of a lock in which a use stands, which the function itself begins."""
    event = use.function.flow.events[use.at]
    for section in sections.sections(use.function).around(event):
        if locks.is_named(section.lock, lock) and section.first.index != use.function.flow.entry:
            yield section


def is_made_here(use: MemberUse) -> bool:
    """Whether the object was made by the function that touches it."""
    root = use.traced.place[0]
    if root == places.THIS or use.traced.at == 0:
        return False
    if begins_or_ends(use.function):
        return True
    return locks.is_made_in(use.function, root) or _makes_lock(use.function, root)


def begins_or_ends(function: Function) -> bool:
    """Whether a function of C is a constructor or a destructor, by its name."""
    return not function.is_method and _BEGINS_OR_ENDS.search(function.name) is not None


def _makes_lock(function: Function, root: str) -> bool:
    """Whether a function of C makes or destroys the lock of the object that it is about: `mutex_init(&object->mu)`."""
    return any(
        _BEGINS_OR_ENDS.search(places.last_name(call.node.callee))
        and any(_root_of(a) == root for a in call.node.args[:1])
        for call in function.flow.calls
        if call.receiver is None and len(call.node.args) <= 2
    )


def _root_of(value: r.Value) -> str:
    inner = strip_address(value)
    return inner.base.text if isinstance(inner, r.Member) and isinstance(inner.base, r.Name) else ""


def was_held(use: MemberUse, lock: str) -> bool:
    """Whether the lock was held on the way to a use, whichever was taken: by the function, or by all its callers."""
    locking = locks.locking(use.function.program)
    return locking.was_held(use.function, use.at, lock) or locking.callers_held(use.function, lock)


def is_address(use: MemberUse) -> bool:
    """Whether only the member's address is taken: by an operator, by an object that keeps it, or by a function that
    locks before it looks. A function of the project that goes through the address at once, without a lock of its own,
    does so for its caller."""
    if use.kind != "read":
        return False
    is_taken = False
    for value in _around(use):
        for inner in places.walk(value):
            if isinstance(inner, r.Unary) and inner.op == "&" and inner.value.span == use.span:
                is_taken = True
            if isinstance(inner, r.Call):
                for number, arg in enumerate(inner.args):
                    if arg.span == use.span:
                        kept = (one.value.span for one in keeping.kept(use.function, inner, ""))
                        return use.span in kept or _locks_for(use.function, inner, number)
                    if isinstance(arg, r.Unary) and arg.op == "&" and arg.value.span == use.span:
                        return not _is_gone_through(use.function, inner, number)
    return is_taken


def _is_gone_through(function: Function, call: r.Call, number: int) -> bool:
    """Whether a function of the project, whose name is called, goes through the address that it is given there while
    it holds no lock."""
    bodies = function.program.calls.callee(call, function).functions
    return len(bodies) == 1 and any(
        not locks.locking(one.program).held(one).get(access.at.index, True)
        for one in bodies
        if number < len(one.record.parameters) and one.record.kind != "constructor"
        for access in accesses_in(one, frozenset({one.record.parameters[number].name}), "", direct=False)
    )


def _locks_for(function: Function, call: r.Call, number: int) -> bool:
    """Whether a call takes that argument by reference, and holds a lock wherever it uses it."""
    program = function.program
    bodies = program.calls.callee(call, function).functions
    return bool(bodies) and all(
        number < len(one.record.parameters)
        and types.parse(one.record.parameters[number].type).reference
        and _is_locked_at(one, one.record.parameters[number].name)
        for one in bodies
    )


def _is_locked_at(function: Function, parameter: str) -> bool:
    held = locks.locking(function.program).held(function)
    used = [event.index for event in function.flow if isinstance(event, e.Read) and event.place[0] == parameter]
    return bool(used) and all(held.get(index) for index in used)


def is_for_show(use: MemberUse) -> bool:
    """Whether what is read is only printed or asserted, or the code is there for tests."""
    function = use.function
    if use.kind != "read":
        return False
    if function.name.replace(" ", "") == "operator<<" or trials.is_trial(function):
        return True
    for value in _around(use):
        names = (places.last_name(call.callee) for call in places.calls_in(value))
        if any(function.program.macros.role(name) in _SHOWING for name in names if name):
            return True
    return False


def is_looked_at_again(use: MemberUse, held: Mapping[int, locks.Locks], lock: str) -> bool:
    """Whether an access only decides if the lock is worth taking: where a pointer leads somewhere, it is read again
    under the lock; where it is null, nothing is done. What says that work is done is another matter."""
    flow = use.function.flow
    read = flow.events[use.at]
    if not isinstance(read, e.Read) or not types.parse(use.function.program.types.of(read.node, use.function)).pointers:
        return False
    empty = conditions.Given(read.place, assignments.Held("emptied", False, "nullptr"))
    for test in flow:
        if not isinstance(test, e.Test) or test.asserted or use.span.start not in test.value.span:
            continue
        sides: dict[bool, list[e.Event]] = {True: [], False: []}
        rest: list[e.Event] = []
        for event in flow.after(test):
            side = next((outcome for by, outcome in flow.guards(event) if by is test), None)
            (rest if side is None else sides[side]).append(event)
        skipped = conditions.comes_to(use.function, test.value, empty)
        if skipped is None or any(_does_something(event) for event in (*sides[skipped], *rest)):
            continue
        if any(
            isinstance(event, e.Read)
            and event.place == read.place
            and locks.holds(held.get(event.index, frozenset()), lock)
            for event in sides[not skipped]
        ):
            return True
    return False


def _does_something(event: e.Event) -> bool:
    if isinstance(event, e.LeaveEvent):
        return event.value is not None and not isinstance(places.strip(event.value), r.Literal)
    return isinstance(event, e.Read | e.Write | e.CallEvent)


def is_explained(use: MemberUse) -> bool:
    """Whether a comment stands directly above a use, on lines of its own; one behind code is about that."""
    file, at = use.function.file, use.span.start
    before = bisect_right(file.comments[1::2], at) - 1
    if before < 0 or not file.comment_lines or at > file.comment_lines[2 * before + 1]:
        return False
    line, start = file.comment_lines[2 * before], file.comments[2 * before]
    return not any(line <= event.span.start < start for event in use.function.flow)


def hands_out(use: MemberUse) -> bool:
    """Whether all that a short function does is to answer with a pointer to the member, or to what it owns."""
    function = use.function
    if not function.is_short:
        return False
    if not types.parse(function.record.result).is_value:
        return True
    leaves = [leave.value for leave in function.flow.leaves if leave.value is not None]
    answer = strip_address(leaves[0]) if len(leaves) == 1 else None
    if isinstance(answer, r.Call) and isinstance(answer.callee, r.Member) and answer.callee.name == "get":
        answer = answer.callee.base
    written = function.program.types.of(answer, function) if answer is not None else ""
    return (
        answer is not None
        and answer.span == use.span
        and "smart pointer" in function.program.types.roles(written, function)
    )


def is_early(function: Function) -> bool:
    """Whether a method's name says that it runs before others know the object."""
    return _EARLY.match(function.name) is not None


def _around(use: MemberUse) -> Iterator[r.Value]:
    """The expressions of the statements in which a use stands."""
    for statement in use.function.statements:
        if statement.start <= use.span.start < statement.end:
            yield from bodies.values(statement)


# --- the whole program ----------------------------------------------------------------------------------


class Guarded:
    """The domains of one program."""

    @questions.program_property
    def lock_names(self) -> frozenset[str]:
        """Names of all members and variables that are locks."""
        return frozenset(name for domain in self._all_domains for name in domain.locks)

    @questions.program_property
    def inner(self) -> dict[str, list[Class]]:
        """The classes that are declared inside of each class: what it is made of."""
        found: dict[str, list[Class]] = {}
        for cls in self.program.classes:
            found.setdefault(cls.symbol.rpartition("::")[0], []).append(cls)
        return found

    @questions.program_property
    def _all_domains(self) -> list[GuardedDomain]:
        return list(self._all())

    def may_touch(self, function: Function) -> Iterator[GuardedDomain]:
        """The domains of the function's own class and file, also those that have no lock."""
        ancestry = function.home.ancestry if function.home is not None else ()
        for domain in self._all_domains:
            is_own = domain.cls in ancestry if domain.cls is not None else domain.file is function.file
            if is_own and domain.members and function.says(domain.words):
                yield domain

    def __init__(self, program: Program) -> None:
        self.program = program
        self.locking: locks.Locking = locks.locking(program)
        self._said: questions.Answers[tuple[str, tuple[str, ...]], list[Function]] = questions.Answers()

    @questions.program_property
    def domains(self) -> list[GuardedDomain]:
        """Those that have a lock, or say of some member which lock it belongs to."""
        known = [d for d in self._all_domains if d.locks or any(m.annotations for m in d.all)]
        return [d for d in known if d.members and (d.cls is not None or len(d.all) > 1)]

    def _all(self) -> Iterator[GuardedDomain]:
        for cls in self.program.classes:
            if cls.file.language == "cpp" and cls.record.fields and cls.record.kind in ("class", "struct"):
                shared = [_of_field(field) for field in cls.record.fields if not field.thread_local]
                yield GuardedDomain(self.program, cls.file, cls.symbol, cls, shared)
        for file in self.program.files.values():
            by_scope: dict[str, list[GuardedMember]] = {}
            for variable in file.variables if file.language == "cpp" else ():
                if variable.thread_local:
                    continue
                by_scope.setdefault(variable.scope, []).append(
                    GuardedMember(variable.name, variable.type, variable.span, variable.annotations, "")
                )
            for one in standing.of_file(self.program, file.path):
                by_scope.setdefault(one.accessor.record.scope, []).append(_of_accessor(one))
            for scope, members in by_scope.items():
                yield GuardedDomain(self.program, file, scope, None, members)

    @questions.program_property
    def by_class(self) -> dict[Class, GuardedDomain]:
        return {domain.cls: domain for domain in self.domains if domain.cls is not None}

    def domains_of(self, function: Function) -> list[GuardedDomain]:
        """The domains whose members a function can touch."""
        return self._of.get(function, [])

    @questions.program_property
    def _of(self) -> dict[Function, list[GuardedDomain]]:
        found: dict[Function, list[GuardedDomain]] = {}
        for domain in self.domains:
            for function in self.functions_of(domain):
                found.setdefault(function, []).append(domain)
        return found

    def domains_around(self, function: Function) -> list[GuardedDomain]:
        """Those of `domains_of`, and the classes of the same source and header whose members it says: it may hand them
        on without the lock."""
        own = self.domains_of(function)
        around = self._beside.get(_stem(function.path), ()) if function.language == "cpp" else ()
        said = (one for one in around if one not in own and function.says(one.words))
        others = list(islice(said, _MOST_AROUND + 1))
        return [*own, *others] if len(others) <= _MOST_AROUND else own

    @questions.program_property
    def _beside(self) -> dict[str, list[GuardedDomain]]:
        found: dict[str, list[GuardedDomain]] = {}
        for domain in self.domains:
            if domain.cls is not None and domain.locks:
                found.setdefault(_stem(domain.path), []).append(domain)
        return found

    def functions_beside(self, path: str, name: str) -> list[Function]:
        """The functions of a source and its header that say a name."""
        return self._saying(_stem(path), (name,))

    @questions.program_property
    def _by_home(self) -> dict[Class, list[Function]]:
        found: dict[Class, list[Function]] = {}
        for function in self.program.functions:
            if function.language == "cpp" and function.home is not None:
                for cls in function.home.ancestry:
                    found.setdefault(cls, []).append(function)
        return found

    @questions.program_property
    def _by_stem(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.program.functions:
            if function.language == "cpp":
                found.setdefault(_stem(function.path), []).append(function)
        return found

    def functions_with(self, cls: Class) -> list[Function]:
        """The methods of a class and of its heirs, and the lambdas in them."""
        return self._by_home.get(cls, [])

    def _saying(self, stem: str, names: tuple[str, ...]) -> list[Function]:
        """The functions of a source and its header that may mean one of the names of an object which is not their
        own: who has members of the same names himself says so with the object."""
        return self._said.ask((stem, names), lambda: self._found_saying(stem, names))

    def _found_saying(self, stem: str, names: tuple[str, ...]) -> list[Function]:
        said, said_of_an_object = patterns.strings(names), patterns.AnyName(names, _OF_AN_OBJECT)
        functions = self._by_stem.get(stem, ())
        having = {home for home in dict.fromkeys(one.home for one in functions) if _has_all(home, names)}
        return [one for one in functions if one.says(said_of_an_object if one.home in having else said)]

    def functions_of(self, domain: GuardedDomain) -> Iterable[Function]:
        """The functions that can touch its members: its own, its heirs', and in its source and header those that say
        its lock or a member of it."""
        if domain.cls is None:
            return [f for f in self._by_stem.get(_stem(domain.path), ()) if f.path == domain.path]
        own = self._by_home.get(domain.cls, [])
        if not domain.locks:
            return own
        saying = self._saying(_stem(domain.path), tuple(sorted({*domain.locks, *domain.members})))
        around = [f for f in saying if f.home is None or domain.cls not in f.home.ancestry]
        return [*own, *around]


def is_private(domain: GuardedDomain, name: str) -> bool:
    """Whether a member is the class's own, and only its methods, friends and the classes inside it can name it."""
    field = domain.cls.fields.get(name) if domain.cls is not None else None
    return field is not None and field.access == "private"


def _has_all(cls: Class | None, names: tuple[str, ...]) -> bool:
    return cls is not None and all(cls.field(name) is not None for name in names)


def _of_field(field: r.Field) -> GuardedMember:
    return GuardedMember(field.name, field.type, field.span, field.annotations, field.comment)


def _of_accessor(known: standing.Standing) -> GuardedMember:
    record = known.accessor.record
    return GuardedMember(known.name, record.result.rstrip().removesuffix("&").removesuffix("*"), record.span, (), "")


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


@questions.program_question
def guarded(program: Program) -> Guarded:
    """The guarded data of a program; one object a program, since its answers are remembered."""
    return Guarded(program)


def is_there_for(program: Program, lock: acquired.Key, member: str) -> bool:
    """Whether a class has a lock for one member alone: nothing else is touched under it, but what another lock
    guards."""
    domain = next(
        (one for one in guarded(program).domains if one.cls is not None and one.cls.symbol == lock.owner), None
    )
    if domain is None:
        return False
    under = {use.member for use in domain.uses if locks.holds(use.held, lock.name)}
    guards = domain.guards
    return under - {name for name, guard in guards.items() if guard.lock != lock.name} <= {member}


def guards(cls: Class) -> dict[str, Guard]:
    """Which of the class's own members belong to which of its locks."""
    domain = guarded(cls.program).by_class.get(cls)
    return domain.guards if domain is not None else {}


_NAMES = re.compile(r"\w++")
_OF_AN_OBJECT = re.compile(rb',"([^"\\]*+)"(?=,(?:true|false))')
