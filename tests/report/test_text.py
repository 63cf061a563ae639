from __future__ import annotations

from pathlib import Path

import pytest
import sample
from msgspec.structs import replace

from ownlint.finding import Finding
from ownlint.report import text
from ownlint.report.model import Report


def full(root: Path, finding: Finding, width: int = 100) -> str:
    sources = sample.write(root)
    return text.full(sample.report(sources, finding), sources, str, colour=False, width=width)


def test_steps_in_one_file_are_marked_in_one_excerpt(tmp_path: Path) -> None:
    assert (
        full(tmp_path, sample.flag())
        == """\
error[flag-set-before-success]: `init_done_` is set before `Record` has succeeded (likely)
  --> src/a.cc:5:3
   |
 5 |   init_done_ = true;  // 漢字 wide
   |   ^^^^^^^^^^^^^^^^^ 1: set here
 6 |   // comes first
 7 |   Status status = Record(n);
   |                   --------- 2: this can still fail
...
10 |     return status;
   |     ------------- 3: and leaves it set
   |
   = help: set `init_done_` after `Record` returns ok
   = fix: set it later
   = note: likely: this happens only if `Record` fails

"""
    )


def test_what_was_measured_of_findings_like_it_is_said_with_verbose_alone(tmp_path: Path) -> None:
    likely = replace(sample.flag(), reason="of 44 such findings in other projects 5 were false")
    sources = sample.write(tmp_path)
    for finding, verbose, said in (
        (replace(likely, assumed=()), False, False),
        (replace(likely, assumed=()), True, True),
        (replace(likely, assumed=("path",)), False, True),
    ):
        report = sample.report(sources, finding)
        shown = text.full(report, sources, str, colour=False, width=100, verbose=verbose)
        assert ("= note: likely: of 44 such findings" in shown) is said


def test_steps_in_another_file_have_an_excerpt_of_their_own(tmp_path: Path) -> None:
    assert (
        full(tmp_path, sample.border())
        == """\
error[child-outlives-owner]: `ops[0]` is used after its owner `block` was freed
  --> py/b.py:7:12
   |
 5 |     ops = block.operations
   |           ---------------- 2: borrowed from `block`
 6 |     del block
   |     --------- 3: `block` ends
 7 |     return ops[0]
   |            ^^^^^^ 4: used here
   |
  ::: src/a.cc:12:2
   |
12 |     cache_[k] = make(a, b, cc(dd));
   |     --------- 1: the binding returns a borrowed reference
   |
   = help: keep `block`

"""
    )


def test_several_labels_on_a_line_hang_from_their_marks(tmp_path: Path) -> None:
    assert (
        full(tmp_path, sample.labels())
        == """\
warning[labels]: three on one line
  --> src/a.cc:12:2
   |
12 |     cache_[k] = make(a, b, cc(dd));
   |     ^^^^^^^^^   ------------------
   |     |           |          |
   |     |           |          1: third
   |     |           2: second
   |     3: first
   |

"""
    )


def test_a_label_that_would_run_out_of_sight_stands_below(tmp_path: Path) -> None:
    part = "absl::MutexLock lock(&mu_)"
    steps = (sample.step("src/a.cc", sample.TRACKER, part, "the lock is taken here and held to the end"),)
    at = steps[0].span
    shown = full(tmp_path, Finding("src/a.cc", at, "m", steps=steps, rule="r"), width=60).splitlines()
    assert shown[4:7] == [
        "  |     " + "^" * len(part),
        "  |     |",
        "  |     the lock is taken here and held to the end",
    ]


def test_a_span_over_several_lines_has_a_bar(tmp_path: Path) -> None:
    assert (
        full(tmp_path, sample.block())
        == """\
note[block]: a block (possible)
  --> src/a.cc:8:21
   |
 8 |     if (!status.ok()) {
   |  _____________________^
 9 | |     LOG(ERROR) << "no";
10 | |     return status;
11 | |   }
   | |___^
   |

"""
    )


