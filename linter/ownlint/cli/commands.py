"""Commands beside `check` that look after what surrounds it: the machine, the cache, the settings, the shell."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ownlint.choices import did_you_mean
from ownlint.cli import serving
from ownlint.cli.delivery import CannotRunError, deliver
from ownlint.facts.errors import RefusalError

if TYPE_CHECKING:
    from ownlint.cli.projects import Run
    from ownlint.pipeline import Options

MakeOptions = Callable[..., "Options"]
MakeProjects = Callable[..., "Run"]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
SHELLS = ("bash", "zsh", "fish")


class OneOf(click.Choice[str]):
    """A choice among words that tells which of them was meant."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        near = did_you_mean(str(value), self.choices)
        return f"{super().get_invalid_choice_message(value, ctx).removesuffix('.')}{near}"


class WithWords(click.Command):
    """A command with PATHS of which some first words are commands of their own; a file of such a name is `./word`."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.words: dict[str, click.Command] = {}

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args and args[0] in self.words:
            return self.words[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, word.get_short_help_str()) for name, word in sorted(self.words.items())])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        words = [CompletionItem(name) for name in sorted(self.words) if incomplete and name.startswith(incomplete)]
        return [*words, *super().shell_complete(ctx, incomplete)]


def rule_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For the shell; of a list with commas, the last name."""
    from ownlint.outline import rule_infos
    from ownlint.selection import RuleNames

    before, comma, begun = incomplete.rpartition(",")
    infos = rule_infos()
    helps = {group: f"{len(rules)} rules" for group, rules in sorted(RuleNames(infos).groups.items())}
    helps |= {info.id: info.summary for info in infos}
    return [
        CompletionItem(f"{before}{comma}{name}", help=told) for name, told in helps.items() if name.startswith(begun)
    ]


def register(
    group: click.Group,
    options: MakeOptions,
    projects: MakeProjects,
    *,
    everything: Decorator,
    reading: Decorator,
    caching: Decorator,
) -> None:
    """Adds the commands to `group`. The decorators give a command options that `options` understands: all of them,
    those that say how files are read, those that say where the cache is."""
    group.add_command(_doctor(reading, options))
    group.add_command(_clean(caching, options))
    group.add_command(_completion(group))
    group.add_command(_trace(everything, options))
    group.add_command(serving.command(everything, projects))
    config = group.commands["config"]
    assert isinstance(config, WithWords)
    config.words = {"schema": _schema(), "verify": _verify(everything, options)}


def asked_for(paths: tuple[Path, ...], stdin_filename: Path | None) -> tuple[Path, ...]:
    """What is to be reported on; with `--stdin-filename` that file alone, of which `-` is another name. It need not
    be there yet."""
    if stdin_filename is None:
        if Path("-") in paths:
            raise click.UsageError(
                "`-` is standard input: name the file it stands for with --stdin-filename, which decides "
                "the language and the project"
            )
        return paths or (Path(),)
    if any(path not in (Path("-"), stdin_filename) for path in paths):
        raise click.UsageError("--stdin-filename names the file to check; do not give PATHS")
    if stdin_filename.is_dir():
        raise CannotRunError(f"{stdin_filename}: is a folder, not a file")
    return (stdin_filename,)


def with_unsaved(options: Options, stdin_filename: Path | None, *, mends: bool) -> Options:
    """Reads standard input when it is to stand for a file."""
    if stdin_filename is None:
        return options
    if mends or options.changed or options.diff_base is not None:
        raise click.UsageError("--stdin-filename only reports: it applies no fixes and compares with no revision")
    import msgspec

    from ownlint.sources.unsaved import MOST_BYTES, stored

    text = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise CannotRunError(f"standard input: larger than {MOST_BYTES:,} bytes")
    unsaved = click.get_current_context().with_resource(stored(stdin_filename, text))
    return msgspec.structs.replace(options, unsaved=(unsaved,))


@contextlib.contextmanager
def watched(run: Run, quiet: bool = False) -> Iterator[Run]:
    """The same, and shows on a terminal how far it has come."""
    from ownlint.report.progress import shown

    with shown(quiet) as told:
        yield run.telling(told)


def _doctor(with_config: Decorator, options: MakeOptions) -> click.Command:
    @click.command("doctor", short_help="Check the environment: tools, headers, compile database.")
    @click.argument("path", type=click.Path(path_type=Path), default=Path())
    @with_config
    @click.option("--output-format", type=OneOf(("text", "json")), default="text", show_default=True)
    def doctor(path: Path, output_format: str, **given: Any) -> int:
        """Check the environment for PATH, and show how to install what is missing.

        Exit codes: 0 if everything that a check needs is there, 1 if something is missing.
        """

        from ownlint.cli import doctor

        try:
            parts = doctor.examine(options((path,), **given))
        except RefusalError as error:
            raise CannotRunError(str(error)) from None
        if output_format == "json":
            from ownlint.report.plain_json import json_page

            deliver(json_page(parts), None)
        else:
            deliver(doctor.text(parts), None)
        return 0 if doctor.healthy(parts) else 1

    return doctor


