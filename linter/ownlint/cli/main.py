"""The command line. Findings go to stdout; notices, summaries of other formats and errors to stderr.

Exit codes: 0 clean, 1 findings, 2 could not run, or not in full: files lost findings for no reason that lies in them
(with `--fail-on-incomplete`: for whichever reason), 130 interrupted, 141 when whoever read us has gone, 128 and its
number for another signal.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from ownlint import __version__
from ownlint.choices import CERTAINTIES, FORMATS, FORMER_PRESETS, SEVERITIES, SUITES, Severity, did_you_mean
from ownlint.cli import commands
from ownlint.cli.commands import OneOf
from ownlint.cli.delivery import CannotRunError, check_output, deliver, outputs, rendered, shown
from ownlint.facts.errors import RefusalError
from ownlint.report.sanitise import sanitise

# What else is needed is loaded by the command that needs it, so that `--help` answers at once.
if TYPE_CHECKING:
    from ownlint import pipeline
    from ownlint.cli.projects import Run
    from ownlint.config import Settings
    from ownlint.report.model import Report, RuleInfo

_MOST_INCOMPLETE = 10


class _CommandGroup(click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            name = args[0] if args else ""
            raise click.UsageError(f"unknown command `{name}`{self._instead_of(name, args)}") from None

    def _instead_of(self, name: str, args: list[str]) -> str:
        """What was meant, for the user; empty where nothing is near."""
        if "check" in self.commands and os.path.lexists(name):
            return f"; to check a path of that name: `ownlint check {shlex.join(args)}`"
        return did_you_mean(name, self.commands)


@click.group(cls=_CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "-V", "--version", prog_name="ownlint", message="%(prog)s %(version)s")
def cli() -> None:
    """Finds ownership bugs at the border between C++ and Python."""


class _Stopped(BaseException):
    """A signal that asks us to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main() -> None:
    """What the console script runs."""
    sys.excepthook = _bug
    _open_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # not when it is to be ignored, as below nohup
            signal.signal(number, _stop)
    sys.exit(_run())


def _open_streams() -> None:
    """A stream that was closed before we began leads nowhere, and its number is not that of the next file we open."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            while os.open(os.devnull, os.O_RDWR) < number:
                pass
            # Whoever replaces the stream does not give the number away: a child's next pipe would get it.
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", closefd=False))


def _run() -> int:
    """The exit code. Whatever ends the run, those who read files for us have been ended before."""
    try:
        code = cli.main(prog_name="ownlint", standalone_mode=False)
        sys.stdout.flush()
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _failed("interrupted", 130)
    except _Stopped as stopped:
        return _failed("terminated", 128 + stopped.number)
    except RuntimeError as error:  # what comes while a class is made, Python 3.11 wraps in one
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        with contextlib.suppress(OSError):
            click.echo(err=True)  # as click does, behind the `^C` of a terminal
        return _failed("interrupted", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.ClickException as error:
        return _failed(" ".join(error.format_message().split()), 2)
    except (CannotRunError, RefusalError) as error:
        return _failed(str(error), 2)
    except SystemExit as end:  # click's way when a reader has gone is 1, which would say that there are findings
        return 141 if end.code == 1 else int(end.code or 0)
    except BrokenPipeError:
        _abandon_output()
        return 141
    except OSError as error:  # a disk that is full, a terminal that has gone
        _abandon_output()
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _failed(f"{where}{error.strerror or error}", 2)
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int) -> int:
    with contextlib.suppress(OSError):  # nobody is left to be told
        _error(message)
    return code


def _stop(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: what cleans up is not to be disturbed
    raise _Stopped(number)


def _abandon_output() -> None:
    """Python would try to write what is left, at its end, and complain once more."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nothing, stream.fileno())


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Python's own way to end would be 1, which says that there are findings."""
    sys.__excepthook__(kind, error, trace)
    _failed("this is a bug in ownlint; please report it with the lines above", 2)
    sys.stdout.flush()
    os._exit(2)


# --- what the commands share ------------------------------------------------------------------


def _error(message: str) -> None:
    click.echo(f"error: {sanitise(message)}", err=True)


def _say(message: str, quiet: bool = False) -> None:
    if message and not quiet:
        click.echo(sanitise(message), err=True)


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """Everything that keeps a run from beginning, as one line."""
    try:
        yield
    except RefusalError as error:
        raise CannotRunError(str(error)) from None


