"""`ownlint trace FILE:LINE`: why something is reported, and why it is not."""

from __future__ import annotations

import json
from pathlib import Path

from command import Run

DRAIN = """\
struct Node { int key; Node* next; };

int Drain(Node* node, bool keep) {
  Node* next = node->next;
  if (!keep) delete node;
  return next ? next->key : node->key;
}

int Count(Node* node) { return node ? 1 : 0; }
"""

WIDGET = """\
#include "widget.h"
static void Drop(Widget* widget) { widget_destroy(widget); }

int Size(int n) {
  Widget* widget = widget_create(n);
  Drop(widget);
  cudaFree(0);
  Log(n);
  return widget_size(widget);
}
"""

HEADER = """\
struct Widget;
struct Widget* widget_create(int size);
int widget_size(const struct Widget* widget);
void widget_destroy(struct Widget* widget);
"""


def _drain(text: str = DRAIN) -> None:
    Path("drain.cc").write_text(text)


def test_states_and_incidents_of_a_function(run: Run) -> None:
    _drain()
    done = run("trace", "drain.cc:5", "--select", "all")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("drain.cc:3: `Drain`, to line 7\n")
    assert "call   delete node\n              releases argument 1  [language]\n" in done.out
    assert "*node was freed at #6 (released); keep == 0" in done.out
    assert "memory finds: `node` used: *node was freed at #6 (released); not certain: this happens only on " in done.out
    assert (
        "6:29: memory-used-after-release (likely): `node` is used after its memory was released\n  reported" in done.out
    )


def test_any_line_of_the_function_will_do(run: Run) -> None:
    _drain()
    assert len({run("trace", f"drain.cc:{line}").out for line in ("3", "6:29", "7")}) == 1


def test_why_a_function_is_not_followed(run: Run) -> None:
    _drain()
    done = run("trace", "drain.cc:9")
    assert "memory: not analysed: by the names it calls, nothing in it frees memory" in done.out
    assert "references: not analysed: by the names it calls, nothing in it uses counted references" in done.out
    assert "no rule about functions, classes or bindings reports anything here" in done.out


def test_a_test_that_cannot_come_out_so_refutes_a_path(run: Run) -> None:
    _drain(DRAIN.replace("next ? next->key : node->key", "keep ? node->key : 0"))
    done = run("trace", "drain.cc:5", "--select", "all")
    assert (
        "test   keep  -> #9 if true, #10 if false\n              memory: 1 of 2 states can continue to #9\n" in done.out
    )
    assert "finds:" not in done.out


def test_each_effect_says_whose_it_is(run: Run) -> None:
    Path("widget.h").write_text(HEADER)
    Path("widget.cc").write_text(WIDGET)
    out = run("trace", "widget.cc:5").out
    assert "acquires result, released by widget_destroy  [pair: " in out
    assert "ends argument 1  [pair: " in out
    assert "[summary: Drop at widget.cc:2]" in out
    assert "release argument 1, may fail  [model: cuda:cudaFree (cuda.toml:" in out
    assert "[unknown: `Log` is not defined in the analysed files]" in out
    assert "[unknown: only a declaration of `widget_size` was found]" in out


def test_why_a_finding_is_not_reported(run: Run) -> None:
    _drain()
    rule = "memory-used-after-release"
    ignored = run("trace", "drain.cc:5", "--select", "all", "--ignore", rule)
    assert f"not reported: `{rule}` is not selected" in ignored.out
    unsure = run("trace", "drain.cc:5", "--select", "all", "--certainty", "certain")
    assert "not reported: its confidence is likely; only certain or higher is reported" in unsure.out
    _drain(DRAIN.replace("node->key;", f"node->key;  // ownlint: ignore[{rule}]: kept alive by the pool"))
    silenced = run("trace", "drain.cc:5", "--select", "all")
    assert "not reported: a comment or `per-file-ignores` suppresses it" in silenced.out


def test_rules_about_the_whole_program_are_asked_where_that_is_wanted(run: Run) -> None:
    Path("run.cc").write_text(
        "class Executable {\n public:\n"
        '  Executable() : verbose_(std::getenv("EXEC_VERBOSE") != nullptr) {}\n'
        " private:\n  bool verbose_;\n};\n"
        "void RunAll(const std::vector<Plan>& plans) {\n"
        "  for (const Plan& plan : plans) {\n    Executable executable;\n    executable.Run(plan);\n  }\n}\n"
    )
    without = run("trace", "run.cc:3", "--select", "all")
    assert "no rule about functions, classes or bindings reports anything here" in without.out
    assert without.out.endswith(" rules about a whole program (--whole-program)\n")
    done = run("trace", "run.cc:3", "--select", "all", "--whole-program")
    assert "3:27: environment-read-repeatedly (" in done.out
    assert "not run" not in done.out
    assert "no rule reports anything here" in run("trace", "run.cc:8", "--select", "all", "--whole-program").out


def test_references_and_python(run: Run) -> None:
    Path("make.cc").write_text(
        "#include <Python.h>\nPyObject* Make(void) {\n  PyObject* list = PyList_New(3);\n  if (Full()) return NULL;\n"
        "  return list;\n}\n"
    )
    out = run("trace", "make.cc:3").out
    assert "references: object#1 (list): new, owes 1" in out
    assert "references finds: `list` leaked, of #1" in out
    Path("load.py").write_text(
        "import h5py\n\n\ndef load(path):\n    f = h5py.File(path)\n    x = f['data']\n    f.close()\n    return x[0]\n"
    )
    out = run("trace", "load.py:5").out
    assert "creates a File  [model: h5py.File]" in out
    assert "call   f.close()" in out
    assert "handles: f = h5py.File(path) (File, closed by f.close())" in out
    assert "used-after-close (certain): `x` is used after `f` was closed\n  reported" in out


def test_json(run: Run) -> None:
    _drain()
    told = json.loads(run("trace", "drain.cc:5", "--select", "all", "--output-format", "json").out)
    assert [engine["name"] for engine in told["trace"]["engines"]] == ["memory", "references"]
    assert [one["rule"] for one in told["findings"]] == ["memory-used-after-release"]
    assert told["findings"][0]["reported"]
    incidents = [one for event in told["trace"]["events"] for one in event["incidents"]]
    assert [one["engine"] for one in incidents] == ["memory"]


def test_html_draws_the_order_of_events(run: Run) -> None:
    _drain(DRAIN.replace("return next", "while (Wait<1>()) {}\n  return next"))
    page = run("trace", "drain.cc:5", "--output-format", "html").out
    assert "call   Wait&lt;1&gt;()" in page
    assert '<path class=back d="M' in page
    events = int(page.split("memory: ")[1].split(" events")[0])
    assert events <= page.count('<circle class="point"') <= events + 2
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_what_cannot_be_traced(run: Run) -> None:
    _drain()
    Path("plain.py").write_text("def same(x):\n    return x\n")
    for place, why in (
        ("drain.cc", "drain.cc: name a line, for example `src/cache.cc:42`"),
        ("drain.cc:2", "drain.cc:2: no function at this line"),
        ("plain.py:2", "plain.py:2: no rule analyses this file"),
        ("gone.cc:2", "gone.cc: no such file or folder"),
        (".:2", ".: is a folder, not a file"),
    ):
        done = run("trace", place)
        assert (done.code, done.out, done.err) == (2, "", f"error: {why}\n")
