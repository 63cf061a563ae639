"""What `readers` copies: an interpreter, started as those that read files are, which has imported the parsers.

`python -I -S readers_copied.py LISTENER FOLDER...`. A request on a connection is four bytes of length with two
descriptors, input and output of the reader, and then JSON. The answer is two lines: the number of the process, and how
it ended. A reader has a parent of its own, which ends with the connection; it ends with its parent, as it always does.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import socket
import sys

LOADED = (
    *("ownlint.frontends.worker", "ownlint.frontends.python.read", "ownlint.facts.binding_reader"),
    *("ownlint.frontends.cpp.structure", "ownlint.frontends.cpp.tables", "ownlint.frontends.cpp.meaning"),
)


def asked(listener: socket.socket) -> tuple[int, int, str, dict[str, str], tuple[int, int]]:
    """Returns in a reader; what is copied ends here when its input does."""
    both = select.poll()
    both.register(listener, select.POLLIN)
    both.register(0, select.POLLIN)
    while 0 not in dict(both.poll()):
        connection, _ = listener.accept()
        with connection:
            size, streams, _, _ = socket.recv_fds(connection, 4, 2)
            left, data = int.from_bytes(size, "big"), b""
            while len(data) < left:
                data += connection.recv(left - len(data))
            if os.fork() == 0:
                listener.close()
                if (reader := os.fork()) == 0:
                    os.setsid()
                    connection.close()
                    return *streams, *json.loads(data)
                for each in (0, *streams):
                    os.close(each)
                parent(reader, connection)
            for each in streams:
                os.close(each)
        reap()
    reap(0)
    os._exit(0)


def parent(reader: int, connection: socket.socket) -> None:
    connection.sendall(b"%d\n" % reader)
    ended = os.pidfd_open(reader)
    both = select.poll()
    both.register(ended, select.POLLIN)
    both.register(connection, select.POLLIN)
    if ended in dict(both.poll()):
        status = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
        with contextlib.suppress(OSError):  # nobody wants to know any more
            connection.sendall(b"%d\n" % status)
    os._exit(0)


def reap(how: int = os.WNOHANG) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, how)[0]:
            pass


gc.disable()  # as in the start of a real one
sys.path += sys.argv[2:]
for _name in LOADED:
    importlib.import_module(_name)
_input, _output, _folder, _environment, _memory = asked(socket.socket(fileno=int(sys.argv[1])))
_nothing = os.open(os.devnull, os.O_WRONLY)
for _number, _descriptor in enumerate((_input, _output, _nothing)):
    os.dup2(_descriptor, _number)
    os.close(_descriptor)
os.chdir(_folder)
os.environ.clear()
os.environ.update(_environment)
resource.setrlimit(resource.RLIMIT_AS, _memory)
importlib.import_module("ownlint.frontends.worker").main()
