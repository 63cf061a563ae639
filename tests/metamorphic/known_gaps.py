"""Rewrites that are known to change what is found, with the reason. One that is closed fails its test.

`MENDED` are some that once changed it, one or more of each kind: they are run whatever the sample is.
"""

from __future__ import annotations

_ASSIGNED = "a name that a module gives to an import by an assignment is not followed from here: imports alone are"
_BLOCK = "a guard that is dropped alone in a block of its own is read as meant: whoever was inside has left then"
_THIS = "`this->x_` and `x_` are not yet one place for what this rule asks"
_TYPE_ALONE = "a type in capitals alone on its line is read as a macro"

_BY_LINE = "which rule of two speaks is settled by the line, and here all stands on one"
_FIRST = "a pair of places is told at the first of them, which is the other one then"
_SPLIT_MACRO = "a macro that opens a namespace is known by its line, which holds its name and what it is given"

EVERY = "*"
"""Stands for every case of the page."""

_OTHER_FILE = "not the same: another file, or a string, gives the parameter by its name"
_TRUTHS = "The truth values of a header that is out of sight"
_SWITCHED_OFF = "Donation that is switched off, refused or expected to fail"
_NAMESPACES = "A namespace that macros open and close"

GAPS: dict[tuple[str, str, str], str] = {
    (
        "cpp-locals-renamed-at-length",
        "guard-removed",
        "The constructor checks it since the change: the innocent twin",
    ): ("two checks are one by their text, which is cut off where it is long"),
    ("cpp-line-comments-between-tokens", "check-then-act-across-locks", "Locks of Qt and of Windows"): _TYPE_ALONE,
    ("cpp-a-token-a-line", "check-then-act-across-locks", "Locks of Qt and of Windows"): _TYPE_ALONE,
    ("cpp-statements-in-blocks", "discarded-lock-guard", EVERY): _BLOCK,
    ("cpp-statements-in-do-while", "discarded-lock-guard", EVERY): _BLOCK,
    ("cpp-statements-under-if-true", "discarded-lock-guard", EVERY): _BLOCK,
    (
        "cpp-written-this",
        "registry-entry-left-behind",
        "The destructor leaves early for a reason that has nothing to do with the registry",
    ): _THIS,
    ("cpp-written-this", "discarded-status", "The object keeps the outcome and tells of it"): _THIS,
    ("cpp-methods-reversed", "lock-order-reversed", "Two methods of one class"): _FIRST,
    ("cpp-methods-reversed", "lock-order-reversed", "With types"): _FIRST,
    ("cpp-methods-reversed", "validity-check-skipped", "A check that nobody makes"): _FIRST,
    ("cpp-functions-declared-first", "lock-order-reversed", "By hand, and in a branch"): _FIRST,
    ("cpp-functions-declared-first", "lock-order-reversed", "C, with a lock in a struct"): _FIRST,
    ("cpp-functions-declared-first", "lock-order-reversed", "Locks behind accessors"): _FIRST,
    ("cpp-functions-declared-first", "environment-read-repeatedly", "Two functions read one variable"): _FIRST,
    ("cpp-functions-declared-first", "environment-read-repeatedly", "It is read and taken away"): _FIRST,
    ("cpp-one-line", "destructor-misses-handle", "One bug, one finding"): _BY_LINE,
    ("cpp-comments-between-tokens", "new-reference-unowned", _NAMESPACES): _SPLIT_MACRO,
    ("cpp-line-comments-between-tokens", "new-reference-unowned", _NAMESPACES): _SPLIT_MACRO,
    ("cpp-a-token-a-line", "new-reference-unowned", _NAMESPACES): _SPLIT_MACRO,
    ("cpp-spliced-lines", "new-reference-unowned", _NAMESPACES): _SPLIT_MACRO,
    ("cpp-line-comments-between-tokens", "reference-leaked", _TRUTHS): _TYPE_ALONE,
    ("python-renamed-parameters", "stale-after-transformation", "Through functions and methods"): _OTHER_FILE,
    ("python-renamed-parameters", "use-after-donation", "Through a package that re-exports it"): _OTHER_FILE,
    ("python-renamed-parameters", "use-after-erase", "Functions of the project"): _OTHER_FILE,
    ("cpp-comments-between-tokens", "reference-leaked", _TRUTHS): _TYPE_ALONE,
    ("cpp-a-token-a-line", "reference-leaked", _TRUTHS): _TYPE_ALONE,
    ("cpp-spliced-lines", "reference-leaked", _TRUTHS): _TYPE_ALONE,
    ("python-imports-assigned", "address-outlives-owner", "Everything under another name"): _ASSIGNED,
    ("python-imports-assigned", "child-outlives-owner", "A bound class under another name"): _ASSIGNED,
    ("python-imports-assigned", "use-after-erase", "Functions of the project"): _ASSIGNED,
    ("python-imports-assigned", "callback-not-kept", "The type and the library come from another file"): _ASSIGNED,
    ("python-names-for-modules", "callback-not-kept", "The type and the library come from another file"): (
        "a library that a function of another file opens under a renamed import is not known as one"
    ),
    ("python-renamed-imports", "cdata-owner-dropped", "A co-owner is dropped"): (
        "the maker of a library is known by its usual name, `ffi`"
    ),
    ("python-renamed-imports", "use-after-erase", "Operations in an annotated sequence"): (
        "a renamed generic (`Sequence as S`) is not read as a sequence in an annotation"
    ),
}

