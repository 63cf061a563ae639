"""What Python's own functions and containers do with what they are given: said once, for every engine that runs Python.

By name alone: a project's own `append` is taken for the list's unless its body is at hand. Source: the language's
library reference, "Built-in Functions", "Built-in Types", `collections`, `queue`.
"""

ADDS_ONE = frozenset({"append", "add", "insert", "appendleft", "setdefault", "put"})
"""Methods of containers that keep what they are given."""
ADDS_MANY = frozenset({"extend", "update", "extendleft"})
"""Those that keep the elements of what they are given."""
TAKES_ONE = frozenset({"pop", "get", "popleft", "setdefault", "__getitem__"})
"""Those that answer an element."""
REMOVES = frozenset({"pop", "popleft", "popitem", "remove", "discard", "clear"})
"""Those after which an element is not in any more."""

COLLECTS = frozenset({"list", "tuple", "sorted", "set", "frozenset", "deque", "reversed"})
"""Functions that make a container of the elements of another."""
FOLDS = frozenset(
    {"sum", "min", "max", "any", "all", "Counter", "fsum", "mean", "fmean", "median", "stdev", "quantiles"}
)
"""Functions that go through what they are given for one answer."""
LAZY = frozenset({"iter", "filter", "enumerate", "zip"})
"""Functions that hand elements on one by one, later."""
LOOKS_AT_NOTHING = frozenset({"isinstance", "issubclass", "type", "id", "callable", "bool", "super", "del"})
"""Functions that see the Python object and not what it points to."""
SHOWS = frozenset({"str", "repr", "print", "format", "ascii"})
PRINTS = SHOWS | {"len", "hash", "int", "float", "bytes", "memoryview"}
READS = PRINTS | {"hasattr", "setattr", "dir", "vars", "sum", "any", "all", "map", "assert", "range", "round", "abs"}
"""Functions that look at what they are given, and keep nothing of it."""
KEEPS_KEYWORDS = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
"""Classes whose objects have their keyword arguments for attributes."""
