"""Habits of naming: what words in the names of a project's own functions, methods and members mostly mean.

They are hints, for code that nobody has modelled: what a library's function does, its model says. A word is compared
with the words of a name in lower case (`pairs.words`); a name of a method as it is.
"""

import re

# --- duties: who begins one, who ends it, who takes it over ---

ACQUIRES = frozenset(
    {
        *("create", "new", "open", "init", "initialize", "initialise", "alloc", "allocate", "malloc", "calloc"),
        *("acquire", "make", "construct", "build", "clone", "dup", "duplicate", "copy", "load", "map", "register"),
        *("retain", "reserve", "import", "attach", "setup", "spawn", "connect", "parse", "mount", "instantiate"),
        *("obtain", "claim"),
    }
)
"""Verbs of functions that give somebody a duty."""
RELEASES = frozenset(
    {
        *("destroy", "delete", "free", "release", "close", "dispose", "cleanup", "finalize", "finalise", "fini"),
        *("unref", "dealloc", "deallocate", "deinit", "deinitialize", "dtor", "destruct", "drop", "term"),
    }
)
"""Verbs that end the duty, whichever verb began it."""
ENDS = frozenset({"destroy", "delete", "free", "release", "close", "dispose", "drop", "dealloc", "deallocate"})
"""Those behind which nothing is left of what they are given."""
RESERVES = frozenset({"acquire", "alloc", "allocate", "claim", "obtain", "reserve"})
"""Verbs of methods whose object expects back what it gives: who creates something may keep it, and end it itself."""
CLEANS_UP = RELEASES | {"autofree", "autoptr", "autoclose", "auto", "decref"}
"""Words of an attribute, or of a macro for one, by which a local is released where its scope ends."""
COUNTS = frozenset({"ref", "reference", "retain", "addref", "incref"})
COUNTS_UP = COUNTS | {"acquire"}
COUNTS_DOWN = frozenset({"release", "unref", "drop"})
"""Words of functions that count one reference more, or less, to what they are given. To acquire may as well be to get,
where nothing counts down."""
DECREMENTS = frozenset({"dec", "decr", "decrement"})
"""Words before one of those of `COUNTS` that count one reference less: `dec_ref`."""
SHORT_DELETE = "del"
"""Of a free function of C, the verb that ends what another with `new` makes: `new_item`, `del_item`."""
OPPOSITES = {"connect": "disconnect", "attach": "detach", "mount": "unmount"}
UNDOES = (
    *OPPOSITES.items(),
    *(("add", "remove"), ("init", "exit"), ("init", "deinit"), ("init", "fini"), ("start", "stop"), ("begin", "end")),
    *(
        ("new", "del"),
        ("add", "del"),
        ("create", "remove"),
        ("insert", "remove"),
        ("append", "remove"),
        ("open", "close"),
    ),
    *(("alloc", "dealloc"), ("create", "destroy"), ("spawn", "kill"), ("spawn", "despawn"), ("make", "remove")),
)
"""Of functions of C, the verb of one that hands out an object, and that of the one which ends it."""
BEGINS = frozenset({*OPPOSITES, "ref", "addref", "incref", "lock", "pin", "begin", "enter", "start", "add"})
"""Verbs of functions that begin something of which no handle tells."""
BORROWS = frozenset({"get", "at", "find", "lookup", "peek", "current", "default", "instance", "shared", "global"})
"""Words of functions that hand out what they keep: only `Create` and its like beat them."""
MAKES = frozenset({"create", "new", "clone", "dup", "duplicate", "alloc", "allocate", "make"})
HANDS_ON = frozenset(
    {"wrap", "from", "bind", "invoke", "async", "apply", "call", "construct", "emplace", "forward", "dispatch"}
    | {"start", "run", "spawn", "launch", "execute", "send", "emit", "publish", "pass", "pack", "child", "parent"}
)
"""Words of functions that give what they are given to a constructor, another function, a thread or a parent."""
COPIES = frozenset({"copy", "clone", "dup", "duplicate", "deepcopy", "export", "serialize"})
"""Words of functions whose result is an object of its own beside what they are given."""
NATIVE_MAKES = MAKES | {"malloc", "calloc", "copy", "parse", "from", "retain", "ref", "load"}
"""Words of functions of C whose result is new to the caller."""
NATIVE_ENDS = frozenset(
    {
        *("destroy", "destruct", "release", "free", "close", "delete", "dispose", "erase", "unref", "drop", "kill"),
        "finalize",
    }
)
"""Words with which the name of a function of C opens or closes that ends the life of its argument."""
BESIDE = frozenset({"next", "prev", "previous", "peer", "sibling", "neighbor", "neighbour"})
"""Words of functions that lead from one object to another of its kind that is no part of it."""
GRAFTS = frozenset({"insert", "append", "prepend", "adopt", "take", "own", "owned", "attach", "push", "graft", "add"})
"""Words by which a native container comes to own what it is given."""
OWNS = frozenset({"own", "owned", "owning", "adopt", "take", "steal", "transfer", "allocated"})
"""Words of functions that take over what they are given, when nobody sees or follows what they do."""
DEFERS = frozenset({"post", "submit", "enqueue", "schedule", "dispatch", "defer", "spawn", "async"})
"""Words in the names of functions that run what they are given later, on another thread more often than not."""
PUTS_IN = frozenset({"add", "append", "attach", "enqueue", "insert", "push", "register"})
"""Words of functions that take over what they are given once they succeed."""
TAKES_OVER = OWNS | PUTS_IN | {"move", "release", "give"}
"""Words of functions that may take over what they are given."""
MAY_END = (
    TAKES_OVER
    | {"takes", "manage", "submit", "schedule", "defer", "retire", "install", "set", "recycle", "return", "put"}
    | {"post", "save", "track", "store", "keep", "queue", "collect", "clear", "reset", "kill", "stop", "shutdown"}
    | {"terminate", "teardown", "discard", "erase", "remove", "decref", "dec", "unload", "abort", "quit"}
)
"""Words of functions out of sight that may well end what they are given, or hand it on."""
MOVES_ON = frozenset(
    {"move", "insert", "append", "add", "adopt", "attach", "splice", "inline", "register", "keep", "merge"}
)
"""Words of Python's functions that may make somebody else the owner: weak evidence, for silence alone."""
GIVES_UP = frozenset({"release", "detach", "steal", "disown", "relinquish", "leak"})
"""Words of methods after which their object owns no more what they answer."""
LETS_GO = GIVES_UP | {"reset", "swap", "take"}
"""Words of methods after which their object does not own any more what it did."""
EMPTIES = frozenset({"reset", "clear", "release", "swap", "erase", "extract", "remove", "pop", "exchange"})
"""Words of methods after which a member may hold nothing of what it held: pointers', containers', handles' own."""
MOVES_OUT = frozenset({"move", "release", "extract", "swap", "exchange", "forward"})
"""Names of what takes an object out of its owner alive."""
KEEPS = frozenset(
    {"set", "register", "attach", "init", "initialize", "initialise", "add", "bind", "connect", "install", "setup"}
    | {"subscribe", "configure"}
)
"""Words of methods to whose contract it belongs that what they are given stays."""
OUTCOMES = frozenset(
    {"err", "error", "errno", "errcode", "ec", "status", "rc", "ret", "rv", "res", "result", "code", "retcode"}
    | {"fault", "outcome", "ok", "okay", "good", "success", "succeeded", "failed", "failure", "bad", "fail"}
)
"""Words of variables, and of their types, that hold how something went."""
LISTENS = frozenset({"on", "when", "watch", "hook", "observe", "listen", "notify", "callback", "handler", "weakref"})
"""Words of functions that call what they are given when something happens."""

