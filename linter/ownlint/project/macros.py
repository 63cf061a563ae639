"""What the macros of the project do, by the models and by their own `#define`s, in whatever order those are read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ownlint.facts import records as r
from ownlint.flow.expressions import LeavingTest
from ownlint.models.libraries import Models
from ownlint.project.macro_exits import (
    LEAVES,
    QUOTED,
    Exit,
    MacroStep,
    Side,
    called_last,
    conditions,
    exit_of,
    leaving_test,
    may_declare,
    side_of,
    steps_of,
)
from ownlint.project.questions import Answers, Keys, read

_DEEP = 4
"""So many macros one in the other are followed."""

_GOTO = re.compile(r"\bgoto\s++(\w++)")
_CALLED = re.compile(r"\b([A-Za-z_]\w*+)\s*+\(")
_CHANGES = re.compile(r"[;{}]|\+\+|--|(?<![=!<>])=(?!=)")
_ABORTS = re.compile(
    r"\b(?:abort|terminate|exit|__builtin_trap|__builtin_unreachable|__assert|_wassert|\w*assert(?:ion)?_?fail\w*+)\)?\s*\("
)
"""Also what the `assert` of a C library calls, and functions named after it."""
_CONDITIONAL = re.compile(r"\b(?:if|for|switch|while(?!\s*+\(\s*+(?:0|false)\s*+\)))\b|\?|\|\|")
_WORD = re.compile(r"\b[a-z]+_[a-z_]+\b")
_CAST = re.compile(r"\(\s*+(?:const\s++|struct\s++){0,2}\w++\s*+\*[\s*]*+\)\s*+(?=[\w(])")
"""A cast to a pointer, of what stands behind it."""
_CALL = re.compile(r"((?:\w++(?:\.|->)){0,4})(\w++)\s*+\(")
"""The call of a function or of a member at the beginning of an expression."""
_NAME = re.compile(r"\w++")
_ASSIGNED = re.compile(r"\b(\w++)\s*+=(?=[^=])")
_JUMP = re.compile(r"\bgoto\s+(\w+(?:\s*\([^()]*\))?)")
_TRIES = re.compile(r"\btry\b")
_TAKES_ALL = re.compile(r"\bcatch\s*+\(\s*+\.\.\.\s*+\)")
_ANY_WORD = re.compile(r"[A-Za-z_]\w*")
_CLEANS_UP = frozenset({"cleanup", "__cleanup__"})
_CATCHES = re.compile(r"\btry\s*+\{")
_OF_STATEMENTS = re.compile(r"(?:do|if|for|while|switch|try|return|throw|goto)\b(?!\s*+::)")
_TO_TRUTH = re.compile(
    r"!=\s*0\b|!\s*!|\(\s*(?:long|int|bool|_Bool)\s*\)|\b(?:bool|static_cast<bool>)(?=\s*[({])|[\s(){}]"
)
_DECLARES = re.compile(r"\s*(?:const\s+)?(?!return\b)[A-Za-z_][\w:<>]*\s+[A-Za-z_]\w*")
_LAMBDA = re.compile(r"\[[&=\w, ]*\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*(?:mutable\s*)?(?:->\s*[\w:<>*& ]+)?\{")
_MACRO_CALL = re.compile(r"\b([A-Z][A-Z0-9_]{2,}|assert)\s*\(")
_NOTHING = re.compile(
    r"(?:\(?\s*(?:\(void\)|static_cast<void>)\s*(?:0|\(0\)|sizeof\b.*)\s*\)?|do\s*\{\s*;?\s*\}\s*while\s*\(\s*(?:0|false)\s*\)|"
    r"while\s*\(\s*(?:0|false)\b.*|.*\b(?:false|0)\s*&&.*|.*\b(?:true|1)\s*\|\|.*|\(*(?:true|1)\s*\?\s*\(void\)\s*0\s*:.*|if\s*\(\s*(?:0|false)\s*\).*|\{\s*\}|)\s*;?"
)
"""The bodies of macros that do nothing with what they are given."""
_LEVEL_TEST = re.compile(
    r"\s*(?:do\s*)?(?:\{\s*)?if\s*(?:constexpr\s*)?\((?=[^;{]*(?i:debug|dbg|trace|verbos|vlog))[^;{]*\)(?!\s*(?:return|throw|abort)\b)"
    r"|(?=[^;{?]{0,200}?(?i:debug|dbg|trace|verbos|vlog))[^;{?]{1,200}+\?\s*+(?:\(void\)\s*\(?0\)?|static_cast<void>\(0\))\s*:"
)
"""A macro's body that begins with a question for the level of a log: `if (..)`, or `!(..) ? (void)0 : ..`."""
_DENIAL = re.compile(r"\s*(?:do\s*)?(?:\{\s*)?if\s*\([\s(]*(?:\w+\s*\([\s(]*)?!\s*\(")
"""A macro's body that begins with a question whether what it is given does not hold: `if (unlikely(!(ok))) ..`."""
_HIGHER_LEVEL = re.compile(r"(?i)(?:^|_|(?<=[a-z]))(?:warn|err|fatal|info|crit|notice)")
_OTHER_MACRO = re.compile(r"\s*(?:do\s*\{\s*)?(?:::)?(?:\w+::)*(\w+)\s*\(")
_OF_LOCKS = ("guarded by", "requires lock", "takes lock", "excludes lock", "no analysis")
_UNEVALUATED = re.compile(
    r"(?<!#)#\s*+\w++|\b(?:sizeof|decltype|noexcept|typeof|__typeof__)\s*+\([^()]*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*\)[^()]*+)*\)"
)
"""What a macro's body says of a parameter without evaluating it."""
_NEVER_RUN = re.compile(r";\s*+while\s*+\(\s*+(?:false|0)\s*+\).*+$")
_TO_VOID = re.compile(r"\(void\)|static_cast<void>|[\s();]")
_KEPT_AND_DROPPED = re.compile(
    r"\s*+(?:do\s*+)?\{?\s*+(?:const\s++)?[\w:]++[\s&]++(?P<local>\w+)\s*+=\s*+\(?\s*+(?P<value>\w+)\s*+\)?\s*+;"
    r"\s*+(?:\(void\)|static_cast<void>)\s*+\(?\s*+(?P=local)\s*+\)?\s*+;?\s*+\}?\s*+"
    r"(?:while\s*+\(\s*+(?:false|0)\s*+\))?\s*+"
)
_LIKE_MACRO = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_WHOLE_CALL = re.compile(r"[\s({]*+(?:do\s*+\{\s*+)?(\w++)\s*+\(")
_TESTS = ("check", "assert", "evaluated assert")
_LEAVING = ("return", "leave", "return on failure", "assign or return")
_LONGEST = 1900
"""A body that is longer may have been cut off."""
_CONTRADICTED = {
    "assert": (*_TESTS, *_LEAVING),
    "evaluated assert": (*_TESTS, *_LEAVING),
    "check": (*_TESTS, *_LEAVING),
    "return on failure": (*_TESTS, "return", "leave"),
    "assign or return": (),
    "declaring": (),
    "discard": (*_TESTS, *_LEAVING),
    "log": ("debug log", "return", "leave"),
    "debug log": ("return", "leave"),
}
"""Roles that a model gives a macro, and what the macro's own `#define`s can make of each. Others are not told from a
body: what stands where an attribute would is gone before the code is read."""


