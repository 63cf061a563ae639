"""How long an editor waits for `ownlint server`, and how much memory that takes.

    python benchmarks/editor.py [--edits N] [--files N] [FOLDER FILE]

FILE of the project FOLDER is opened in a server that finds a cache, and edited once after the other: each edit adds a
statement to a function. Without FOLDER a project of so many files is written, bindings of C++ with the Python that uses
them. Printed are wall time, the CPU time of the server and all its processes, and the largest sum of their resident
sizes, in which a page that several of them share counts in parts (`Pss`). The delay that the server waits for the next
edit is 0 here: by itself, it adds 0.2 s to an edit.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

HEADER = """\
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

class Part{n} {{
 public:
  explicit Part{n}(std::string name) : name_(std::move(name)) {{}}
  const std::string& name() const {{ return name_; }}
  int size() const {{ return static_cast<int>(name_.size()); }}

 private:
  std::string name_;
}};

class Store{n} {{
 public:
  Part{n}* add(const std::string& name);
  Part{n}* find(const std::string& name);
  int remove(const std::string& name);
  std::vector<Part{n}*> all() const;
  int count() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Part{n}>> parts_;
}};

int measure{n}(const Store{n}& store, int limit);
"""

SOURCE = """\
#include "store{n}.h"

#include "store{m}.h"

Part{n}* Store{n}::add(const std::string& name) {{
  std::lock_guard<std::mutex> lock(mutex_);
  auto& slot = parts_[name];
  if (slot == nullptr) slot = std::make_unique<Part{n}>(name);
  return slot.get();
}}

Part{n}* Store{n}::find(const std::string& name) {{
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = parts_.find(name);
  return it == parts_.end() ? nullptr : it->second.get();
}}

int Store{n}::remove(const std::string& name) {{
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(parts_.erase(name));
}}

std::vector<Part{n}*> Store{n}::all() const {{
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Part{n}*> found;
  found.reserve(parts_.size());
  for (const auto& [name, part] : parts_) found.push_back(part.get());
  return found;
}}

int Store{n}::count() const {{
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(parts_.size());
}}

int measure{n}(const Store{n}& store, int limit) {{
  int total = 0;
  for (const Part{n}* part : store.all()) {{
    if (total > limit) break;
    char* copy = static_cast<char*>(malloc(part->size() + 1));
    if (copy == nullptr) return -1;
    total += part->size();
    free(copy);
  }}
  return total;
}}
"""

BINDING = """\
#include <pybind11/pybind11.h>

#include "store{n}.h"

namespace py = pybind11;