def _clean(with_config: Decorator, options: MakeOptions) -> click.Command:
    @click.command("clean", short_help="Remove the cache of the project.")
    @click.argument("path", type=click.Path(path_type=Path), default=Path())
    @with_config
    def clean(path: Path, **given: Any) -> None:
        """Remove the cache of the project that PATH is in; never deletes a folder ownlint did not create."""
        from ownlint.facts.cache import NotOursError, remove
        from ownlint.report.sanitise import sanitise

        folder = options((path,), **given).cache
        assert folder is not None
        try:
            removed = remove(folder)
        except NotOursError as error:
            raise CannotRunError(str(error)) from None
        told = "no cache" if removed is None else f"removed {removed / 1e6:,.1f} MB"
        deliver(f"{sanitise(os.path.relpath(folder))}: {told}\n", None)

    return clean


def _trace(with_config: Decorator, options: MakeOptions) -> click.Command:
    @click.command("trace", short_help="Show why something in a function is reported or not.")
    @click.argument("place", metavar="FILE:LINE")
    @with_config
    @click.option("--output-format", type=OneOf(("text", "json", "html")), default="text", show_default=True)
    @click.option("--whole-program", is_flag=True, help="Also run the rules about a whole program, which takes longer.")
    def trace(place: str, output_format: str, whole_program: bool, **given: Any) -> None:
        """Show how the function at FILE:LINE is analysed, and whether each finding in it is reported.

        Prints its events in order, the effect of each call and its source, the states in which paths reach an event,
        the incidents found there and those dropped, and each finding, with the reason if it is not reported.
        """
        from ownlint.cli import tracing
        from ownlint.report.plain_json import json_page

        file, line = tracing.position(place)
        if file.is_dir():
            raise CannotRunError(f"{file}: is a folder, not a file")
        try:
            report = tracing.traced(options((file,), **given), line, whole=whole_program)
        except RefusalError as error:
            raise CannotRunError(str(error)) from None
        forms = {"text": tracing.text, "json": json_page, "html": tracing.page}
        deliver(forms[output_format](report), None)

    return trace


def _completion(group: click.Group) -> click.Command:
    @click.command("completion", short_help="Print a shell completion script.")
    @click.argument("shell", type=OneOf(SHELLS))
    def completion(shell: str) -> None:
        """Print a SHELL script that completes commands, options and rule names.

        \b
        bash: eval "$(ownlint completion bash)"      in ~/.bashrc
        zsh:  eval "$(ownlint completion zsh)"       in ~/.zshrc
        fish: ownlint completion fish | source       in ~/.config/fish/config.fish
        """
        from click.shell_completion import get_completion_class

        made = get_completion_class(shell)
        assert made is not None
        source = made(group, {}, "ownlint", "_OWNLINT_COMPLETE").source()
        if shell == "fish":  # click's script cuts what is offered at its first comma: a list, a sentence
            source = source.replace('string split ","', 'string split --max 1 ","')
        deliver(f"{source}\n", None)

    return completion


def _schema() -> click.Command:
    @click.command("schema", short_help="Print the JSON schema of the settings.")
    def schema() -> None:
        """Print the JSON schema of ownlint.toml, and of [tool.ownlint]."""

        from ownlint.cli.verifying import schema
        from ownlint.report.plain_json import json_page

        deliver(json_page(schema()), None)

    return schema


def misnamed(paths: Iterable[Path]) -> list[str]:
    """A line for each table between the paths and their settings that seems to be meant for us and has another name."""
    from ownlint.config import misnamed_tables

    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in (path.resolve() for path in paths))
    return list(dict.fromkeys(mistake for folder in folders for mistake in misnamed_tables(folder)))


def _verify(with_config: Decorator, options: MakeOptions) -> click.Command:
    @click.command("verify", short_help="Check the settings that apply to PATHS.")
    @click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
    @with_config
    def verify(paths: tuple[Path, ...], **given: Any) -> int:
        """Check the settings that hold for PATHS, with what they name: rules, patterns, models, the build folder.

        Of one PATH that is a TOML file, the settings in it are checked. Every mistake is a line.
        """
        from ownlint.cli import verifying
        from ownlint.config import ConfigError
        from ownlint.report.sanitise import sanitise

        if len(paths) == 1 and paths[0].suffix == ".toml" and paths[0].is_file() and given["config_file"] is None:
            given["config_file"] = paths[0]  # the settings themselves are meant
        found: list[str] = []
        try:
            made = options(paths or (Path(),), **given)
            settings, root = made.settings, made.root
        except ConfigError as error:
            if error.sound is None or error.sound.file is None:
                raise
            settings, root = error.sound, error.sound.file.parent
            found = [str(error), *error.others]
        found += dict.fromkeys(verifying.mistakes(settings, root))
        if given["config_file"] is None and not given["isolated"]:
            found += misnamed(paths or (Path(),))
        for mistake in found:
            click.echo(f"error: {sanitise(mistake)}", err=True)
        if not found:
            file = settings.file
            deliver(f"{'no file, defaults' if file is None else sanitise(os.path.relpath(file))}: ok\n", None)
        return 2 if found else 0

    return verify