def _takes_all(body: str) -> bool:
    """Whether a handler there takes whatever is thrown in a block above it."""
    tried = _TRIES.search(body)
    return tried is not None and _TAKES_ALL.search(body, tried.end()) is not None


class Macros:
    """All `#define`s of the files that were read. What is learned of a name depends on how deep in another macro it
    is asked for, and on nothing else; each is learned once."""

    def __init__(self, files: Iterable[r.FileRecord], models: Models) -> None:
        self._models = models
        self._keys = Keys("macro")
        self._written: dict[str, list[r.Macro]] = {}
        self._files: dict[str, list[str]] = {}
        for file in files:
            for macro in file.macros:
                self._written.setdefault(macro.name, []).append(macro)
                self._files.setdefault(macro.name, []).append(file.path)
        self._roles: Answers[str, str] = Answers()
        self._other_names: Answers[str, tuple[str, ...]] = Answers()
        self._meant: Answers[tuple[str, int], str] = Answers()
        self._learned: Answers[tuple[str, int], str] = Answers()
        self._leaving_tests: Answers[str, LeavingTest | None] = Answers()
        self._jumps: Answers[str, tuple[tuple[str, ...], str]] = Answers(((), ""))
        self._sides: Answers[str, Side] = Answers()
        self._ways_out: Answers[tuple[str, int], list[Exit]] = Answers()

    def named(self, name: str) -> list[r.Macro]:
        """The project's own `#define`s of the name."""
        read(self._keys[name])
        return self._written.get(name, [])

    def is_of_debug_build(self, name: str) -> bool:
        """Whether a release build does not define it."""
        found = self.named(name)
        return bool(found) and all(macro.debug for macro in found)

    def role(self, name: str) -> str:
        """What a macro (or a builtin that acts like one) does: the role that is learned from its `#define`s where they
        contradict a model or there is none, else the model's."""
        return self._roles.ask(name, lambda: self._role(name))

    def _role(self, name: str) -> str:
        learned = self._means(name, 0)
        if not learned and self._is_hint(name):
            learned = "hint"
        if not learned and (defined := self.named(name)) and all(map(self._discards, defined)):
            learned = "discard"
        if not learned and any(_defers(macro) for macro in self.named(name)):
            learned = "later"
        return learned

    def is_taken_by_name(self, name: str) -> bool:
        """Whether nothing but a pattern of names says what a macro does: no `#define` of it was read."""
        model = self._models.macro(name)
        return model is not None and model.regular and not self.named(name)

    def is_debug_log(self, name: str) -> bool:
        """Whether a macro writes to a log that is off as a rule: by its role, or because each of its `#define`s asks
        for the level first, or is another name for such a macro. One that is named after a higher level is none, even
        if there is a build without it."""
        if self._models.macro(name) is None and _HIGHER_LEVEL.search(name):
            return False
        return self.role(name) == "debug log" or self._asks_level(name, 0)

    def _asks_level(self, name: str, depth: int) -> bool:
        defined = [macro for macro in self.named(name) if macro.parameters is not None and not _vanishes(macro)]
        return bool(defined) and all(
            _only_asked(macro)
            or (
                depth < _DEEP
                and (inner := _OTHER_MACRO.match(macro.body)) is not None
                and inner[1] != name
                and (self.role(inner[1]) == "debug log" or self._asks_level(inner[1], depth + 1))
            )
            for macro in defined
        )

    def _means(self, name: str, depth: int) -> str:
        model = self._models.macro(name)
        if model is None:
            return self._learn(name, depth)
        if depth > _DEEP or model.role not in _CONTRADICTED or not self.named(name):
            return model.role
        return self._meant.ask((name, depth), lambda: self._decided(name, model.role, depth))

    def _decided(self, name: str, said: str, depth: int) -> str:
        """What the `#define`s of a macro make of what a model says. Alternatives in one file are builds of one macro;
        files that do not agree define different ones, and then as little as possible is concluded."""
        groups: dict[str, list[r.Macro]] = {}
        for path, macro in zip(self._files[name], self.named(name), strict=True):
            groups.setdefault(path, []).append(macro)
        readings = {self._reading(self._written_out(group, _DEEP), said, depth) for group in groups.values()}
        if len(readings) == 1:
            return readings.pop()
        return "evaluated assert" if said == "assert" else said

    def _reading(self, defined: list[r.Macro], said: str, depth: int) -> str:
        """The role of a macro that is defined like that, and of which a model says `said`."""
        found = self._learn_from(defined, depth)
        if found == "debug log" and said in _TESTS:
            return "assert"
        if found in _CONTRADICTED[said]:
            return found
        if said == "assert" and self._always_evaluates(defined, depth):
            return "evaluated assert"
        if said in _TESTS and defined and all(self._only_evaluates(macro, depth) for macro in defined):
            return "evaluated assert"
        if said in _TESTS and not found and any(_CATCHES.search(macro.body) and _hands_on(macro) for macro in defined):
            return ""  # it waits for what is thrown
        if said in _LEAVING and not found and defined and all(self._stays(macro) for macro in defined):
            return ""
        return said

    def _written_out(self, defined: list[r.Macro], depth: int) -> list[r.Macro]:
        """The `#define`s with those in the place of another name that it stands for: `#define VERIFY CHECK` hands on
        what it is given."""
        found: list[r.Macro] = []
        for macro in defined:
            other = _handed_to(macro) if macro.parameters is None else ""
            if depth and other and other != macro.name and (further := self.named(other)):
                found += self._written_out(further, depth - 1)
            elif other and self._models.macro(other) is not None:
                found.append(r.Macro(macro.start, macro.end, macro.name, ("...",), f"{other}(__VA_ARGS__)"))
            else:
                found.append(macro)
        return list({(macro.parameters, macro.body): macro for macro in found}.values())

    def _learn(self, name: str, depth: int) -> str:
        if depth > _DEEP or not self.named(name):
            return ""
        return self._learned.ask(
            (name, depth), lambda: self._learn_from(self._written_out(self.named(name), _DEEP), depth)
        )

    def _learn_from(self, defined: list[r.Macro], depth: int) -> str:
        """What `#define`s of the project make of a macro. One that tests in one build and is empty in another is an
        assertion; one that tests in one build and only evaluates in another is an assertion that always evaluates; one
        that asserts in one build and tests in another that is not empty is taken for a test (which build is released
        is not known); one that is empty in another and does anything else runs in debug builds alone, unless it catches
        what is thrown: that runs a test."""
        if annotates := next((role for macro in defined if (role := self._annotates(macro))), ""):
            return annotates
        if exits := self._exits_of(defined, depth):
            return "leave" if exits[0].kind == "throw" else exits[0].kind
        written = [macro for macro in defined if macro.parameters is not None]
        alive = [macro for macro in written if not self._does_nothing(macro, depth)]
        roles = [role for macro in alive if (role := self._learn_one(macro, depth))]
        if len(alive) < len(written) and any(_hands_on(macro) and not _CATCHES.search(macro.body) for macro in alive):
            tests = (roles and roles[0] in (*_TESTS, "return on failure")) or any(
                self._denies(one, depth) for one in alive
            )
            return "assert" if tests else "debug log"
        if roles and roles[0] in _TESTS and any(self._only_evaluates(macro, depth) for macro in alive):
            return "evaluated assert"
        if "assert" in roles and (kept := next((role for role in roles if role in _TESTS and role != "assert"), "")):
            return kept
        return roles[0] if roles else ""

    def _exits(self, name: str, depth: int) -> list[Exit]:
        """How the `#define`s of a macro leave the function, if all that do anything always do."""
        return self._ways_out.ask((name, depth), lambda: self._exits_of(self.named(name), depth))

    def _exits_of(self, defined: list[r.Macro], depth: int) -> list[Exit]:
        found = [self._exit(macro, depth) for macro in defined if not _vanishes(macro)]
        exits = [one for one in found if one is not None]
        return exits if len(exits) == len(found) else []

    def _exit(self, macro: r.Macro, depth: int) -> Exit | None:
        body = _without_lambdas(macro.body)
        found = exit_of(body)
        inner = called_last(body) if found is None and depth < _DEEP else ""
        if not inner or inner == macro.name:
            return found
        if self._models.macro(inner) is not None:
            return Exit("return", inner) if self._means(inner, depth + 1) == "return" else None
        if _ABORTS.match(f"{inner}("):
            return Exit("end")
        further = self._exits(inner, depth + 1)
        return further[0]._replace(answer="") if further else None

    def other_names(self, name: str) -> tuple[str, ...]:
        """The functions that the macro is another name for: `#define Text_AsBytes PyUnicode_AsUTF8String`, also with
        its parameters handed on as they are. None where one of its `#define`s is more than that."""
        return self._other_names.ask(name, lambda: tuple(self._named_otherwise(name, _DEEP)))

    def _named_otherwise(self, name: str, depth: int) -> list[str]:
        found: list[str] = []
        for macro in self.named(name):
            other = _handed_to(macro)
            if not other or other == name or not depth:
                return []
            found += self._named_otherwise(other, depth - 1) if self.named(other) else [other]
        return list(dict.fromkeys(found))

    def answering(self, name: str) -> str:
        """The function whose answer is all that the macro is, with a dot in front where it is called by a member:
        `#define NEW(t, type) (t *)type.tp_alloc(&type, 0)`. Empty where its `#define`s differ."""
        found = {_answering(macro.body) for macro in self.named(name)}
        return found.pop() if len(found) == 1 else ""

    def may_clean_up(self, name: str, depth: int = _DEEP) -> bool:
        """Whether a word of a local's declaration may name who ends it: a function, a macro out of sight, or one whose
        `#define` comes to `__attribute__((cleanup(f)))`, also by way of others."""
        defined = self.named(name)
        if not defined:
            return True
        words = {word for macro in defined for word in _ANY_WORD.findall(macro.body)}
        return bool(words & _CLEANS_UP) or (
            depth > 0
            and any(self.named(word) and self.may_clean_up(word, depth - 1) for word in sorted(words - {name}))
        )

    def words(self, name: str, depth: int = _DEEP) -> frozenset[str]:
        """What the bodies of a macro name that is none of its parameters, itself or by the macros that they use."""
        found = {
            word
            for macro in self.named(name)
            for word in _ANY_WORD.findall(macro.body)
            if word not in (macro.parameters or ())
        }
        inner = [word for word in sorted(found - {name}) if depth and self.named(word)]
        return frozenset(found).union(*(self.words(word, depth - 1) for word in inner))

    def takes_what_is_thrown(self, name: str) -> bool:
        """Whether a macro tries a statement that it is given, in all of its `#define`s or by another macro, with a
        handler for everything that does not leave."""
        bodies = [_own_text(macro) for macro in self.named(name)]
        return bool(bodies) and all(
            (_takes_all(body) and LEAVES.search(body) is None)
            or any(one != name and self.named(one) and self.takes_what_is_thrown(one) for one in _CALLED.findall(body))
            for body in bodies
        )

    def steps(self, name: str) -> tuple[tuple[str, ...], tuple[MacroStep, ...]]:
        """The parameters of a macro that does nothing but call functions with what it is given, and to empty that, in
        every build; and what it does, one after the other."""
        told = {(macro.parameters or (), steps_of(macro.body, macro.parameters or ())) for macro in self.named(name)}
        return told.pop() if len(told) == 1 else ((), ())

    def answer(self, name: str) -> tuple[tuple[str, ...], str]:
        """The parameters of a macro that always returns, and what it answers as written, if that is no local of its
        own; of the first of its `#define`s."""
        for macro in self.named(name):
            body = _without_lambdas(macro.body)
            found = exit_of(body)
            if found is not None:
                is_own = found.answer.isidentifier() and may_declare(body, found.answer)
                return macro.parameters or (), "" if is_own else found.answer
        return (), ""

    def jump(self, name: str) -> tuple[tuple[str, ...], str]:
        """The parameters of a macro that leaves by a `goto`, itself or by another macro, and the label as its
        `#define` writes it; empty where its `#define`s leave otherwise, too."""
        return self._jumps.ask(name, lambda: self._jump(name))

    def _jump(self, name: str) -> tuple[tuple[str, ...], str]:
        bodies = [macro for macro in self.named(name) if not _vanishes(macro)]
        labels: set[str] = set()
        for macro in bodies:
            if LEAVES.search(_GOTO.sub("", macro.body)):
                return (), ""
            labels.update(_GOTO.findall(macro.body))
            for inner in dict.fromkeys(_CALLED.findall(macro.body)):
                if inner == name or not self.named(inner):
                    continue
                parameters, label = self.jump(inner)
                if label:
                    labels.add("" if label in parameters else label)
                elif self._means(inner, 1) in ("return", "leave", "return on failure"):
                    return (), ""
        if len(labels) != 1:
            return (), ""
        return bodies[0].parameters or (), labels.pop()

    def side(self, name: str) -> Side:
        """What a macro does to the braces around it: one that begins an `if`, its `else` or its end, in all of its
        `#define`s."""
        return self._sides.ask(name, lambda: self._side(name))

    def _side(self, name: str) -> Side:
        found = {side_of(macro.body) for macro in self.named(name)}
        return found.pop() if len(found) == 1 else ""

    def only_throws(self, name: str) -> bool:
        """Whether a macro that leaves on failure does so by a `throw`, in all of its `#define`s."""
        bodies = [_own_text(macro) for macro in self.named(name) if not _vanishes(macro)]
        return bool(bodies) and all(self._ways_out_of(name, body) == {"throw"} for body in bodies)

    def throws(self, name: str) -> bool:
        """Whether a macro leaves by a `throw` wherever its `#define`s say how: others call what does not return."""
        bodies = map(_own_text, self.named(name))
        return set[str]().union(*(self._ways_out_of(name, body) for body in bodies)) == {"throw"}

    def _ways_out_of(self, name: str, body: str) -> set[str]:
        """The words by which a body leaves, itself or by a macro that always does."""
        inner = (one for one in dict.fromkeys(_CALLED.findall(body)) if one != name and self.named(one))
        return {*LEAVES.findall(body), *(exits[0].kind for one in inner if (exits := self._exits(one, 1)))}

    def looks_into(self, name: str) -> bool:
        """Whether a macro leaves on something that it asks its first parameter, rather than on that itself:
        `#define REQUIRE_IDLE(it) do { if ((it)->users != 0) return BUSY; } while (0)`."""
        return any(
            macro.parameters is not None
            and macro.parameters[:1]
            and any(
                macro.parameters[0] in _NAME.findall(test) and len(set(_NAME.findall(test))) > 1
                for test in conditions(macro.body)
            )
            for macro in self.named(name)
        )

    def calls_given(self, name: str) -> bool:
        """Whether a macro calls one of its parameters: `#define TRY_IT(step, ...) if (step(__VA_ARGS__)) return 1`."""
        return any(
            not frozenset(macro.parameters or ()).isdisjoint(_CALLED.findall(macro.body)) for macro in self.named(name)
        )

    def ends(self, name: str) -> tuple[frozenset[str], int]:
        """The words in front with which a log's macro ends the program, and where among its arguments (from 0) stands
        the condition of that; 0 where there is none."""
        model = self._models.macro(name)
        if model is None or not model.ends or self.role(name) != model.role:
            return frozenset(), 0
        return frozenset(model.ends), model.index

    def leaving_test(self, name: str) -> LeavingTest | None:
        """What a macro that returns on failure asks of one of its parameters, where its `#define`s agree on that."""
        return self._leaving_tests.ask(name, lambda: self._leaving_test(name))

    def _leaving_test(self, name: str) -> LeavingTest | None:
        asked = {
            leaving_test(
                _without_lambdas(macro.body),
                macro.parameters or (),
                lambda one: self.role(one) == "hint",
                lambda one: bool(one and one != name and self._exits(one, 1)),
            )
            for macro in self.named(name)
            if not _vanishes(macro)
        }
        return asked.pop() if len(asked) == 1 else None

    def only_asks(self, name: str, index: int) -> bool:
        """Whether a macro does nothing with an argument (from 0) but test it, before it leaves:
        `#define RETURN_IF_NULL(made) do { if ((made) == NULL) return NULL; } while (0)`."""
        test = self.leaving_test(name)
        return test is not None and test.parameter == index and all(_asks_once(one, index) for one in self.named(name))

    def has_no_value(self, name: str) -> bool:
        """Whether a macro with parameters is a block or a run of statements: `{ check_((x), __FILE__); }`."""
        bodies = [macro.body.strip("; ") for macro in self.named(name) if macro.parameters is not None]
        return bool(bodies) and all(body.startswith("{") or _OF_STATEMENTS.match(body) for body in bodies)

    def computes(self, name: str, depth: int = _DEEP) -> bool:
        """Whether a macro with parameters is an expression that calls nothing and changes nothing: `#define
        IS_DIGIT(c) ((c) >= '0' && (c) <= '9')`."""
        defined = [macro for macro in self.named(name) if macro.parameters is not None]
        return bool(defined) and depth > 0 and all(self._only_computes(macro, depth) for macro in defined)

    def _only_computes(self, macro: r.Macro, depth: int) -> bool:
        body = QUOTED.sub("0", macro.body)
        called = dict.fromkeys(_CALLED.findall(body))
        return _CHANGES.search(body) is None and all(
            one == "sizeof" or self.computes(one, depth - 1) for one in called if one != macro.name
        )

    def _is_hint(self, name: str) -> bool:
        """`#define UNLIKELY(x) __builtin_expect(!!(x), 0)`, or `(x)` alone where the compiler has no such thing; also
        through another: `#define expect(c, x) __builtin_expect((long)(x), c)`, `#define rarely(x) expect(0, x)`."""
        return self._expects(name, _DEEP) == 0

    def _expects(self, name: str, depth: int) -> int | None:
        """Which of its arguments, counted from 0, a macro hands to the compiler's hint, itself or through another."""
        if name == "__builtin_expect":
            return 0
        places = set()
        hints = False
        for macro in self.named(name) if depth else ():
            if macro.parameters:
                is_hint, place = self._expected(macro, depth)
                hints = hints or is_hint
                places.add(place)
        return places.pop() if hints and len(places) == 1 else None

    def _expected(self, macro: r.Macro, depth: int) -> tuple[bool, int | None]:
        """Whether a body is a hint, and the place of the parameter that it is, as it is or in a hint."""
        parameters = macro.parameters or ()
        body = macro.body.strip("() \t\n\\")
        called, opens, rest = body.partition("(")
        is_call = bool(opens) and called.strip().isidentifier()
        if is_call and called.strip() != macro.name:
            inner = self._expects(called.strip(), depth - 1)
            arguments = rest.split(",")
            body = arguments[inner] if inner is not None and inner < len(arguments) else ""
        value = _TO_TRUTH.sub("", body)
        return is_call, parameters.index(value) if value in parameters else None

    def _annotates(self, macro: r.Macro) -> str:
        """`#define HELD_BY(m) __attribute__((guarded_by(m)))`: the attribute's role, also through another macro."""
        for word in _WORD.findall(macro.body) if "(" in macro.body else ():
            model = self._models.macro(word)
            if model is not None and model.role in _OF_LOCKS:
                return model.role
        return ""

    def _learn_one(self, macro: r.Macro, depth: int) -> str:
        """A macro whose body leaves the function under a condition returns on failure; when it also
        assigns to one of its parameters, it assigns or returns."""
        body = _own_text(macro)
        assigns = not {p for p in macro.parameters or () if p != "..."}.isdisjoint(_ASSIGNED.findall(body))
        if LEAVES.search(body) and _CONDITIONAL.search(body):
            return "assign or return" if assigns else "return on failure"
        if _ABORTS.search(body) and _CONDITIONAL.search(body):
            return "check"
        if _CATCHES.search(body):
            return ""  # what it is given is to throw, or must not; nothing of it is tested
        for inner in dict.fromkeys(_CALLED.findall(body)):
            role = self._means(inner, depth + 1) if _MACRO_CALL.match(f"{inner}(") or self.named(inner) else ""
            if role in ("return", "leave") and _CONDITIONAL.search(body):
                return "return on failure"
            if role == "end" and _CONDITIONAL.search(body):
                return "check"
            if role == "assert" and _does_more(macro, inner):
                continue
            if role in ("return on failure", "assign or return", *_TESTS):
                return role
        return ""

    def _denies(self, macro: r.Macro, depth: int) -> bool:
        """Whether the body, or the macro that it stands for, does something where what it is given does not hold."""
        if _DENIAL.match(macro.body):
            return True
        other = _WHOLE_CALL.match(macro.body) if depth < _DEEP else None
        return other is not None and any(self._denies(one, depth + 1) for one in self.named(other[1]))

    def _always_evaluates(self, defined: list[r.Macro], depth: int) -> bool:
        """Whether `#define`s of a macro evaluate what they are given, whatever the build."""
        written = [macro for macro in defined if macro.parameters is not None]
        return bool(written) and depth < _DEEP and all(self._evaluates(macro, depth) for macro in written)

    def _evaluates(self, macro: r.Macro, depth: int) -> bool:
        """Whether the body evaluates a parameter, and so does each macro of the project that it uses."""
        inner = (self.named(one) for one in dict.fromkeys(_CALLED.findall(macro.body)) if one != macro.name)
        return (
            _hands_on(macro)
            and not _vanishes(macro)
            and self._learn_one(macro, depth) != "assert"
            and all(self._always_evaluates(one, depth + 1) for one in inner if one)
        )

    def _does_nothing(self, macro: r.Macro, depth: int) -> bool:
        """Whether the body runs nothing of what it is given, by itself or because it is the call of such a macro."""
        if _vanishes(macro):
            return True
        whole = _WHOLE_CALL.match(macro.body)
        inner = self.named(whole[1]) if whole is not None and depth < _DEEP and not _does_more(macro, whole[1]) else []
        return bool(inner) and all(one.parameters is not None and self._does_nothing(one, depth + 1) for one in inner)

    def _only_evaluates(self, macro: r.Macro, depth: int) -> bool:
        """Whether the body evaluates the first parameter and does nothing else: `((void)(x))`."""
        if not macro.parameters:
            return False
        body = _NEVER_RUN.sub("", macro.body)
        bare = _TO_VOID.sub("", body)
        first = "__VA_ARGS__" if macro.parameters[0] == "..." else macro.parameters[0]
        if bare == first:
            return True
        whole = _WHOLE_CALL.match(body)
        inner = self.named(whole[1]) if whole is not None and depth < _DEEP and bare == whole[1] + first else []
        return bool(inner) and all(self._only_evaluates(one, depth + 1) for one in inner)

    def _discards(self, macro: r.Macro) -> bool:
        """Whether the body evaluates its only parameter and casts what that answers to void, on the spot or by a
        local."""
        parameters = macro.parameters or ()
        if len(parameters) != 1 or "void" not in macro.body:
            return False
        if self._only_evaluates(macro, 0):
            return True
        kept = _KEPT_AND_DROPPED.fullmatch(_NEVER_RUN.sub("", macro.body))
        return kept is not None and kept["value"] == ("__VA_ARGS__" if parameters[0] == "..." else parameters[0])

    def _stays(self, macro: r.Macro) -> bool:
        """Whether the body leaves nothing: neither it nor any macro that it may use."""
        body = QUOTED.sub("", macro.body)
        words = [word for word in _NAME.findall(body) if word not in (macro.parameters or ())]
        known = not any(_LIKE_MACRO.fullmatch(word) or self.named(word) for word in words)
        return known and len(body) < _LONGEST and not _vanishes(macro) and LEAVES.search(body) is None

    def constants(self, name: str) -> set[str]:
        """What macros of that name without parameters stand for, as written."""
        return {macro.body for macro in self.named(name) if macro.parameters is None}