PYBIND11_MODULE(store{n}, m) {{
  py::class_<Part{n}>(m, "Part{n}").def("name", &Part{n}::name).def("size", &Part{n}::size);
  py::class_<Store{n}>(m, "Store{n}")
      .def(py::init<>())
      .def("add", &Store{n}::add, py::return_value_policy::reference_internal)
      .def("find", &Store{n}::find, py::return_value_policy::reference)
      .def("remove", &Store{n}::remove)
      .def("count", &Store{n}::count);
  m.def("measure", [](const Store{n}& store, int limit) {{
    int total = measure{n}(store, limit);
    if (total < 0) throw std::bad_alloc();
    return total;
  }});
}}
"""

SCRIPT = '''\
"""What is stored under number {n}."""

from store{n} import Store{n}, measure


def sizes(names):
    store = Store{n}()
    for name in names:
        store.add(name)
    return [store.find(name).size() for name in names]


def longest(names):
    store = Store{n}()
    parts = [store.add(name) for name in names]
    return max(parts, key=lambda part: part.size()).name()


def first(names):
    part = Store{n}().find(names[0])
    return part.name()


class Report:
    def __init__(self, names):
        self.store = Store{n}()
        self.parts = [self.store.add(name) for name in names]

    def total(self, limit):
        return measure(self.store, limit) + len(self.parts)
'''


def write(root: Path, files: int) -> str:
    """A project of so many files; the one to edit."""
    for number in range(files // 4):
        names = {"n": number, "m": max(number - 1, 0)}
        for name, text in (
            (f"core/store{number}.h", HEADER),
            (f"core/store{number}.cc", SOURCE),
            (f"bindings/store{number}.cc", BINDING),
            (f"python/use{number}.py", SCRIPT),
        ):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text.format(**names))
    return f"core/store{files // 8}.cc"


class Client:
    """Speaks as much LSP as is needed here."""

    def __init__(self, root: Path) -> None:
        command = (sys.executable, "-m", "ownlint", "server")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=root)
        self._buffer = b""

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def heard(self) -> dict[str, Any]:
        while True:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if found:
                size = int(head.split(b"Content-Length:")[1].split(b"\r\n")[0])
                if len(rest) >= size:
                    self._buffer = rest[size:]
                    return dict(json.loads(rest[:size]))
            self._buffer += self._more()

    def _more(self) -> bytes:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], 600)
        data = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
        if not data:
            sys.exit("the server said nothing more")
        return data

    def published(self, version: int) -> list[Any]:
        while True:
            said = self.heard()
            if said.get("method") == "textDocument/publishDiagnostics" and said["params"].get("version") == version:
                return list(said["params"]["diagnostics"])


class Watch(threading.Thread):
    """Looks at a process and all that it started."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.most = 0
        self.over = threading.Event()
        self._cpu: dict[int, float] = {}

    def run(self) -> None:
        while not self.over.wait(0.1):
            self.look()

    def look(self) -> float:
        """CPU seconds of all that were seen."""
        memory = 0
        for pid in _family(self.pid):
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            memory += next((int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0)
            self._cpu[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.most = max(self.most, memory)
        return sum(self._cpu.values())


def _family(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*"):
            try:
                found += [int(child) for child in (task / "children").read_text().split()]
            except OSError:
                continue
    return found


def opened(client: Client, root: Path, path: Path, text: str) -> tuple[float, list[Any]]:
    """Seconds until something is said of the file, and what."""
    client.send("initialize", {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {},
                               "initializationOptions": {"delay": 0}}, 1)  # fmt: skip
    client.heard()
    client.send("initialized", {})
    time.sleep(3)  # a person opens a file after the editor has started
    began = time.monotonic()
    item = {"uri": path.as_uri(), "languageId": "cpp", "version": 1, "text": text}
    client.send("textDocument/didOpen", {"textDocument": item})
    found = client.published(1)
    return time.monotonic() - began, found


def closed(client: Client) -> None:
    client.send("shutdown", None, 2)
    client.send("exit", None)
    client.process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("file", nargs="?")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ownlint-editor-") as place:
        root = Path(place).resolve() / "project"
        if given.folder is not None:
            shutil.copytree(given.folder, root, symlinks=True)
        name = given.file or write(root, given.files)
        (root / "ownlint.toml").touch()
        path, text = root / name, (root / name).read_text()
        warm = Client(root)
        cold, _ = opened(warm, root, path, text)
        closed(warm)
        client = Client(root)
        watch = Watch(client.process.pid)
        watch.start()
        wall, found = opened(client, root, path, text)
        print(f"first diagnostics: without a cache {cold:.2f} s, warm {wall:.2f} s ({len(found)} of {name})")
        walls, costs = [], []
        spot = text.rindex("return ")
        for version in range(2, given.edits + 2):
            time.sleep(0.5)  # what is written down after a report
            before, began = watch.look(), time.monotonic()
            edited = f"{text[:spot]}if (sizeof(int) == {version}) {text[spot:]}"
            client.send("textDocument/didChange", {
                "textDocument": {"uri": path.as_uri(), "version": version}, "contentChanges": [{"text": edited}],
            })  # fmt: skip
            client.published(version)
            walls.append(time.monotonic() - began)
            costs.append(watch.look() - before)
        print(
            f"after an edit: median {statistics.median(walls):.2f} s, worst {max(walls):.2f} s; "
            f"CPU median {statistics.median(costs):.2f} s"
        )
        watch.over.set()
        print(f"memory: at most {watch.most / 1e6:.0f} MB")
        closed(client)
    return 0


if __name__ == "__main__":
    sys.exit(main())
