"""Rewrites that are known to change what is found, with the reason. One that is closed fails its test."""

from __future__ import annotations

_ASSIGNED = "a name that a module gives to an import by an assignment is not followed from here: imports alone are"
_BLOCK = "a guard that is dropped alone in a block of its own is read as meant: whoever was inside has left then"
_THIS = "`this->x_` and `x_` are not yet one place for what this rule asks"
_ANNOTATION_ALONE = (
    "a macro alone on its line is read as a statement, also where it annotates the declaration behind it"
)
_TYPE_ALONE = "a type in capitals alone on its line is read as a macro"

EVERY = "*"
"""Stands for every case of the page."""

GAPS: dict[tuple[str, str, str], str] = {
    ("cpp-statements-in-blocks", "discarded-lock-guard", EVERY): _BLOCK,
    ("cpp-statements-in-do-while", "discarded-lock-guard", EVERY): _BLOCK,
    ("cpp-statements-under-if-true", "discarded-lock-guard", EVERY): _BLOCK,
    (
        "cpp-written-this",
        "registry-entry-left-behind",
        "The destructor leaves early for a reason that has nothing to do with the registry",
    ): _THIS,
    ("cpp-written-this", "copyable-owner", "One source file knows the class, and copies it"): _THIS,
    ("cpp-written-this", "discarded-status", "The object keeps the outcome and tells of it"): _THIS,
    ("cpp-methods-reversed", "lock-order-reversed", "Two methods of one class"): (
        "a pair of orders is told at the first of its places, which is the other one then"
    ),
    (
        "cpp-line-comments-between-tokens",
        "borrowed-reference-returned",
        "Written as a method, and in no table here",
    ): _ANNOTATION_ALONE,
    (
        "cpp-a-token-a-line",
        "borrowed-reference-returned",
        "Written as a method, and in no table here",
    ): _ANNOTATION_ALONE,
    ("cpp-spliced-lines", "unlocked-lazy-init", "A function's own flag"): (
        "a `thread_local` is told by the length of its declaration, since its record does not say it"
    ),
    (
        "cpp-line-comments-between-tokens",
        "reference-leaked",
        "The truth values of a header that is out of sight",
    ): _TYPE_ALONE,
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
    (
        "python-a-token-a-line",
        "used-after-storage-freed",
        "Across functions",
    ): "the words by which a file is chosen to be read are looked for on one line",
}
