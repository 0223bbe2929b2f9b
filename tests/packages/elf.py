"""What a shared library needs and offers, as readelf tells it."""

import re
import subprocess


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options], check=True, stdout=subprocess.PIPE, text=True).stdout


def glibc_floor(library):
    """The newest version of glibc that one of its symbols asks for, as (2, 34)."""
    needs = readelf("--version-info", library).partition("Version needs section")[2]
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"Name: GLIBC_([\d.]+)", needs))


def needed(library):
    """The libraries that are loaded with it."""
    return set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", readelf("--dynamic", library)))


def search_paths(library):
    """Folders that it would have searched before those of the system."""
    return re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library \w+: \[(.*?)\]", readelf("--dynamic", library))


def defined(library):
    """The functions that others find in it."""
    rows = (row.split() for row in readelf("--dyn-syms", library).splitlines())
    return {row[7].partition("@")[0] for row in rows if len(row) > 7 and row[4] == "GLOBAL" and row[6] not in ("UND", "Ndx")}


def sections(library):
    return set(re.findall(r"^\s*\[\s*\d+\]\s+(\.\S+)", readelf("--sections", library), re.MULTILINE))