MENDED = {
    ("cpp-declared-then-assigned", "borrowed-in-owning-container", "What a getter answers"),
    ("cpp-declared-then-assigned", "cast-under-wrong-policy", "A new object that nobody deletes"),
    ("cpp-declared-then-assigned", "element-used-after-change", "An element is used after its container changed"),
    ("cpp-declared-then-assigned", "handle-leaked", "The callee closes it when it fails"),
    ("cpp-functions-declared-first", "handle-never-released", "A helper makes it, a helper would free it"),
    ("cpp-functions-declared-first", "handle-leaked", "Handed out by the project's own functions"),
    ("cpp-global-scope", "unguarded-registry-insert", "A key that lives as long as the program"),
    ("cpp-initialised-in-braces", "validity-check-skipped", "The handle goes through a local first"),
    ("cpp-literals-first", "reference-leaked", "A flag says what has happened"),
    ("cpp-no-last-newline", "python-outlives-interpreter", "A module's function with trampolines inside"),
    ("cpp-parentheses-round-operands", "copyable-owner", "A copy that the compiler is told to write"),
    ("cpp-renamed-locals", "failure-swallowed", "An outcome that is true when it worked"),
    ("cpp-spliced-lines", "unlocked-lazy-init", "A function's own flag"),
    ("cpp-wide-blanks", "unlocked-lazy-init", "A function's own static that is a bare pointer"),
    ("cpp-written-this", "copyable-owner", "It is copied under another name, or its copies are counted"),
    ("cpp-written-this", "copyable-owner", "One source file knows the class, and copies it"),
    ("python-a-token-a-line", "used-after-close", "The environment of a database"),
    ("python-a-token-a-line", "used-after-storage-freed", "Across functions"),
    ("python-a-token-a-line", "wrapper-identity", "Regions as keys"),
    ("python-modules-for-names", "use-after-erase", "Functions of the project"),
    ("python-other-quotes", "stored-argument-dropped", "A bus that keeps a pointer to its sink, in pybind11"),
    ("python-parentheses-round-arguments", "wrapper-identity", "`id()`"),
    ("python-parentheses-round-called", "recorded-input-rebound", "In one function, and across methods"),
    ("python-parentheses-round-called", "started-and-dropped", "Locals and temporaries"),
    ("python-parentheses-round-called", "used-after-close", "Generators"),
    ("python-parentheses-round-receivers", "wrapper-identity", "Regions as keys"),
    ("python-renamed-locals", "wrapper-identity", "Regions as keys"),
    ("python-statements-in-null-context", "use-after-donation", _SWITCHED_OFF),
}
