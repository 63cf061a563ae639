"""What names refer to: imports, definitions and plain aliases, by Python's own scopes.

A dotted chain that is read somewhere waits in its scope until the scope ends, since only then is it
known which names are local. What is not bound there is handed to the enclosing function, and in the
end to the module. A name with two different bindings refers to nothing, except where the code itself
says that they stand for each other: a second import, `x = None`, a binding in an `except` block.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ownlint.facts.records import Meaning
from ownlint.frontends.python import spreads

_BUILTINS = frozenset(dir(builtins))
_MOST_ALIASES = 8


class AttributeChain(NamedTuple):
    """`root.a.b` as read somewhere; `start` and `end` are the bytes of the root, `tokens` are the names after it.

    `prefix` is what an alias puts between the root and the first token."""

    root: str
    start: int
    end: int
    tokens: tuple[tuple[int, int, str], ...]
    prefix: tuple[str, ...] = ()
    declared: tuple[int, int] | None = None
    """The bytes of the name that is declared to have this type."""
    many: bool = False
    """The name stands for a sequence of such objects."""


class AttributeAlias(NamedTuple):
    """`name = root.a.b`."""

    root: str
    path: tuple[str, ...]


class Symbol(NamedTuple):
    """`imported` or defined here."""

    name: str
    imported: bool


class Weak(NamedTuple):
    """`name = None`: any other binding wins."""


Bound = Symbol | AttributeAlias | Weak | None
"""`None`: bound to something of which nothing is known."""


@dataclass(slots=True)
class Owner:
    """The class whose methods are being read."""

    dotted: str
    methods: frozenset[str]
    fields: dict[str, tuple[int, int, str, bool]] = field(default_factory=dict)
    """Name to start, end, annotation, and whether it belongs to the class itself; in order of appearance."""

    def declare(self, name: str, start: int, end: int, type_: str, static: bool) -> None:
        known = self.fields.get(name)
        if known is None:
            self.fields[name] = (start, end, type_, static)
        elif type_ and not known[2]:
            self.fields[name] = (known[0], known[1], type_, known[3])


@dataclass(slots=True)
class PythonScope:
    kind: Literal["module", "class", "function"]
    index: int
    """Of its `Function` record."""
    dotted: str
    outer: PythonScope | None = None
    owner: Owner | None = None
    """For a class the class itself, for anything else the class that `self_name` is an instance of."""
    self_name: str = ""
    bound: dict[str, Bound] = field(default_factory=dict)
    pending: list[AttributeChain] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    mentions: set[str] = field(default_factory=set)
    handlers: int = 0
    """How many `except` blocks are open."""
    generator: bool = False
    opaque: bool = False
    node: ast.AST | None = None
    """Of a function."""
    _spread: dict[str, spreads.Keywords] | None = None

    def keywords(self, spread: ast.expr) -> spreads.Keywords | None:
        """Those of a dict that a call spreads out, where they are known."""
        if not isinstance(spread, ast.Name) or self.node is None:
            return spreads.shown(spread)
        if self._spread is None:
            self._spread = spreads.constant(self.node)
        return self._spread.get(spread.id)

    @property
    def enclosing(self) -> PythonScope | None:
        """The scope that is asked next: Python skips classes."""
        scope = self.outer
        while scope is not None and scope.kind == "class":
            scope = scope.outer
        return scope

    def bind(self, name: str, to: Bound = None) -> None:
        scope = self._home(name)
        bound = scope.bound
        if name not in bound or type(bound[name]) is Weak:
            bound[name] = to
        elif bound[name] != to and not self._stands_in(bound[name], to):
            bound[name] = None

    def _stands_in(self, first: Bound, second: Bound) -> bool:
        """Both bindings are meant to be used alike, and the first says it all."""
        if isinstance(second, Weak):
            return True
        if not isinstance(first, Symbol) or not first.imported:
            return False
        return self.handlers > 0 or (isinstance(second, Symbol) and second.imported)

    def _home(self, name: str) -> PythonScope:
        scope = self
        if name in self.nonlocals:
            return self.enclosing or self
        while name in self.globals and scope.outer is not None:
            scope = scope.outer
        return scope


class PythonNames:
    """Collects the meanings of one file."""

    def __init__(self, module: str) -> None:
        self.prefix = f"{module}." if module else ""
        self.stars = False
        """The file has a star import, from which unbound names may come."""
        self._symbols: dict[tuple[int, int], str] = {}
        self._types: dict[tuple[int, int], str] = {}

    def defined(self, scope: PythonScope, name: str) -> Symbol:
        inner = f"{scope.dotted}.{name}" if scope.dotted else name
        return Symbol(self.prefix + inner, imported=False)

    def close(self, scope: PythonScope) -> None:
        """The scope has been read to its end."""
        outer = scope.enclosing
        module = scope
        while module.outer is not None:
            module = module.outer
        bound = scope.bound
        elsewhere = scope.globals | scope.nonlocals
        for chain in scope.pending:
            if chain.root in bound or chain.root in elsewhere or outer is None:
                self._settle(chain, scope, outer, module)
            else:  # the most frequent case
                outer.pending.append(chain)
        scope.pending.clear()

    def _settle(
        self, chain: AttributeChain, scope: PythonScope, outer: PythonScope | None, module: PythonScope
    ) -> None:
        for _ in range(_MOST_ALIASES):
            if chain.root in scope.globals and scope is not module:
                module.pending.append(chain)
                return
            if chain.root not in scope.bound or chain.root in scope.nonlocals:
                self._hand_over(chain, scope, outer)
                return
            to = scope.bound[chain.root]
            if isinstance(to, Symbol):
                self._say(to.name, chain)
                return
            if not isinstance(to, AttributeAlias):
                self._own_method(chain, scope)
                return
            chain = chain._replace(root=to.root, prefix=to.path + chain.prefix)

    def _hand_over(self, chain: AttributeChain, scope: PythonScope, outer: PythonScope | None) -> None:
        if outer is not None:
            outer.pending.append(chain)
        elif chain.root in _BUILTINS:
            self._say(f"builtins.{chain.root}", chain)
        elif self.stars:
            self._say(f"*.{chain.root}", chain)

    def _own_method(self, chain: AttributeChain, scope: PythonScope) -> None:
        """`self.method`, where the class defines it."""
        owner = scope.owner
        if owner is None or chain.root != scope.self_name or not chain.tokens or chain.prefix:
            return
        start, end, name = chain.tokens[0]
        if name in owner.methods:
            self._symbols.setdefault((start, end), f"{self.prefix}{owner.dotted}.{name}")

    def _say(self, symbol: str, chain: AttributeChain) -> None:
        if chain.prefix:
            symbol = ".".join((symbol, *chain.prefix))
        self._symbols.setdefault((chain.start, chain.end), symbol)
        for start, end, name in chain.tokens:
            symbol = f"{symbol}.{name}"
            self._symbols.setdefault((start, end), symbol)
        if chain.declared is not None:
            self._types.setdefault(chain.declared, symbol + "[]" * chain.many)

    def meanings(self) -> tuple[Meaning, ...]:
        """Sorted; the type of a declared name is the dotted name of its annotation, `T[]` for a sequence of `T`."""
        symbols, types = self._symbols, self._types
        for place in types:
            symbols.setdefault(place, "")
        return tuple([Meaning(*place, symbol, types.get(place, "")) for place, symbol in sorted(symbols.items())])
