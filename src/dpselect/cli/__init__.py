"""The command line: one file per verb below ``verbs``. Bad input ends with status 2 and one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from dpselect.cli import certificates, click_commands, completion, exit_status, names, paths, tables
from dpselect.cli.command import CommandAnswer
from dpselect.cli.request import Request


def main(arguments: Sequence[str] | None = None, loaded: Callable[[], object] | None = None) -> int:
    """Run one command; return its exit status.

    0: answered. 1: a claim of the library broke, or what was paid for could not be given whole. 2: refused, with one
    sentence on standard error and nothing spent. 70: a defect of dpselect. 130: stopped by the user.

    Args:
        arguments: the words of the command; those of this process when there are none.
        loaded: called when the libraries of the command are there, and before it begins.
    """
    request = Request(sys.argv[1:] if arguments is None else arguments)
    try:
        _print_anything()
        if completion.is_completing():
            return completion.answer(click_commands.root(), click_commands.NAME)
        click_commands.parse_options(request.words, request)
        if loaded is not None:
            loaded()
        with exit_status.notice_interrupt(request), paths.hold_paths(request):
            file = certificates.prepare_certificate(request)
            answer = names.note_lists(certificates.write_certificate(_answer(request), request, file), request)
        exit_status.deliver(answer, request)
    except click.exceptions.Exit as shown:
        return exit_status.help_status(shown.exit_code, request)
    except BrokenPipeError:
        # The reader has read enough.
        exit_status.silence()
        return 0
    except Exception as error:
        return exit_status.ending(error, request)
    except KeyboardInterrupt as stop:
        return exit_status.ending(stop, request)
    return answer.status


def _answer(request: Request) -> CommandAnswer:
    """Run the verb, and say what it dropped; a dry run ends where the spend would begin."""
    answer: CommandAnswer
    if request.dry_run:
        # A page of help loads no ledger.
        from dpselect.cli.spending import plan_of

        answer = plan_of(request)
    else:
        answer = request.verb.run(request)
    for said in dict.fromkeys(request.outcome.dropped):
        tables.print_notice(f"{request.prog}: {paths.with_option_names(said, request)}")
    return answer


def _print_anything() -> None:
    """Let no character that a console lacks keep back an answer that was paid for."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
