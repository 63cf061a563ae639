"""The runner: a process that has loaded rules and models, and forks a job for each run.

It is forked before the protocol process starts a thread. At most one job runs; the next one ends it. What a job says is
passed on as whole messages, so that one which is killed leaves none half said.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import shutil
import tempfile
from pathlib import Path

from ownlint.children import Forked, Messages, described, tell
from ownlint.server import checking
from ownlint.server.checking import Checks
from ownlint.server.messages import Cancel, Failed, Finished, Job, Reply, encode, reply_of, request_of

_LOADED = (
    "ownlint.analysis",
    "ownlint.contracting",
    "ownlint.crossing.exports",
    "ownlint.facts.anchors",
    "ownlint.frontends.extract",
    "ownlint.gitignore",
    "ownlint.reading",
    "ownlint.report.compose",
)


class Runner:
    """Reads requests from a descriptor, and writes replies to another."""

    def __init__(self, requests: int, replies: int, checks: Checks, folder: Path) -> None:
        self._requests = requests
        self._replies = replies
        self._checks = checks
        self._running: _Running | None = None
        self._folder = folder
        """For the temporary files of jobs: one that is killed removes nothing."""

    def work(self) -> None:
        """Until the other side has closed the requests."""
        warm_up()
        requests = Messages(self._requests)
        try:
            while True:
                poll = select.poll()
                poll.register(self._requests, select.POLLIN)
                if self._running is not None:
                    poll.register(self._running.descriptor, select.POLLIN)
                ready = {descriptor for descriptor, _ in poll.poll()}
                if self._running is not None and self._running.descriptor in ready:
                    self._hear(self._running)
                if self._requests in ready:
                    while (data := requests.next(0)) is not None:
                        self._asked(data)
        except (EOFError, BrokenPipeError):
            pass
        finally:
            self._end()

    def _asked(self, data: bytes) -> None:
        request = request_of(data)
        self._end()
        if not isinstance(request, Cancel):
            self._running = _Running(request, self._checks, self._folder)

    def _hear(self, running: _Running) -> None:
        """Passes on what the job says. Whether it has said its last word or not, `Finished` follows it once."""
        try:
            while (data := running.messages.next(0)) is not None:
                tell(self._replies, data)
                if isinstance(reply_of(data), Finished):
                    self._running = None
                    running.close()
                    return
        except EOFError:
            self._running = None
            self._say(Failed(running.number, f"the analysis failed: {running.process.death()}"))
            self._say(Finished(running.number))
            running.close()

    def _end(self) -> None:
        """Ends the job that runs, which is finished then."""
        if self._running is not None:
            running, self._running = self._running, None
            running.close()
            self._say(Finished(running.number))

    def _say(self, reply: Reply) -> None:
        tell(self._replies, encode(reply))


class _Running:
    """A job in a process of its own."""

    def __init__(self, job: Job, checks: Checks, folder: Path) -> None:
        self.number = job.number
        self.descriptor, theirs = os.pipe()
        self.messages = Messages(self.descriptor)
        self._folder = folder / str(job.number)
        self._folder.mkdir()
        try:
            self.process = Forked(lambda: _do(job, checks, theirs, self._folder), group=False)
        finally:
            os.close(theirs)

    def close(self) -> None:
        """Kills it; those that it started end when it has gone."""
        self.process.close()
        os.close(self.descriptor)
        shutil.rmtree(self._folder, ignore_errors=True)


def _do(job: Job, checks: Checks, output: int, folder: Path) -> None:
    tempfile.tempdir = str(folder)

    def say(reply: Reply) -> None:
        tell(output, encode(reply))

    try:
        os.chdir(job.folder)
        checking.done(job, checks, say)
    except Exception as error:  # noqa: BLE001 - the editor says it in one line
        say(Failed(job.number, f"the analysis failed: {described(error)}"))
    say(Finished(job.number))


def warm_up() -> None:
    """Loads once what every run needs."""
    for name in _LOADED:
        importlib.import_module(name)
    from ownlint import catalogue, inputs
    from ownlint.models import libraries
    from ownlint.project.program import Program

    models = libraries.load([pack / "models" for pack in inputs.packs() if (pack / "models").is_dir()])
    for _ in catalogue.run(catalogue.load(), Program((), models)):  # nothing: what is derived of models alone stays
        pass
    gc.collect()
    gc.freeze()