# --- containers of a project's own ---

RENEWS = frozenset({"refresh", "reload", "reread", "renew", "rescan"})
"""Of what reads something again because it may have changed."""
PUTS = frozenset({"add", "append", "push", "assign"})
"""Methods that put something in."""
LOOKS = frozenset({"has", "exists", "lookup"})
"""Methods that look whether something is in."""

TABLES = frozenset(
    {
        "hash",
        "hashmap",
        "hashtable",
        "map",
        "table",
        "dict",
        "list",
        "slist",
        "array",
        "queue",
        "tree",
        "registry",
        "vector",
    }
    | {"vec", "xa", "kh", "idr", "rb"}
)
"""Words of the containers of C: in the names of their types and of the functions that work on them."""
TABLE_PUTS = frozenset({"insert", "add", "put", "set", "append", "push", "prepend", "store", "replace", "register"})
TABLE_FINDS = frozenset({"find", "lookup", "get", "contains", "has", "search", "exists", "load", "test", "peek"})
TABLE_TAKES = frozenset({"remove", "del", "delete", "erase", "pop", "steal", "unlink", "take", "drop", "clear"})
"""Words of the functions of C that put something into the container that they are given, look into it, take out."""

# --- locks of a project's own: methods in lower case, without underscores ---

ATOMICS = frozenset({"atomic", "cas", "cswap", "cmpxchg", "xchg"})
"""Words of operations on one number that several threads share: they answer with what it was before."""
LOCKS = frozenset(
    {"lock", "acquire", "enter", "lockshared", "lockexclusive", "readerlock", "writerlock", "readlock", "writelock"}
    | {"rdlock", "wrlock", "lockread", "lockwrite", "acquireshared", "acquireexclusive", "lockreader", "lockwriter"}
    | {"lockwhen", "lockforread", "lockforwrite", "relock"}
)
UNLOCKS = frozenset(
    {"unlock", "release", "leave", "exit", "unlockshared", "unlockexclusive", "readerunlock", "writerunlock"}
    | {"readunlock", "writeunlock", "rdunlock", "wrunlock", "unlockread", "unlockwrite", "releaseshared"}
    | {"releaseexclusive", "unlockreader", "unlockwriter"}
)
TRIES = frozenset({"trylock", "tryacquire", "tryenter", "trylockfor", "trylockuntil", "readertrylock", "trylockshared"})
ASKS_GUARD = frozenset({"ownslock", "isowned", "operatorbool"})
"""A guard is asked whether it has its lock."""
GUARDS = re.compile(
    r"(?<!un)(?:lock_?guard|mutex_?guard|(?:(?:scoped|unique|shared|auto)_?|mutex_?)lock(?:er)?)$", re.IGNORECASE
)
"""How libraries name the classes whose objects hold a lock."""

# --- flags ---

READY = re.compile(r"init|ready|load|set_?up|creat|built|build|prepar|configur|regist|install|open", re.IGNORECASE)
"""What stands for something that others use once it is there."""
NOT_READY = re.compile(
    r"^(?:un|not_|no_|de_?init|dis)|ing_?$|clos|destroy|stop|final|down|warn|log|open(?:s|_count)", re.IGNORECASE
)
