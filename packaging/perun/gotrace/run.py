# SPDX-License-Identifier: BSD-2-Clause
"""Runs gotrace on a Go program: `gotrace record`, then `gotrace export --format=perun`."""

from __future__ import annotations

# Standard Imports
from typing import Any
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

# Third-Party Imports
import click

# Perun Imports
from perun.logic import runner
from perun.utils import log
from perun.utils.structs.common_structs import CollectStatus, Executable


def gotrace_command() -> str:
    """The gotrace to run"""
    return os.environ.get("GOTRACE", "gotrace")


def before(**_: Any) -> tuple[CollectStatus, str, dict[str, Any]]:
    """Checks that there is a gotrace"""
    if shutil.which(gotrace_command()) is None:
        return CollectStatus.ERROR, f"{gotrace_command()} is not in PATH; set GOTRACE", {}
    return CollectStatus.OK, "", {}


def record_command(executable: Executable, trace: pathlib.Path, options: list[str]) -> list[str]:
    """What records the executable into the file trace"""
    sudo = [] if os.geteuid() == 0 else shlex.split(os.environ.get("GOTRACE_SUDO", "sudo"))
    command = [gotrace_command(), "record", "-o", str(trace), *options, "--"]
    return sudo + command + shlex.split(str(executable))


def collect(
    executable: Executable,
    package: tuple[str, ...] = (),
    function: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    option: tuple[str, ...] = (),
    **_: Any,
) -> tuple[CollectStatus, str, dict[str, Any]]:
    """Records the executable once

    :param executable: the Go program, with its arguments and workload
    :param package: packages whose functions are recorded; none: those of the main module
    :param function: functions that are recorded, by glob
    :param exclude: functions that are not recorded, by glob
    :param option: further options of gotrace record
    :return: status, message, and the profile
    """
    log.major_info("Running gotrace collector")
    options = list(option)
    for short, values in (("-p", package), ("-f", function), ("-x", exclude)):
        for value in values:
            options += [short, value]
    with tempfile.TemporaryDirectory(prefix="gotrace-perun.") as work:
        trace, exported = pathlib.Path(work, "trace"), pathlib.Path(work, "profile")
        status = subprocess.run(record_command(executable, trace, options), check=False).returncode
        if not trace.exists():
            return CollectStatus.ERROR, f"gotrace record failed with status {status}", {}
        done = subprocess.run(
            [gotrace_command(), "export", "--format=perun", "--perun-layout=stacks"]
            + ["-o", str(exported), str(trace)],
            check=False,
        )
        if done.returncode != 0:
            return CollectStatus.ERROR, "gotrace export failed", {}
        profile = json.loads(exported.read_text(encoding="utf-8"))
    if status != 0:
        log.warn(f"{executable.cmd} ended with status {status}")
    return CollectStatus.OK, "", {"profile": {"global": profile["global"]}}


@click.command()
@click.option("--package", "-p", multiple=True, help="Record functions of this package.")
@click.option("--function", "-f", multiple=True, help="Record functions that match this glob.")
@click.option("--exclude", "-x", multiple=True, help="Do not record functions that match this glob.")
@click.option("--option", "-o", multiple=True, help="A further option of `gotrace record`.")
@click.pass_context
def gotrace(ctx: click.Context, **kwargs: Any) -> None:
    """Generates `time` performance profile of a Go program: its calls, by call path.

    \b
      * **Limitations**: Go programs on Linux x86-64
      * **Metric**: self time of each call path, with waiting
      * **Dependencies**: `gotrace`, and root or `sudo`
      * **Default units**: `ns`

    Every call of the selected functions is recorded, of package main and of the main module's
    packages by default. The resources have this form:

    .. code-block:: json

        \b
        {
            "uid": "main.main;main.load;[go]main.worker;main.worker",
            "type": "time",
            "subtype": "exclusive",
            "ncalls": 10,
            "amount": 590123
        }
    """
    runner.run_collector_from_cli_context(ctx, "gotrace", kwargs)