def _own_text(macro: r.Macro) -> str:
    """The body without what stands in strings and in lambdas, and without the jumps to labels of its own."""
    body = QUOTED.sub('""', _without_lambdas(macro.body))
    return _JUMP.sub(lambda jump: " " if _is_label(jump[1], body) else jump[0], body)


def _is_label(name: str, body: str) -> bool:
    """Whether the label of a jump stands in the same body."""
    after = (part.lstrip() for part in body.split(name)[1:])
    return any(part[:1] == ":" and part[:2] != "::" for part in after)


def _without_lambdas(body: str) -> str:
    """A macro's body but for those of the lambdas in it: what returns from them stays in the macro."""
    while (found := _LAMBDA.search(body)) is not None:
        depth, at = 1, found.end()
        while at < len(body) and depth:
            depth += {"{": 1, "}": -1}.get(body[at], 0)
            at += 1
        body = body[: found.start()] + " " + body[at:]
    return body


def _vanishes(macro: r.Macro) -> bool:
    return _NOTHING.fullmatch(macro.body) is not None


def _hands_on(macro: r.Macro) -> bool:
    """Whether the body evaluates a parameter."""
    names = {p.rstrip(".") or "__VA_ARGS__" for p in macro.parameters or ()}
    return not names.isdisjoint(_NAME.findall(_UNEVALUATED.sub("", macro.body)))


