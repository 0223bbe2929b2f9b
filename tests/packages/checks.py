"""Counts what is checked, and says it."""

import contextlib
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
counts = {"passed": 0, "failed": 0}


def report(name, fault=None):
    counts["failed" if fault else "passed"] += 1
    print(f"  FAILED  {name}: {fault}" if fault else f"  ok      {name}", flush=True)


@contextlib.contextmanager
def check(name):
    try:
        yield
    except Exception as reason:
        report(name, getattr(reason, "stderr", None) or f"{type(reason).__name__}: {reason}")
    else:
        report(name)


def expect_equal(is_, should, what):
    if is_ != should:
        raise AssertionError(f"{what}: {is_!r}, not {should!r}")


def expect_same_files(there, expected):
    surplus, missing = sorted(set(there) - set(expected)), sorted(set(expected) - set(there))
    if surplus or missing:
        raise AssertionError(f"surplus {surplus}, missing {missing}")


def output_of(*command, timeout=300, **options):
    """What a command prints; its failure has what it says on stderr."""
    done = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=timeout, **options)
    return done.stdout


def version():
    """The one version of everything, which stands in Cargo.toml."""
    return re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
