"""The wheel: what is in it, and what it does in a fresh virtual environment."""

import email
import re
import subprocess
import sys
import zipfile

import elf
from checks import ROOT, check, expect_equal, expect_same_files, output_of, report, version

sys.path.insert(0, str(ROOT / "tests/readme"))
from reader import Reader  # noqa: E402

SOURCE = ROOT / "bindings/python"
ADDON = "libmcp/_libmcp.abi3.so"


def check_wheel(away):
    """All of it; `away` is a folder outside of the source tree."""
    [wheel] = (ROOT / "target/wheels").glob("libmcp-*-abi3-*.whl")
    with check("the wheel is for CPython 3.10 and later, of the one version"):
        expect_equal(wheel.name.split("-")[:4], ["libmcp", version(), "cp310", "abi3"], "name")
    with zipfile.ZipFile(wheel) as archive:
        check_files(archive)
        check_metadata(archive)
        archive.extract(ADDON, away)
    check_library(away / ADDON, wheel)
    check_installed(away, wheel)


def check_files(archive):
    with check("the wheel has the package's files and no others"):
        info = f"libmcp-{version()}.dist-info"
        modules = [file for file in (SOURCE / "libmcp").rglob("*") if file.suffix in (".py", ".pyi") or file.name == "py.typed"]
        expect_same_files(archive.namelist(), [
            ADDON, *(str(module.relative_to(SOURCE)) for module in modules),
            *(f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE-MIT", "licenses/LICENSE-APACHE")),
        ])  # fmt: skip


def check_metadata(archive):
    with check("the wheel needs no other package, and says what it is"):
        metadata = email.message_from_bytes(archive.read(f"libmcp-{version()}.dist-info/METADATA"))
        expect_equal(metadata["Version"], version(), "Version")
        expect_equal(metadata["Requires-Python"], ">=3.10", "Requires-Python")
        expect_equal(metadata["License-Expression"], "MIT OR Apache-2.0", "License-Expression")
        always = [need for need in metadata.get_all("Requires-Dist", []) if "extra ==" not in need]
        expect_equal(always, [], "Requires-Dist without an extra")
        if "# libmcp" not in metadata.get_payload():
            raise AssertionError("its description is not README.md")


def check_library(library, wheel):
    floor = elf.glibc_floor(library)
    with check("the wheel's tag names the glibc that its library needs, which is none newer than README.md says"):
        tag = re.search(r"manylinux_(\d+)_(\d+)_x86_64", wheel.name)
        expect_equal(tuple(map(int, tag.groups())), floor, "tag")
        check_promised(floor, SOURCE / "README.md")
    check_stripped("the wheel's library", library, {"PyInit__libmcp"})


def check_promised(floor, page):
    promised = tuple(map(int, re.search(r"glibc\s+(\d+)\.(\d+)", page.read_text()).groups()))
    if floor > promised:
        raise AssertionError(f"{page.relative_to(ROOT)} promises glibc {promised}, but {floor} is needed")


def check_stripped(name, library, offers):
    with check(f"{name} is stripped, and needs and offers what it should"):
        extra = elf.needed(library) - {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
        expect_equal(extra, set(), "further libraries")
        expect_equal(elf.search_paths(library), [], "search paths")
        surplus = {section for section in elf.sections(library) if section == ".symtab" or section.startswith(".debug")}
        expect_equal(surplus, set(), "sections that strip takes")
        expect_equal(elf.defined(library), offers, "functions that it offers")


def check_installed(away, wheel):
    folder = away / "python"
    folder.mkdir()
    with check("the wheel is installed in a fresh environment without a network"):
        output_of(sys.executable, "-m", "venv", folder / "env")
        output_of(folder / "env/bin/pip", "install", "--no-index", "--disable-pip-version-check", wheel)
    python = folder / "env/bin/python"
    with check("the package is that of the environment, in the one version"):
        says = output_of(python, "-c", "import libmcp; print(libmcp.__version__, libmcp.__file__)", cwd=folder)
        expect_equal(says.split()[0], version(), "libmcp.__version__")
        if not says.split()[1].startswith(str(folder)):
            raise AssertionError(f"it is {says.split()[1]}")
    with check("pip finds it whole"):
        output_of(python, "-m", "pip", "check", "--disable-pip-version-check")
    check_broken(python)
    # `pip install libmcp` on the page takes the wheel that was built here.
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    reader = Reader(away / "python", report, {"/path/to/libmcp": str(ROOT)}, env)
    reader.follow((SOURCE / "README.md").read_text(), "bindings/python/README.md ")


def check_broken(python):
    """What is said where the library is there and cannot be loaded."""
    with check("what the loader says of a broken library reaches the user of Python"):
        where = output_of(python, "-c", "import libmcp._libmcp as addon; print(addon.__file__)").strip()
        with broken(where):
            failed = subprocess.run([python, "-c", "import libmcp"], capture_output=True, text=True)
        if "ImportError" not in failed.stderr or "`GLIBC_9.99' not found" not in failed.stderr:
            raise AssertionError(f"it said {failed.stderr}")


class broken:
    """For a `with`: the library asks for a glibc that does not exist, as one that was built on a newer system would."""

    def __init__(self, library):
        self.library = library

    def __enter__(self):
        with open(self.library, "rb") as file:
            self.good = file.read()
        wants = "GLIBC_" + ".".join(map(str, elf.glibc_floor(self.library)))
        future = f"GLIBC_9.{'9' * (len(wants) - len('GLIBC_9.'))}"
        self.write(self.good.replace(f"{wants}\0".encode(), f"{future}\0".encode()))

    def __exit__(self, *_):
        self.write(self.good)

    def write(self, content):
        with open(self.library, "wb") as file:
            file.write(content)