def _defers(macro: r.Macro) -> bool:
    """Whether the body declares something by a lambda, and evaluates its parameters in there alone: a scope guard."""
    if not _hands_on(macro) or _LAMBDA.search(macro.body) is None:
        return False
    outside = _without_lambdas(macro.body)
    names = {p.rstrip(".") or "__VA_ARGS__" for p in macro.parameters or ()}
    return _DECLARES.match(outside) is not None and names.isdisjoint(_NAME.findall(outside))


def _does_more(macro: r.Macro, inner: str) -> bool:
    """Whether a macro that asserts evaluates a parameter elsewhere, too."""
    opening = next((call for call in _CALLED.finditer(macro.body) if call[1] == inner), None)
    if opening is None:
        return False
    depth, at = 1, opening.end()
    while at < len(macro.body) and depth:
        depth += {"(": 1, ")": -1}.get(macro.body[at], 0)
        at += 1
    return _hands_on(r.Macro(0, 0, macro.name, macro.parameters, macro.body[: opening.start()] + macro.body[at:]))


def _handed_to(macro: r.Macro) -> str:
    """The one name in the body, given all the parameters in order where there are any."""
    body = "".join(macro.body.split())
    if macro.parameters is None:
        return body if _NAME.fullmatch(body) and not body[:1].isdigit() else ""
    name, _, given = body.strip("()").partition("(")
    handed = given.replace("(", "").replace(")", "").split(",")
    named = ["__VA_ARGS__" if one == "..." else one for one in macro.parameters]
    return name if _NAME.fullmatch(name) and handed == named and named else ""


