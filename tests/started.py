"""What `starting` copies: an interpreter that has imported what `ownlint check` needs, and has asked it nothing.

`python -P started.py DESCRIPTOR READERS`; the second is a name as in `readers`. A request on that socket is four bytes
of length with three descriptors, the streams, and then JSON. The answer is two lines: the number of the process, and
how it ended.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import runpy
import socket
import sys
from pathlib import Path

LOADED = (
    "ownlint.analysis",
    "ownlint.baseline",
    "ownlint.cli.adopting",
    "ownlint.cli.main",
    "ownlint.cli.mending",
    "ownlint.cli.projects",
    "ownlint.fixes",
    "ownlint.frontends.cpp.shared",
    "ownlint.frontends.extract",
    "ownlint.frontends.python.wanted",
    "ownlint.interplay",
    "ownlint.pipeline",
    "ownlint.reading",
    "ownlint.report.compose",
    "ownlint.report.excerpt",
    "ownlint.report.joined",
    "ownlint.report.json",
    "ownlint.report.links",
    "ownlint.report.suppressions",
    "ownlint.report.text",
)


def requested(server: socket.socket) -> tuple[list[str], str, dict[str, str], bool, int | None, str | None, str]:
    """Returns in a copy of this process, whose streams are those of the request; what is copied ends here."""
    while True:
        size, streams, _, _ = socket.recv_fds(server, 4, 3)
        if not size:
            os._exit(0)
        with server.makefile("rb", buffering=0) as stream:
            left, data = int.from_bytes(size, "big"), b""
            while len(data) < left:
                data += stream.read(left - len(data)) or b""
        pid = os.fork()
        if pid == 0:
            server.close()
            for number, descriptor in enumerate(streams):
                os.dup2(descriptor, number)
                os.close(descriptor)
            return tuple(json.loads(data))
        for descriptor in streams:
            os.close(descriptor)
        server.sendall(b"%d\n" % pid)
        server.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


for _name in LOADED:
    importlib.import_module(_name)
_inputs = importlib.import_module("ownlint.inputs")
importlib.import_module("ownlint.catalogue").load()
importlib.import_module("ownlint.models.libraries").load([pack / "models" for pack in _inputs.packs()])
_nowhere = importlib.import_module("ownlint.facts.cache").Cache(None, Path.cwd())
for _language in ("cpp", "python"):
    _inputs.reader_digest(_language, _nowhere)
_inputs.engine_digest(_nowhere)
_inputs.knowledge_digest((), _nowhere)
for _asked in (_inputs.reader_digest, _inputs.engine_digest, _inputs._packs_digest, _inputs._parsers):
    _asked.cache_clear()  # what a variable of the environment changes is asked anew; of files the digests are known
_inputs.packs.cache_clear()  # the folder that it runs in may be a place of packages, too
sys.path.insert(0, str(Path(__file__).parent))
importlib.import_module("readers").copied_from(sys.argv[2])
del sys.path[0]
gc.collect()
gc.freeze()
_arguments, _folder, _environment, _safe, _memory, _site, _before = requested(socket.socket(fileno=int(sys.argv[1])))
os.environ.clear()
os.environ.update(_environment)
os.chdir(_folder)
if not _safe:
    sys.path.insert(0, str(Path.cwd()))
if _memory is not None:
    resource.setrlimit(resource.RLIMIT_AS, (_memory, _memory))
if _site is not None:  # its packs belong to those that are installed
    sys.path.insert(0, _site)
    importlib.import_module("ownlint.catalogue").load.cache_clear()
sys.argv = ["ownlint", *_arguments]
exec(_before, {"__name__": "__main__"})  # noqa: S102 - it comes from a test
runpy.run_module("ownlint", run_name="__main__", alter_sys=True)
