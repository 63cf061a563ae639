"""What Python makes of a text: which words it is compared with, what number, list or path it becomes, and what stands
for it where it is missing.

A text is followed through methods that give it on, locals, attributes of the object, variables of the module in its
own file, and parameters of the project's functions. That it is stored elsewhere, or handed to a function that is not
known, says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Function, Program, bodies, patterns, places, python_calls, text
from ownlint import records as r
from ownlint_rules.hygiene import _text_meanings as meanings
from ownlint_rules.hygiene._text_meanings import TextMeaning

_DEEP = 3
"""So many calls a text is followed into."""
_MOST_USES = 400
"""Of one text."""

_SAME = frozenset(
    {"lower", "upper", "casefold", "strip", "lstrip", "rstrip", "title", "capitalize", "encode", "decode"}
)
"""Methods of a text that give it on."""
_LISTS = frozenset({"split", "rsplit"})
_TEXTS = frozenset({"builtins.str", "typing.cast", "os.path.expanduser", "os.path.expandvars", "sys.intern"})
"""What gives a text on that it is called with."""
_ABSENT = frozenset({"", "none", "null", "unset", "undefined", "unknown", "n/a", "not set"})
"""Defaults that say that there is none."""
_IS_NOT = ("!=", "is not", "not in")

_TRUTHS = frozenset({(">", "0"), ("<=", "0"), ("==", "1"), (">=", "1"), ("<", "1")})
"""Comparisons that ask a number whether it is on. The first of several is asked for by `== 0`."""

State = OneOf["text", "number"]


class MissingText(NamedTuple):
    """What stands for a missing text: another text, or what the whole function answers (`is_answer`; `is_turned` where
    that is false of one of the words)."""

    scope: Function
    value: r.Value
    is_answer: bool = False
    is_turned: bool = False


class TextUse:
    """What is made of one text, or of several that are one."""

    def __init__(self) -> None:
        self.forms: set[TextMeaning] = set()
        self.words: set[str] = set()
        self.missing: list[MissingText] = []
        self.answers: set[str] = set()
        """What the function returns of it: `text`, `number`, `true` of one of the words, or `false`."""
        self.is_asked = False
        """Whether there is one."""
        self.is_truth = False
        """That is asked by `if text`, for which an empty one is none."""
        self.is_used = False
        """As it is: stored, returned, given to what is not known."""
        self.is_shown = False
        """In a log or an error."""
        self.is_switch = False
        self.is_value = False
        """Of the number: as on or off, or as such."""
        self.may_be_none = False
        """A missing one is None, without a default."""

    def add(self, other: TextUse) -> None:
        """What else is made of it; not what is returned."""
        self.forms |= other.forms
        self.words |= other.words
        self.missing += other.missing
        self.is_asked |= other.is_asked
        self.is_truth |= other.is_truth
        self.is_used |= other.is_used
        self.is_shown |= other.is_shown
        self.is_switch |= other.is_switch
        self.is_value |= other.is_value
        self.may_be_none |= other.may_be_none

    @property
    def is_only_shown(self) -> bool:
        return self.is_shown and not (self.is_used or self.is_asked or self.forms or self.words)


class PythonBody:
    """The expressions of a body, each with what it is part of."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.parents: dict[int, r.Value] = {}
        self.tops: dict[int, r.Statement] = {}
        self.every: list[r.Value] = []
        self.statements = function.statements
        for statement in self.statements:
            for top in bodies.values(statement):
                self.tops[id(top)] = statement
                for value in places.walk(top):
                    self.every.append(value)
                    for part in places.children(value):
                        self.parents[id(part)] = value

    def is_target(self, value: r.Value) -> bool:
        parent = self.parents.get(id(value))
        return isinstance(parent, r.Assign) and parent.target is value