def _answering(body: str) -> str:
    """The name that is called in an expression that is one call, whatever it is cast to, as `answering` says it."""
    inner = body.strip()
    while True:
        cast = _CAST.match(inner)
        if cast is not None:
            inner = inner[cast.end() :]
        elif inner.startswith("(") and _end_of_call(inner, 0) == len(inner):
            inner = inner[1:-1].strip()
        else:
            break
    called = _CALL.match(inner)
    if called is None or _end_of_call(inner, called.end() - 1) != len(inner):
        return ""
    return f".{called[2]}" if called[1] else called[2]


def _end_of_call(text: str, opening: int) -> int:
    """Where the parenthesis ends that opens there; 0 where it does not."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at + 1
    return 0


def _only_asked(macro: r.Macro) -> bool:
    """Whether a macro evaluates what it is given only where it has asked for the level of a log:
    `{ if (trace) log(#call); Result = (call); }` runs the call in any case."""
    asks = _LEVEL_TEST.match(macro.body)
    if asks is None:
        return False
    rest = _UNEVALUATED.sub(" ", macro.body[_end_of_statement(macro.body, asks.end()) :])
    given = {*(macro.parameters or ()), "__VA_ARGS__"}
    return given.isdisjoint(_ANY_WORD.findall(rest))


def _asks_once(macro: r.Macro, index: int) -> bool:
    """Whether a macro names a parameter once, but for its text in a message."""
    if macro.parameters is None or index >= len(macro.parameters):
        return _vanishes(macro)
    return _NAME.findall(_UNEVALUATED.sub(" ", macro.body)).count(macro.parameters[index]) == 1


def _end_of_statement(body: str, start: int) -> int:
    """Where the statement or the block ends that begins there."""
    depth = 0
    for at in range(start, len(body)):
        depth += (body[at] in "({") - (body[at] in ")}")
        if depth < 0 or (depth == 0 and body[at] in ";}"):
            return at + 1
    return len(body)