def _names(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    """A repeatable list with commas; None when it was not given."""
    names = tuple(name.strip() for part in value for name in part.split(",") if name.strip())
    return names or None


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """The moment, by `time.monotonic`, that is so far away."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,6})([smh]?)", value.strip())
    if found is None:
        raise click.BadParameter("a number of seconds (`300s`), minutes (`5m`) or hours (`1h`)")
    return time.monotonic() + int(found[1]) * {"m": 60, "h": 3600}.get(found[2], 1)


def _former(ctx: click.Context, param: click.Parameter, value: object) -> None:
    """Refuses an option of former versions, and names the one of today."""
    if value:
        given, suite = (param.opts[0], "audit") if value is True else (f"{param.opts[0]} {value}", "default")
        raise click.UsageError(f"`{given}` was renamed to `--suite {FORMER_PRESETS.get(str(value), suite)}`")


_settings_options = (
    click.option("--config", "config_file", type=click.Path(path_type=Path), help="Read the settings from this file."),
    click.option("--isolated", is_flag=True, help="Read no settings from files."),
)
_rule_options = (
    click.option(
        "--select",
        multiple=True,
        callback=_names,
        shell_complete=commands.rule_names,
        metavar="RULES",
        help="Comma-separated rules, groups or globs to run [default: all].",
    ),
    click.option(
        "--extend-select",
        multiple=True,
        callback=_names,
        shell_complete=commands.rule_names,
        metavar="RULES",
        help="Additional rules to run.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        callback=_names,
        shell_complete=commands.rule_names,
        metavar="RULES",
        help="Rules to skip.",
    ),
    click.option(
        "--exclude",
        "extend_exclude",
        multiple=True,
        callback=_names,
        metavar="PATTERNS",
        help="Additional paths to exclude (.gitignore patterns).",
    ),
    click.option(
        "--force-exclude", is_flag=True, default=None, help="Apply exclusions even to paths given on the command line."
    ),
    click.option("--suite", type=OneOf(SUITES), help="The set of rules to run [default: default]."),
    click.option("--preset", hidden=True, expose_value=False, callback=_former),
    click.option("--preview", is_flag=True, hidden=True, expose_value=False, callback=_former),
    click.option("--certainty", type=OneOf(CERTAINTIES), help="Minimum confidence to report [default: likely]."),
)
_compiling_options = (
    click.option("--types", type=OneOf(("auto", "always", "never")), help="Use libclang for C++ type information."),
    click.option("-p", "--build-path", type=click.Path(path_type=Path), help="The folder of compile_commands.json."),
)
_jobs_option = click.option("-j", "--jobs", type=click.IntRange(1, 1024), help="Number of worker processes.")
_no_cache_option = click.option("--no-cache", is_flag=True, help="Disable the cache.")
_cache_dir_option = click.option("--cache-dir", type=click.Path(path_type=Path), help="The folder of the cache.")

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _with(*options: _Decorator) -> _Decorator:
    """A command with these of the options that `_options` understands; the help shows them in this order."""

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


_with_reading = _with(*_settings_options, *_compiling_options, _jobs_option, _no_cache_option, _cache_dir_option)
_with_config = _with(
    *_settings_options, *_rule_options, *_compiling_options, _jobs_option, _no_cache_option, _cache_dir_option
)


def _options(paths: tuple[Path, ...], **given: Any) -> pipeline.Options:
    """For the one project that the paths are in."""
    run = _projects(paths, below=False, **given)
    if len(run.projects) > 1:
        roots = ", ".join(os.path.relpath(project.root) for project in run.projects)
        raise CannotRunError(f"PATHS belong to several projects: {roots}; give the paths of one project")
    return run.whole


def _projects(
    paths: tuple[Path, ...],
    *,
    below: bool = True,
    config_file: Path | None = None,
    isolated: bool = False,
    no_cache: bool = False,
    cache_dir: Path | None = None,
    build_path: Path | None = None,
    diff_base: str | None = None,
    unsaved: Collection[Path] = (),
    changed: bool = False,
    deadline: float | None = None,
    **given: Any,
) -> Run:
    """The projects that the paths are in, and those `below` them. Of what is `unsaved`, nothing need be there yet."""
    from ownlint import pipeline
    from ownlint.cli import projects
    from ownlint.config import with_suite

    for path in paths:
        if path not in unsaved and not path.exists():
            nothing = "broken symlink" if path.is_symlink() else "no such file or folder"
            raise CannotRunError(f"{path}: {nothing}")
    if build_path is not None and not build_path.exists():
        raise CannotRunError(f"{build_path}: no such compile database")
    build = None if build_path is None else str(build_path.resolve())

    def make(paths: tuple[Path, ...], settings: Settings) -> pipeline.Options:
        settings = with_suite(_combined(settings, dict(given)))
        settings = settings.override("--build-path", build_path=build)
        root = _root(paths, settings, config_file)
        cache = None if no_cache else _cache_folder(root, settings, cache_dir)
        return pipeline.Options(
            root=root,
            paths=paths,
            settings=settings,
            cache=cache,
            diff_base=diff_base,
            changed=changed,
            deadline=deadline,
        )

    if (one := _settings(config_file, isolated)) is not None:
        return projects.Run((make(paths, one),))
    return projects.split(paths, make) if below else projects.Run(tuple(projects.named(paths, make)))


def _settings(config_file: Path | None, isolated: bool) -> Settings | None:
    """Those that hold for all files, whatever stands near them; None where each file has its own."""
    from ownlint.config import Config, Settings, read

    if isolated:
        return Settings(config=Config())
    if config_file is None:
        return None
    if config_file.is_dir():
        raise CannotRunError(f"{config_file}: is a folder, not a file with settings")
    if not config_file.exists():
        raise CannotRunError(f"{config_file}: no such file")
    return read(config_file.resolve())


def _combined(settings: Settings, given: dict[str, Any]) -> Settings:
    """The command line on top: `--select` replaces what the file selects, `--ignore` adds to what it ignores."""
    config = settings.config
    if (select := given.pop("select", None)) is not None:
        # Asked for by name here is stronger than ignored there.
        kept = tuple(name for name in config.ignore if name not in select)
        settings = settings.override("--select", select=select, extend_select=(), ignore=kept)
    if (ignore := given.pop("ignore", None)) is not None:
        settings = settings.override("--ignore", ignore=(*settings.config.ignore, *ignore))
    if (exclude := given.pop("extend_exclude", None)) is not None:
        settings = settings.override("--exclude", extend_exclude=(*settings.config.extend_exclude, *exclude))
    for name, value in given.items():
        settings = settings.override(f"--{name.replace('_', '-')}", **{name: value})
    return settings


def _root(paths: tuple[Path, ...], settings: Settings, config_file: Path | None) -> Path:
    from ownlint.sources.discover import root_of

    folder = None if settings.file is None else settings.file.parent
    inside = folder is not None and all(folder in (p := path.resolve()).parents or p == folder for path in paths)
    return root_of(paths, settings.file if inside or config_file is None else None)


def _cache_folder(root: Path, settings: Settings, given: Path | None) -> Path:
    from ownlint.facts.cache import FOLDER

    if given is not None:
        return given.resolve()
    if chosen := os.environ.get("OWNLINT_CACHE_DIR"):
        return Path(chosen).resolve()
    if (named := settings.config.cache_dir) is not None:
        folder = (root / named).resolve()
        if root not in folder.parents:  # the settings may be a stranger's
            raise CannotRunError(f"{settings.file}: `cache-dir` points outside the project; use --cache-dir")
        return folder
    return root / FOLDER


def _coloured(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


# --- check ------------------------------------------------------------------------------------


@cli.command(short_help="Check PATHS for ownership bugs.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_with_config
@click.option(
    "--changed",
    is_flag=True,
    help="Report only findings on staged lines (or uncommitted ones if nothing is staged).",
)
@click.option("--diff-base", metavar="REV", help="Report only findings on lines changed since this revision.")
@click.option("--stdin-filename", type=click.Path(path_type=Path), help="Check standard input as if it were this file.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--fail-level",
    type=OneOf(SEVERITIES),
    default=SEVERITIES[-1],
    show_default=True,
    help="Minimum severity that makes the exit code 1.",
)
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and exit.")
@click.option("--statistics", is_flag=True, help="Count findings by rule instead of listing them.")
@click.option("--output-format", type=OneOf(FORMATS), default="full", show_default=True)
@click.option(
    "-o", "--output-file", type=click.Path(path_type=Path), help="Write the report to this file (`-`: standard output)."
)
@click.option("--output", multiple=True, metavar="FORMAT=FILE", help="Write an additional report; may be repeated.")
@click.option("--show-suppressed", is_flag=True, help="SARIF also has suppressed findings, as such, with the reasons.")
@click.option("--fix", is_flag=True, help="Apply safe fixes, then report the remaining findings.")
@click.option("--unsafe-fixes", is_flag=True, help="Also apply fixes that may change behaviour.")
@click.option("--diff", is_flag=True, help="Show what --fix would change as a diff, without changing files.")
@click.option("--export-fixes", type=click.Path(path_type=Path), help="Write C++ fixes for clang-apply-replacements.")
@click.option(
    "--add-suppressions", metavar="REASON", help="Suppress every finding with a comment that gives this reason."
)
@click.option(
    "--baseline", "baseline_file", type=click.Path(path_type=Path), help="Hide findings recorded in this file."
)
@click.option("--no-baseline", is_flag=True, help="Ignore the baseline.")
@click.option("--fail-on-incomplete", is_flag=True, help="Exit with 2 if a file was not fully analysed.")
@click.option(
    "--deadline",
    callback=_seconds,
    metavar="TIME",
    help=("Stop after this time and report what was analysed (`300s`, `5m`)."),
)
@click.option("--color", type=OneOf(("auto", "always", "never")), default="auto", show_default=True)
@click.option("-q", "--quiet", is_flag=True, help="Print only findings and errors.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List every file that was not fully analysed, and say of each finding why it is not certain.",
)
def check(
    paths: tuple[Path, ...],
    changed: bool,
    diff_base: str | None,
    stdin_filename: Path | None,
    exit_zero: bool,
    fail_level: Severity,
    show_files: bool,
    statistics: bool,
    output_format: str,
    output_file: Path | None,
    output: tuple[str, ...],
    show_suppressed: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    export_fixes: Path | None,
    add_suppressions: str | None,
    baseline_file: Path | None,
    no_baseline: bool,
    fail_on_incomplete: bool,
    deadline: float | None,
    color: str,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Check PATHS for ownership bugs (default: the current folder).

    The rest of the project is analysed too, but only findings in PATHS are reported.
    """
    from ownlint.cli import adopting, mending
    from ownlint.cli.projects import Run

    if (fix or diff) and add_suppressions is not None:
        raise click.UsageError(f"{'--diff' if diff else '--fix'} and --add-suppressions cannot be combined")
    fix = fix and not diff  # `--fix --diff` shows what `--fix` would do
    if changed and diff_base is not None:
        raise click.UsageError("--changed and --diff-base cannot be combined")
    asked = commands.asked_for(paths, stdin_filename)
    unsaved = () if stdin_filename is None else (stdin_filename,)
    run = _projects(asked, diff_base=diff_base, changed=changed, unsaved=unsaved, deadline=deadline, **given)
    if show_files:
        return _show_files(run)
    output_file = None if output_file == Path("-") else output_file
    mends = fix or diff or add_suppressions is not None or export_fixes is not None
    if stdin_filename is not None:
        run = Run((commands.with_unsaved(run.whole, stdin_filename, mends=mends),))
    options = run.whole
    beside, missing = outputs(output, options.root)
    for reason in missing:
        _error(reason)
    check_output(output_file, options.root, "diff" if diff else "report", output_format)
    check_output(export_fixes, options.root, "fixes")
    known: Sequence[Path | None] = [None] * len(run.projects)
    if not no_baseline:
        known = adopting.baselines(run, baseline_file, isolated=given["isolated"])
    with _refusals(), commands.watched(run, quiet) as watched:
        adopted = adopting.adopted(watched, known, fix=fix, unsafe=unsafe_fixes, reason=add_suppressions)
    report = adopted.report
    if export_fixes is not None:
        exported, alone = mending.exported(options.root, report)
        deliver(exported, export_fixes)
        for warning in adopting.left_alone(alone, options.root):
            _say(warning)
    if diff:
        return _diff(report, options, output_file, unsafe=unsafe_fixes, exit_zero=exit_zero, quiet=quiet)
    for name, path in beside:
        deliver(rendered(report, options, name, False, verbose, show_suppressed), path)
    colour = _coloured(color) and output_file is None
    if statistics and output_format in ("full", "concise"):
        text = statistics_text(report)
    else:
        text = rendered(report, options, output_format, colour, verbose, show_suppressed)
    deliver(text, output_file)
    if verbose:
        _tell_settings(run)
    if given["config_file"] is None and not given["isolated"]:
        for table in commands.misnamed(asked):
            _say(f"warning: {table}", quiet)
        _tell_guessed(run, quiet)
    _tell(report, options, output_format, to_stdout=output_file is None, quiet=quiet, verbose=verbose)
    if fail_on_incomplete and report.incomplete:
        _tell_incomplete(report, options)
    for warning in adopted.undone:
        _say(warning)
    for note in (*adopted.notes, "" if fix or output_format not in ("full", "concise") else adopting.fixable(report)):
        _say(note, quiet)
    if report.lost:
        from ownlint.finding import ENDED

        count = len({each.path for each in report.lost if each.path}) or report.files
        files = f"{count} file{'s' * (count != 1)}"
        ended = all(each.reason == ENDED for each in report.lost)
        why = "the run was ended before they were analysed" if ended else "of a failure elsewhere"
        _say(f"error: findings may be missing in {files} because {why}")
    if missing or report.lost or (fail_on_incomplete and report.incomplete):
        return 2
    severe = SEVERITIES[: SEVERITIES.index(fail_level) + 1]
    return 1 if any(finding.severity in severe for finding in report.findings) and not exit_zero else 0


def _show_files(run: Run) -> int:
    """Prints, in order, what is asked for."""
    from ownlint.sources.discover import discover

    here = Path.cwd()
    with _refusals():
        for project in run.projects:
            near = shown(project.root, here)
            found = discover(project.root, project.paths, project.settings.config, project.scope)
            deliver("".join(f"{sanitise(near(each.relative))}\n" for each in found.sources if each.asked), None)
    return 0


def _diff(
    report: Report, options: pipeline.Options, output_file: Path | None, *, unsafe: bool, exit_zero: bool, quiet: bool
) -> int:
    from ownlint.cli import adopting, mending

    planned = mending.plan(options.root, report, unsafe=unsafe)
    base = _base_of_diff(options.root, planned.after)
    text = mending.diff(planned, shown(options.root, base))
    shown_text = _diff_shown(text, mending.harmless(text)) if output_file is None else text
    deliver(shown_text, output_file)
    for warning in adopting.left_alone(planned.alone, options.root):
        _say(warning)
    if base != Path.cwd():
        _say(f"note: the diff is relative to {base}, since it changes files outside the working directory", quiet)
    _say(f"would fix {len(planned.made)} finding{'s' * (len(planned.made) != 1)}", quiet)
    return 1 if (planned.after or planned.alone) and not exit_zero else 0


def _diff_shown(diff: bytes, harmless: str) -> bytes | str:
    """What goes to standard output: no control characters, on a terminal or in a log."""
    if sys.stdout.isatty():
        return harmless
    plain = diff.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    if plain == harmless:
        return diff
    _say("warning: control characters in the diff are escaped, so it does not apply; use --output-file")
    return harmless


def _base_of_diff(root: Path, paths: Iterable[str]) -> Path:
    """The working directory where it holds all of these files, else the project."""
    here = Path.cwd()
    relative = map(shown(root, here), paths)
    return root if any(path.startswith("../") for path in relative) else here


def statistics_text(report: Report) -> str:
    from ownlint.report import text

    return text.statistics(report)


def _tell(
    report: Report, options: pipeline.Options, output_format: str, *, to_stdout: bool, quiet: bool, verbose: bool
) -> None:
    """What is said beside the findings: failures always, the rest unless it is to be quiet."""
    from ownlint.report.model import KINDS, TYPES_ONLY
    from ownlint.report.text import summary

    here = shown(options.root, Path.cwd())
    said = failed = beside = 0
    for each in report.incomplete:
        if each.kind == "rule":
            failed += 1
            if verbose or failed <= _MOST_INCOMPLETE:
                _say(f"error: {here(each.path)}: {each.reason}")
        elif not verbose and report.is_beside(each):
            beside += each.kind not in TYPES_ONLY
        elif verbose or (each.kind not in TYPES_ONLY and said < _MOST_INCOMPLETE):
            said += 1
            line, reason = each.placed
            place = f"{here(each.path)}:{line}" if line else here(each.path)
            _say(f"warning: {place}: {KINDS[each.kind]}: {reason}", quiet)
    left = len(report.unanalysed) - failed - said - beside
    if failed > _MOST_INCOMPLETE and not verbose:
        _say(f"error: rules failed in {failed - _MOST_INCOMPLETE} more places; use --verbose to see them")
    if left > 0 and not verbose:
        _say(f"warning: {left} more files were not fully analysed; use --verbose to see them", quiet)
    for notice in report.notices:
        if notice.detail and not verbose:
            continue
        _say(f"note: {here(notice.path)}: {notice.message}" if notice.path else f"note: {notice.message}", quiet)
    click.echo(summary(report), err=output_format != "full" or not to_stdout) if not quiet else None


def _tell_incomplete(report: Report, options: pipeline.Options) -> None:
    """Why `--fail-on-incomplete` fails the run: the first file of each kind, and how many there are."""
    from ownlint.report.model import KINDS
    from ownlint.report.text import counted

    here = shown(options.root, Path.cwd())
    for kind, text in KINDS.items():
        first = next((each for each in report.incomplete if each.kind == kind), None)
        if first is not None:
            _say(f"error: --fail-on-incomplete: {here(first.path)}: {text}: {first.reason}")
    _say(f"error: --fail-on-incomplete: {counted(report.incomplete)}")


def _tell_guessed(run: Run, quiet: bool) -> None:
    """Where nothing says how far a project reaches, what lies around may be a part of it that is not read."""
    from ownlint.sources.discover import is_marked

    for project in run.projects:
        if project.settings.file is None and project.root != Path.cwd() and not is_marked(project.root):
            _say(
                f"note: only {project.root} is analysed: no git work tree and no settings file say that "
                "the project is larger",
                quiet,
            )


def _tell_settings(run: Run) -> None:
    for project in run.projects:
        _say(f"settings: {project.settings.file or 'defaults'}; root: {project.root}; cache: {_cache_said(project)}")


def _cache_said(options: pipeline.Options) -> str:
    from ownlint.facts.cache import Cache

    distrust = Cache(options.cache, options.root).distrust
    return f"not used: {distrust}" if distrust else str(options.cache or "none")


# --- baseline ---------------------------------------------------------------------------------


@cli.group(cls=_CommandGroup)
def baseline() -> None:
    """Write, prune and show the baseline of known findings."""


_baseline_file = click.option(
    "--baseline",
    "baseline_file",
    type=click.Path(path_type=Path),
    help=("Baseline file [default: the one in the settings]."),
)


def _with_baseline(
    paths: tuple[Path, ...], file: Path | None, **given: Any
) -> list[tuple[pipeline.Options, Report, Path]]:
    """Each project with what is reported of it and its baseline; of several, not those without either."""
    from ownlint import pipeline
    from ownlint.baseline import NAME
    from ownlint.cli import adopting

    run = _projects(paths or (Path(),), **given)
    known = adopting.baselines(run, file, isolated=given["isolated"])
    places = [place or project.root / NAME for project, place in zip(run.projects, known, strict=True)]
    for project, place in zip(run.projects, places, strict=True):
        if file is None and not place.resolve().is_relative_to(
            project.root.resolve()
        ):  # the settings may be a stranger's
            raise CannotRunError(f"{project.settings.file}: `baseline` points outside the project; use --baseline")
        check_output(place, project.root, "baseline")
    with _refusals(), commands.watched(run) as watched:
        reports = [pipeline.run(project) for project in watched.projects]
    found = list(zip(run.projects, reports, places, strict=True))
    return [each for each in found if each[1].findings or os.path.lexists(each[2])] or found[:1]


@baseline.command("write", short_help="Write the findings in PATHS to the baseline.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_with_config
@_baseline_file
def baseline_write(paths: tuple[Path, ...], baseline_file: Path | None, **given: Any) -> None:
    """Write the findings in PATHS (default: the current folder) to the baseline; entries for other paths are kept."""
    from ownlint.cli import adopting

    for options, report, known in _with_baseline(paths, baseline_file, **given):
        _say(adopting.write_baseline(report, options, known))
        _say(adopting.unjudged(report, known))


@baseline.command("prune", short_help="Remove stale entries from the baseline.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_with_config
@_baseline_file
def baseline_prune(paths: tuple[Path, ...], baseline_file: Path | None, **given: Any) -> None:
    """Remove baseline entries that no longer match a finding in PATHS (default: the current folder)."""
    from ownlint.cli import adopting

    found = _with_baseline(paths, baseline_file, **given)
    for options, report, known in [each for each in found if os.path.lexists(each[2])] or found:
        _say(adopting.prune_baseline(report, options, known))
        _say(adopting.unjudged(report, known))


@baseline.command("show", short_help="Show the findings in the baseline.")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@_with(*_settings_options)
def baseline_show(file: Path | None, **given: Any) -> None:
    """Show the findings in the baseline FILE (default: the one in the settings), by path and rule."""
    from ownlint.cli import adopting

    options = _options((Path(),), **given)
    known = file or adopting.baseline_of(options, None, isolated=given["isolated"])
    if known is None:
        raise CannotRunError("there is no baseline; `ownlint baseline write` makes one")
    lines = adopting.shown_baseline(known, options)
    deliver("".join(f"{line}\n" for line in lines), None)


# --- explain, rules, facts, config, new-rule --------------------------------------------------


@cli.command(short_help="Show the manual page of a rule.")
@click.argument("rule", nargs=-1, shell_complete=commands.rule_names)
@click.option("--all", "all_", is_flag=True, help="Show the manual pages of all rules.")
@click.option("--output-format", type=OneOf(("text", "markdown", "json")), default="text", show_default=True)
def explain(rule: tuple[str, ...], all_: bool, output_format: str) -> None:
    """Show the manual page of a RULE, or the pages of several rules and groups."""
    from ownlint.report import manual

    if bool(rule) is all_:
        raise click.UsageError("--all and RULE cannot be combined" if rule else "name a rule or a group, or use --all")
    found = _rules(*rule or ("all",))
    if output_format == "json":
        pages = [manual.page(info) for info in found]
        deliver(_json(pages if len(pages) > 1 or all_ else pages[0]), None)
        return
    shown = manual.markdown if output_format == "markdown" else manual.text
    _read("\n".join(map(shown, found)))


def _read(text: str) -> None:
    """Through the user's pager, where a person reads and it is longer than the terminal is high."""
    if sys.stdout.isatty() and text.count("\n") >= shutil.get_terminal_size().lines:
        click.echo_via_pager(text)
    else:
        deliver(text, None)


def _rules(*asked: str) -> list[RuleInfo]:
    """Those that a name stands for, by group."""
    from ownlint.outline import rule_infos
    from ownlint.selection import RuleNames

    with _refusals():
        infos = rule_infos()
    names = RuleNames(infos)
    for name in asked:
        if not names.of(name):
            raise CannotRunError(f"unknown rule `{name}`{names.instead_of(name)}")
    found = frozenset[str]().union(*map(names.of, asked))
    return sorted((info for info in infos if info.id in found), key=lambda info: (info.group, info.id))


def _json(value: object) -> str:
    from ownlint.report.plain_json import json_page

    return json_page(value)


@cli.command(short_help="List the rules, by group.")
@click.argument("names", nargs=-1, metavar="[RULES]...", callback=_names, shell_complete=commands.rule_names)
@click.option("--suite", type=OneOf(SUITES), help="List only the rules of this suite.")
@click.option("--output-format", type=OneOf(("text", "markdown", "json")), default="text", show_default=True)
def rules(names: tuple[str, ...] | None, suite: str | None, output_format: str) -> None:
    """List the RULES (default: all) by group, with suite, language, severity, and whether some findings have a fix."""
    from ownlint.report import manual

    infos = [info for info in _rules(*(names or ("all",))) if suite in (None, info.suite)]
    if output_format == "json":
        deliver(_json([manual.entry(info) for info in infos]), None)
    elif output_format == "markdown":
        from ownlint import catalogue

        deliver(manual.tables(infos, catalogue.groups()), None)
    else:
        deliver(manual.table(infos), None)


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@_with(*_settings_options, *_compiling_options)
def facts(file: Path, **given: Any) -> None:
    """Print the facts extracted from FILE."""
    from ownlint import pipeline
    from ownlint.facts import show

    if file.is_dir():
        raise CannotRunError(f"{file}: is a folder; name a file")
    with _refusals():
        read_facts = pipeline.facts(_options((file,), **given))
    deliver("".join(f"{sanitise(line)}\n" for line in show.file(read_facts)), None)


@cli.command(cls=commands.WithWords, short_help="Show the settings that apply to PATHS.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_with_config
@click.option("--output-format", type=OneOf(("text", "json")), default="text", show_default=True)
def config(paths: tuple[Path, ...], output_format: str, **given: Any) -> None:
    """Show the settings that apply to PATHS, and where each comes from."""
    import msgspec

    from ownlint import pipeline
    from ownlint.report.plain_json import json_line

    options = _options(paths or (Path(),), **given)
    with _refusals():
        pipeline.check_names(options.settings)
    values = msgspec.to_builtins(options.settings.config)
    origin = options.settings.origin
    if output_format == "json":
        told = {key: {"value": value, "from": origin.get(key, "default")} for key, value in values.items()}
        deliver(_json(told), None)
        return
    lines = [f"# root: {options.root}", f"# file: {options.settings.file or 'none'}"]
    for key, value in values.items():
        setting = f"# {key} is not set" if value is None else f"{key} = {json_line(value)}"
        lines.append(f"{setting}  # {origin.get(key, 'default')}")
    deliver("".join(f"{sanitise(line)}\n" for line in lines), None)


# --- model ------------------------------------------------------------------------------------


@cli.group(cls=_CommandGroup)
def model() -> None:
    """Write, show and check ownership contracts (`pkg.own.toml`)."""


@model.command("extract", short_help="Write the ownership contract of the Python bindings in PATHS.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_with_reading
@click.option("-o", "--output-file", type=click.Path(path_type=Path), help="Write the contract to this file.")
@click.option("--package", default="", help="Python package of the bindings, if the project does not name it.")
@click.option("-q", "--quiet", is_flag=True, help="Do not print a summary.")
def model_extract(paths: tuple[Path, ...], output_file: Path | None, package: str, quiet: bool, **given: Any) -> None:
    """Write the ownership contract of the Python bindings in PATHS (default: the current folder)."""
    from ownlint import contracting
    from ownlint.cli.projects import Run
    from ownlint.models.contract_text import render
    from ownlint.report.model import KINDS

    if package and not all(part.isidentifier() for part in package.split(".")):
        raise CannotRunError(f"--package: `{package}` is not the name of a Python package")
    options = _options(paths or (Path(),), **given)
    output_file = None if output_file == Path("-") else output_file
    check_output(output_file, options.root, "contract")
    with _refusals(), commands.watched(Run((options,)), quiet) as run:
        found = contracting.extract(run.whole, package)
    deliver(render(found.contract), output_file)
    for each in found.unread[:_MOST_INCOMPLETE]:
        _say(f"warning: {shown(options.root, Path.cwd())(each.path)}: {KINDS[each.kind]}: {each.reason}", quiet)
    left_out = f"; {found.unnamed} bindings with a computed name or class are skipped" if found.unnamed else ""
    _say(next(iter(contracting.shown(found.contract))) + left_out, quiet)


@model.command("show", short_help="Show a contract as a table.")
@click.argument("name", metavar="FILE|PACKAGE")
@click.option("--environment", type=click.Path(path_type=Path), help="Virtual environment to search.")
def model_show(name: str, environment: Path | None) -> None:
    """Show the contract in a FILE, or that of an installed PACKAGE, as a table. The package is not imported."""
    from ownlint import contracting
    from ownlint.models.contract_reader import read as read_contract

    with _refusals():
        contracts = [read_contract(path) for path in contracting.located(name, environment)]
    lines = [line for contract in contracts for line in (*contracting.shown(contract), "")][:-1]
    deliver("".join(f"{sanitise(line)}\n" for line in lines), None)


@model.command("check", short_help="Check a contract against code, or models against headers.")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help=(
        "Compare models with the headers in DIR instead; FILE and PATHS are then models [default: all built-in models]."
    ),
)
@_with_reading
@click.option("--output-format", type=OneOf(("text", "json")), default="text", show_default=True)
@click.option("-q", "--quiet", is_flag=True, help="Print only the differences.")
def model_check(
    file: Path | None, paths: tuple[Path, ...], against: Path | None, output_format: str, quiet: bool, **given: Any
) -> int:
    """Check a contract FILE against the code in PATHS.

    Without PATHS only the file itself is checked. With --against, models are compared with the headers of their
    libraries: their macros, and the arguments, results and `const` of their functions. Names that no header declares
    are listed, but do not count as differences.

    Exit codes: 0 no difference, 1 differences, 2 not a valid contract or model.
    """
    from ownlint.models.contract_reader import read as read_contract

    if against is not None:
        return _models_against((file, *paths) if file is not None else (), against, output_format, quiet, **given)
    if file is None:
        raise CannotRunError("name a contract FILE, or a folder of headers with --against")
    from ownlint import contracting

    with _refusals():
        contract = read_contract(file)
        found = contracting.compared(file, _options(paths, **given)) if paths else []
    if output_format == "json":
        from ownlint.report.plain_json import json_page

        deliver(json_page(found), None)
    else:
        deliver("".join(f"{sanitise(f'{file}: {line}')}\n" for line in found), None)
    counted = f"{len(found)} difference{'s' * (len(found) != 1)}" if found else "no difference"
    _say(f"{counted} between {file} and the code" if paths else next(iter(contracting.shown(contract))), quiet)
    return 1 if found else 0


def _models_against(models: tuple[Path, ...], headers: Path, output_format: str, quiet: bool, **given: Any) -> int:
    from ownlint.cli import comparing
    from ownlint.cli.projects import Run

    options = _options((headers,), **given)
    with _refusals(), commands.watched(Run((options,)), quiet) as run:
        found = comparing.compared(run.whole, models)
    if output_format == "json":
        from ownlint.report.plain_json import json_page

        deliver(json_page(found), None)
    else:
        near = shown(options.root, Path.cwd())
        deliver("".join(f"{sanitise(line)}\n" for line in comparing.lines(found, near)), None)
    for line in comparing.summary(found):
        _say(line, quiet)
    return 1 if found.differences else 0


@cli.command("new-rule", short_help="Create the files of a new rule.")
@click.argument("name")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    default=Path(),
    help=("Checkout to write to [default: the working directory]."),
)
def new_rule(name: str, root: Path) -> None:
    """Create the files of a new rule: the rule and its page of tests."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
        raise CannotRunError(f"`{name}` is not a valid rule name: use words joined by dashes that say what is wrong")
    from ownlint.testing.new_rule import create

    try:
        written = create(name, root)
    except (OSError, ValueError) as error:
        raise CannotRunError(str(error)) from None
    deliver("".join(f"{path}\n" for path in written), None)


commands.register(
    cli,
    _options,
    _projects,
    everything=_with_config,
    reading=_with_reading,
    caching=_with(*_settings_options, _cache_dir_option),
)