class PythonTexts:
    """What the functions of a program make of texts."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.model = program.models.environment
        self.code = python_calls.of(program)
        self._bodies: dict[Function, PythonBody] = {}
        self._parameters: dict[tuple[Function, str], TextUse] = {}

    def body(self, function: Function) -> PythonBody:
        if function not in self._bodies:
            self._bodies[function] = PythonBody(function)
        return self._bodies[function]

    def of_value(self, function: Function, value: r.Value, state: State = "text") -> TextUse:
        """What is made of the text, or the number, that an expression gives."""
        walk = _TextWalk(self, 0)
        walk.follow(self.body(function), value, state)
        walk.answered_instead(self.body(function), {id(value)})
        return walk.use

    def of_parameter(self, function: Function, name: str, depth: int) -> TextUse:
        key = (function, name)
        if key not in self._parameters:
            self._parameters[key] = TextUse()  # of what calls itself nothing is known on the way
            walk = _TextWalk(self, depth)
            walk.hold(self.body(function), name, "text")
            self._parameters[key] = walk.use
        return self._parameters[key]

    # --- the facts ---

    def meanings(self, use: TextUse) -> Iterator[TextMeaning]:
        """The facts that two places are compared by."""
        words = use.words - _ABSENT
        is_number = not use.forms.isdisjoint({meanings.INTEGER, meanings.REAL})
        yield from use.forms
        if words:
            switches = words & meanings.SWITCHES
            is_form = is_number or ((switches == words or len(switches) > 1) and not use.is_used)
            yield meanings.one_of(words, is_form=is_form)
        if use.is_asked and not (words or use.forms or use.is_used or use.is_shown):
            yield meanings.PRESENCE
            yield meanings.LOOSE  # where the other place is in C++, which may take an empty text for a missing one
        if use.is_asked:
            yield meanings.ASKED
        if use.is_truth:
            yield meanings.LOOSE
        is_switch = use.is_switch and not use.is_value and use.forms <= {meanings.INTEGER}
        if use.forms and not is_switch:
            yield meanings.VALUE
        if words and not is_number:
            yield from self._when_missing(use, words)
        elif use.is_used or use.forms:
            yield from self._fallbacks(use, is_number)

    def _when_missing(self, use: TextUse, words: set[str]) -> Iterator[TextMeaning]:
        if use.may_be_none and not use.missing and not use.is_asked:
            yield TextMeaning("unset", "none of them")
        for one in use.missing:
            said = self.constant(one.value, one.scope)
            if said is None:
                continue
            if one.is_answer and said not in ("true", "false"):
                continue
            is_one = (said == "true") != one.is_turned if one.is_answer else said in words
            yield TextMeaning("unset", "one of them" if is_one else "none of them")

    def _fallbacks(self, use: TextUse, is_number: bool) -> Iterator[TextMeaning]:
        for one in use.missing:
            said = self.constant(one.value, one.scope)
            if said is None and self._is_computed(one):
                yield TextMeaning("computed", text(one.value))
            if said is None or said in _ABSENT or (said == "false" and not is_number):
                continue
            if is_number:
                number = _number(said)
                if number and number != "-1":
                    yield TextMeaning("fallback", number)
            else:
                yield TextMeaning("fallback", said)

    @staticmethod
    def _is_computed(one: MissingText) -> bool:
        """Whether it is a call that says the same everywhere: `tempfile.gettempdir()`, `os.path.join(HOME, "x")`."""
        names = places.names_in(one.value)
        return isinstance(one.value, r.Call) and names.isdisjoint(one.scope.declared | {one.scope.itself})

    def constant(self, value: r.Value, function: Function) -> str | None:
        """A literal, or a name of one, without its quotes and in small letters."""
        found = self.code.value_of(value, function)
        match found.value if found is not None else None:
            case r.Literal(kind="str") as literal:
                return unquoted(literal).casefold()
            case r.Literal(kind="null"):
                return ""
            case r.Literal(text=text):
                return text.casefold()
            case r.Unary(op="-", value=r.Literal(kind="int" | "float", text=text)):
                return f"-{text}"
            case r.Call(callee=r.Name(text="str"), args=(only,)) if found is not None:
                return self.constant(only, found.scope)
        return None


class _TextWalk:
    """Follows one text through bodies."""

    def __init__(self, texts: PythonTexts, depth: int) -> None:
        self.texts = texts
        self.depth = depth
        self.use = TextUse()
        self._left = _MOST_USES
        self._held: set[tuple[Function, str]] = set()

    # --- upwards from an expression ---

    def follow(self, body: PythonBody, value: r.Value, state: State) -> None:
        """What is done with an expression that is the text, or the number made of it."""
        self._left -= 1
        if self._left < 0:
            self.use.is_used = True
            return
        parent = body.parents.get(id(value))
        match parent:
            case None:
                self._at_top(body, value, state)
            case r.Assign(value=given) if given is value:
                self._assigned(body, parent, state)
            case r.Conditional(condition=condition, then=then, other=other):
                if condition is value:
                    self._ask(state)
                else:
                    self._instead(body, other if then is value else then)
                    self.follow(body, parent, state)
            case r.Binary(op="||" | "or", left=left, right=right) if left is value and not _decides(body, parent):
                self._instead(body, right)
                self.follow(body, parent, state)
            case r.Binary(op="&&" | "and" | "||" | "or", left=left):
                if left is value:
                    self._ask(state)
                if left is not value or parent.op in ("||", "or"):
                    self.follow(body, parent, state)
            case r.Unary(op="!" | "not"):
                self._ask(state)
            case r.Unary():
                self._plain(state)
            case r.Binary():
                self._compared(body, parent, value, state)
            case r.Pair():
                call = body.parents.get(id(parent))
                if isinstance(call, r.Call):
                    self._argument(body, call, value, state)
                else:
                    self._plain(state)
            case r.Call(callee=callee) if callee is not value:
                self._argument(body, parent, value, state)
            case r.Member(name=name):
                self._method(body, parent, name, state)
            case r.Aggregate(kind="fstring" | "tuple" | "list"):
                self._carried(body, parent, state)
            case _:
                self._plain(state)

    def _ask(self, state: State) -> None:
        if state == "number":
            self.use.is_switch = True
        else:
            self.use.is_asked = self.use.is_truth = True

    def _plain(self, state: State) -> None:
        if state == "number":
            self.use.is_value = True
        else:
            self.use.is_used = True

    def _carried(self, body: PythonBody, value: r.Value, state: State) -> None:
        """What is part of another text goes into a log or an error, or anywhere."""
        current: r.Value | None = value
        while current is not None:
            if isinstance(current, r.Call) and places.last_name(current.callee) in self.texts.model.shows:
                self.use.is_shown = True
                return
            top = body.tops.get(id(current))
            if isinstance(top, r.Leave) and top.kind == "throw":
                self.use.is_shown = True
                return
            current = body.parents.get(id(current))
        self._plain(state)

    def _at_top(self, body: PythonBody, value: r.Value, state: State) -> None:
        match body.tops.get(id(value)):
            case r.Branch() | r.Loop(kind="while"):
                self._ask(state)
            case r.Leave(kind="return"):
                self.use.answers.add(state)
                self._plain(state)
            case r.Leave(kind="throw"):
                self.use.is_shown = True
            case r.Switch(cases=cases) if state == "text":
                for case in cases:
                    self.use.words |= {unquoted(one).casefold() for one in case.values if isinstance(one, r.Literal)}
            case r.Evaluate() | None:
                pass
            case _:
                self._plain(state)

    def _method(self, body: PythonBody, member: r.Member, name: str, state: State) -> None:
        call = body.parents.get(id(member))
        if not isinstance(call, r.Call) or call.callee is not member or state == "number":
            self._plain(state)
        elif name in _SAME:
            self.follow(body, call, state)
        elif name in _LISTS:
            parted = self.texts.constant(call.args[0], body.function) if call.args else " "
            self.use.forms.add(TextMeaning("form", "a list" if parted is None else f"a list parted by `{parted}`"))
        else:
            self.use.is_used = True

    def _compared(self, body: PythonBody, value: r.Binary, part: r.Value, state: State) -> None:
        other = value.right if value.left is part else value.left
        if state == "number":
            if (value.op, self.texts.constant(other, body.function)) in _TRUTHS and value.left is part:
                self.use.is_switch = True
            else:
                self.use.is_value = True
                self._instead_scaled(body, value, part)
        elif value.op in ("is", "is not", "==", "!=") and isinstance(other, r.Literal) and other.kind == "null":
            self.use.is_asked = True
        elif value.op in ("==", "!=", "in", "not in") and (value.left is part or value.op in ("==", "!=")):
            words = self._words(body, other)
            if words is None:
                self.use.is_used = True
            else:
                self.use.words |= words
                if words <= {""}:
                    self.use.is_asked = True
                self._decided(body, value, is_true=value.op not in _IS_NOT)
        else:
            self._carried(body, value, state)

    def _words(self, body: PythonBody, value: r.Value) -> set[str] | None:
        found = self.texts.code.value_of(value, body.function)
        match found.value if found is not None else None:
            case (
                r.Aggregate(kind="tuple" | "list" | "set", items=items)
                | r.Call(callee=r.Name(text="frozenset" | "set" | "tuple"), args=(r.Aggregate(items=items),))
            ) if found is not None:
                known = [self.texts.constant(item, found.scope) for item in items]
                return {one for one in known if one is not None} if None not in known else None
            case r.Literal(kind="str") as literal:
                return {unquoted(literal).casefold()}
        return None

    def _decided(self, body: PythonBody, value: r.Value, is_true: bool) -> None:
        """Whether the function answers what a comparison says."""
        current: r.Value = value
        while (parent := body.parents.get(id(current))) is not None:
            match parent:
                case r.Unary(op="!" | "not"):
                    is_true = not is_true
                case r.Binary(op="&&" | "||" | "and" | "or") | r.Call(callee=r.Name(text="bool")):
                    pass
                case _:
                    return
            current = parent
        top = body.tops.get(id(current))
        if isinstance(top, r.Leave) and top.kind == "return":
            self.use.answers.add("true" if is_true else "false")

    def _argument(self, body: PythonBody, call: r.Call, value: r.Value, state: State) -> None:
        model, function = self.texts.model, body.function
        symbol = self.texts.program.names.named(function.file, call.callee)
        last = places.last_name(call.callee)
        if last in model.shows:
            self.use.is_shown = True
        elif last == "assert" or symbol in ("builtins.bool", "builtins.any", "builtins.all"):
            self._ask(state)
        elif symbol in _TEXTS:
            self.follow(body, call, state)
        elif symbol in model.parses or symbol in model.parses_real:
            self.use.forms.add(meanings.INTEGER if symbol in model.parses else meanings.REAL)
            self.follow(body, call, "number")
        elif state == "number":
            self.use.is_value = True
        elif symbol in model.parses_truth:
            self.use.words |= {"1", "true", "yes", "y", "t", "on", "0", "false", "no", "n", "f", "off"}
            self._decided(body, call, is_true=True)
        elif symbol in model.decodes:
            self.use.forms.add(TextMeaning("form", f"what `{symbol}` reads"))
        elif symbol in model.paths:
            self.use.forms.add(meanings.PATH)
            self.use.is_used = True
        else:
            self._given_on(body, call, value)

    def _given_on(self, body: PythonBody, call: r.Call, value: r.Value) -> None:
        code = self.texts.code
        found = False
        for target in code.functions_called(call, body.function) if self.depth < _DEEP else ():
            for name, given in code.given_parameters(call, body.function, target).values.items():
                if given is value:
                    inner = self.texts.of_parameter(target, name, self.depth + 1)
                    own = list(self.use.missing)
                    self.use.add(inner)
                    self.use.missing = own  # of a missing argument, which is another question
                    found = bool(inner.forms or inner.words)
        if not found:
            self._carried(body, call, "text")

    # --- names that hold it ---

    def _assigned(self, body: PythonBody, assign: r.Assign, state: State) -> None:
        if assign.op == ":=":
            self.follow(body, assign, state)
        match assign.target:
            case r.Name(text=name):
                self.hold(body, name, state)
            case r.Member(base=r.Name(text=base), name=name) if base and base == body.function.itself:
                self._hold_attribute(body.function, name, state)
            case _:
                self._plain(state)

    def hold(self, body: PythonBody, name: str, state: State) -> None:
        """All uses of a local, a parameter, or a variable of the module, in its own body and in those inside."""
        function = body.function
        if (function, name) in self._held:
            return
        self._held.add((function, name))
        self._instead_by_branch(body, name)
        self.answered_instead(body, set(), name)
        used = self._uses(body, name)
        if function.record.kind == "module":
            inner = [one for one in _functions_of(function) if one is not function]
        else:
            inner = list(self.texts.program.index.nested(function))
        said = patterns.AnyName({name})
        for one in inner:
            if one.says(said) and (one.record.kind == "class" or name not in one.declared):
                used += self._uses(self.texts.body(one), name)
        if not used and function.record.kind in ("module", "class"):
            self._plain(state)
        for where, value in used:
            self.follow(where, value, state)

    @staticmethod
    def _uses(body: PythonBody, name: str) -> list[tuple[PythonBody, r.Value]]:
        return [
            (body, value)
            for value in body.every
            if isinstance(value, r.Name) and value.text == name and not body.is_target(value)
        ]

    def _hold_attribute(self, function: Function, name: str, state: State) -> None:
        found = False
        said = patterns.AnyName({name})
        for method in function.home.methods if function.home is not None else ():
            if not method.says(said):
                continue
            body = self.texts.body(method)
            for value in body.every:
                match value:
                    case r.Member(base=r.Name(text=base), name=one) if one == name and base == method.itself:
                        if not body.is_target(value):
                            found = True
                            self.follow(body, value, state)
        if not found:
            self._plain(state)

    # --- what stands for a missing one ---

    def _instead(self, body: PythonBody, value: r.Value) -> None:
        self.use.missing.append(MissingText(body.function, value))

    def _instead_scaled(self, body: PythonBody, value: r.Binary, part: r.Value) -> None:
        """`int(given) / 1000 if given else DEFAULT / 1000`: the default goes through the same operation."""
        parent = body.parents.get(id(value))
        if isinstance(parent, r.Conditional) and parent.condition is not value:
            other = places.strip(parent.other if parent.then is value else parent.then)
            if isinstance(other, r.Binary) and other.op == value.op:
                mine, its = (value.right, other.right) if value.left is part else (value.left, other.left)
                if text(mine) == text(its):
                    self._instead(body, other.left if value.left is part else other.right)

    def _instead_by_branch(self, body: PythonBody, name: str) -> None:
        """`if value is None: value = default`."""
        for statement in body.statements:
            if isinstance(statement, r.Branch) and _asks_absence(statement.condition, set(), name):
                match statement.then:
                    case (r.Evaluate(value=r.Assign(target=r.Name(text=target), op="=", value=given)),) if (
                        target == name
                    ):
                        self._instead(body, given)

    def answered_instead(self, body: PythonBody, values: set[int], name: str = "") -> None:
        """`if value is None: return default`."""
        for statement in body.statements:
            if isinstance(statement, r.Branch) and _asks_absence(statement.condition, values, name):
                match statement.then:
                    case (r.Leave(kind="return", value=given),) if given is not None:
                        self.use.missing.append(MissingText(body.function, given, is_answer=True))


def _functions_of(function: Function) -> Iterator[Function]:
    """Those of the same file."""
    for index in range(len(function.file.functions)):
        found = function.program.index.function_at(function.file, index)
        if found is not None:
            yield found


def _asks_absence(condition: r.Value, values: set[int], name: str) -> bool:
    match condition:
        case r.Unary(op="!" | "not", value=asked) | r.Binary(op="is" | "==", left=asked, right=r.Literal(kind="null")):
            return id(asked) in values or (bool(name) and isinstance(asked, r.Name) and asked.text == name)
    return False


def _decides(body: PythonBody, value: r.Value) -> bool:
    """Whether an expression is a condition, or part of one."""
    parent = body.parents.get(id(value))
    while isinstance(parent, r.Binary) and parent.op in ("&&", "||", "and", "or"):
        value, parent = parent, body.parents.get(id(parent))
    if parent is None:
        return isinstance(body.tops.get(id(value)), (r.Branch, r.Loop))
    match parent:
        case r.Unary(op="!" | "not") | r.Call(callee=r.Name(text="bool" | "assert")):
            return True
        case r.Conditional(condition=condition):
            return condition is value
    return False


def unquoted(literal: r.Literal) -> str:
    text = literal.text.lstrip("bBrRuUfF") if literal.kind == "str" else literal.text
    for quotes in ('"""', "'''", '"', "'"):
        if text.startswith(quotes) and text.endswith(quotes) and len(text) >= 2 * len(quotes):
            return text[len(quotes) : -len(quotes)]
    return text


def _number(said: str) -> str:
    """A number as two places would spell it; empty for what is none."""
    try:
        return f"{float({'true': '1', 'false': '0'}.get(said, said)):g}"
    except ValueError:
        return ""
