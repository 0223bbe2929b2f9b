"""Installs what the tests need from outside, under target/ and nowhere else.

Each thing is installed once, by its ordinary client (pip, npm), and again when its pin changes. The whole
costs about 700 MB and two minutes. Nothing here needs to be root; `debian_packages` installs only if it is.

    python3 tests/provision.py python|node     builds the binding as it stands, and prints what runs a program with it
"""

import contextlib
import fcntl
import importlib.util
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
# What tests and examples of the bindings use. The bindings themselves need none of it.
PYTHON_PACKAGES = ["pydantic==2.14.3", "fastapi==0.163.2", "starlette==1.10.0", "uvicorn==0.54.0", "gunicorn==27.0.1",
                   "uvloop==0.23.0", "httptools==0.9.0", "httpx==0.28.1", "mypy==2.4.1"]
NODE_PACKAGES = ["zod@4.6.7", "valibot@1.5.0", "@valibot/to-json-schema@1.8.0", "arktype@2.2.9", "express@5.3.0",
                 "@types/express@5.0.6", "fastify@5.12.8", "hono@4.13.19", "@types/node@20", "typescript@7.0.2"]


def python_with(name, *packages):
    """The interpreter of the virtual environment target/venv-NAME, with the pinned packages in it."""
    folder = TARGET / f"venv-{name}"

    def install():
        if importlib.util.find_spec("ensurepip") is None:
            install_debian(["python3-venv"])
        run([sys.executable, "-m", "venv", folder])
        run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages])

    once(folder, packages, install)
    return folder / "bin/python"


def node_modules(name, *packages):
    """The folder target/node/NAME/node_modules, with the pinned npm packages in it."""
    folder = TARGET / "node" / name

    def install():
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"private": True}))
        quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
        run(["npm", "install", *quiet, *packages], cwd=folder)

    once(folder, packages, install)
    return folder / "node_modules"


def python_binding():
    """An interpreter that finds the Python package in the source tree, built as it stands, beside what its tests and
    examples use."""
    make("python")
    python = python_with("python", *PYTHON_PACKAGES)
    [packages] = (python.parent.parent / "lib").glob("python*/site-packages")
    put(packages / "libmcp-source-tree.pth", f"{ROOT / 'bindings/python'}\n")
    return python


def node_binding():
    """A folder node_modules that has the Node package from the source tree, built as it stands, beside what its tests and
    examples use. A link in the root of the source tree leads to it, as Node looks for packages from a program upwards."""
    make("node")
    modules = node_modules("binding", *NODE_PACKAGES)
    link(modules / "libmcp", ROOT / "bindings/node")
    link(ROOT / "node_modules", modules)
    return modules


def make(target):
    run(["make", "--silent", "-C", ROOT, target])


def put(file, text):
    """Writes a file unless it is so already, in one step: others may read it."""
    if not file.exists() or file.read_text() != text:
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_text(text)
        fresh.rename(file)


def link(place, aim):
    """Makes a link unless it is there, in one step."""
    if not place.is_symlink() or os.readlink(place) != str(aim):
        fresh = place.with_name(f".{place.name}.{os.getpid()}")
        fresh.symlink_to(aim)
        fresh.rename(place)


def node24():
    """A Node newer than the Node 20 that this project asks for: the conformance suite and the Inspector need it.
    It comes as an npm package too."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine())
    if machine is None:
        sys.exit(f"no Node 24 package for this machine ({platform.machine()})")
    return node_modules("runtime", f"node-linux-{machine}@24") / f"node-linux-{machine}/bin/node"


def debian_packages(package_of_command):
    """Sees to it that each command is there; its value is the Debian package that has it."""
    missing = sorted({package for command, package in package_of_command.items() if shutil.which(command) is None})
    if missing:
        install_debian(missing)


def install_debian(packages):
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.exit(f"please install: {' '.join(packages)}   (apt-get install {' '.join(packages)})")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with one_at_a_time("debian"):
        run(["apt-get", "update", "-qq"], env=quiet)
        run(["apt-get", "install", "-y", "-qq", *packages], env=quiet)


def once(folder, pins, install):
    """Runs `install` unless `folder` holds exactly `pins`. Two that want the same folder wait for each other."""
    stamp = folder / "installed-by-tests"
    wanted = "\n".join(pins)
    with one_at_a_time(folder.name):
        if stamp.exists() and stamp.read_text() == wanted:
            return
        print(f"installing {', '.join(pins)} in {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        install()
        stamp.write_text(wanted)


@contextlib.contextmanager
def one_at_a_time(what):
    """Nobody else, in this process or another, is within the same `with` at the same time."""
    TARGET.mkdir(exist_ok=True)
    with open(TARGET / f".provision-lock-{what}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(command, **options):
    """Runs an installer; what it says goes to stderr, so that stdout stays the tests'."""
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr, **options)


if __name__ == "__main__":
    if sys.argv[1:] == ["python"]:
        print(python_binding())
    elif sys.argv[1:] == ["node"]:
        node_binding()
        print(shutil.which("node"))
    else:
        sys.exit(__doc__)