def test_a_long_span_is_shown_by_its_ends(tmp_path: Path) -> None:
    assert (
        full(tmp_path, sample.whole())
        == """\
warning[whole]: the whole file
  --> src/a.cc:1:1
   |
 1 | / namespace run {
 2 | |
...  |
20 | | }
   | |_^
   |

"""
    )


def test_a_long_line_is_cut_around_its_mark_and_harmless(tmp_path: Path) -> None:
    shown = full(tmp_path, sample.long(), width=60).splitlines()
    assert shown[0] == "warning[long]: escape \\u{1b}[31m"
    line, marks = shown[3], shown[4]
    assert line.startswith("1 | …")
    assert line.endswith("…")
    assert len(line) <= 60
    assert marks.count("^") == len("bar(\\u{1b}[31m5)")
    assert line[marks.index("^") :].startswith("bar(\\u{1b}[31m5)")
    assert shown[-3:] == ["  = help: two", "          lines", ""]


def test_a_minified_file_is_quick(tmp_path: Path) -> None:
    sources = sample.write(tmp_path)
    (tmp_path / "min.cc").write_text("é" * 3_000_000 + "bug" + "x" * 3_000_000)
    finding = Finding("min.cc", sample.Span(6_000_000, 6_000_003), "m", rule="r")
    shown = text.full(sample.report(sources, finding), sources, str, colour=False, width=80)
    line, marks = shown.splitlines()[3:5]
    assert line[marks.index("^") :].startswith("bugx")
    assert marks.count("^") == 3


def test_a_file_that_is_gone_is_named_all_the_same(tmp_path: Path) -> None:
    assert (
        full(tmp_path, sample.gone())
        == """\
warning[gone]: a file that is gone
 --> src/gone.cc:1:1
  |
 ::: elsewhere.h:1:1
  = declared here
  |

"""
    )


def test_colours_change_nothing_but_colours(tmp_path: Path) -> None:
    import re

    sources = sample.write(tmp_path)
    report = sample.all_of_them(sources)
    plain = text.full(report, sources, str, colour=False, width=100)
    coloured = text.full(report, sources, str, colour=True, width=100)
    assert "\x1b[1;31merror[flag-set-before-success]\x1b[0m" in coloured
    assert [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines()] == plain.splitlines()


def test_concise_is_one_line_each(tmp_path: Path) -> None:
    sources = sample.write(tmp_path)
    shown = text.concise(sample.report(sources, sample.flag(), sample.long()), lambda path: f"../{path}")
    assert shown == (
        "../src/a.cc:5:3: error[flag-set-before-success] `init_done_` is set before `Record` has succeeded (likely)\n"
        "../src/long.cc:1:449: warning[long] escape \\u{1b}[31m\n"
    )


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ([], "No problems found in 12 files; 1 suppressed; 1 not read"),
        ([sample.flag()], "Found 1 problem (1 error) in 12 files; 1 suppressed; 1 not read"),
        (
            [sample.flag(), sample.labels(), sample.whole(), sample.block()],
            "Found 4 problems (1 error, 2 warnings, 1 note) in 12 files; 1 suppressed; 1 not read",
        ),
    ],
)
def test_the_summary_counts(tmp_path: Path, findings: list[Finding], said: str) -> None:
    assert text.summary(sample.report(sample.write(tmp_path), *findings)) == said


def test_a_summary_of_one_file() -> None:
    assert text.summary(Report(files=1)) == "No problems found in 1 file"


def test_statistics_count_by_rule(tmp_path: Path) -> None:
    sources = sample.write(tmp_path)
    found = sample.report(sources, sample.flag(), sample.labels(), sample.whole())
    twice = Report(findings=(*found.findings, found.findings[0]))
    assert text.statistics(twice) == "2  warning[whole]\n1  error[flag-set-before-success]\n1  warning[labels]\n"
