"""The npm packages: what is in them, and what they do in a fresh folder."""

import json
import subprocess
import sys
import tarfile

import elf
from checks import ROOT, check, expect_equal, expect_same_files, output_of, report, version
from python import broken, check_promised, check_stripped

sys.path.insert(0, str(ROOT / "tests/readme"))
from reader import Reader  # noqa: E402

SOURCE = ROOT / "bindings/node"
PLATFORM = "linux-x64-gnu"
ADDON = f"libmcp.{PLATFORM}.node"
NPM = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"]


def check_npm(away):
    """All of it; `away` is a folder outside of the source tree."""
    tarballs = {name: ROOT / f"target/npm/{name}-{version()}.tgz" for name in ("libmcp", f"libmcp-{PLATFORM}")}
    packages = {}
    for name, tarball in tarballs.items():
        folder = away / f"unpacked-{name}"
        with tarfile.open(tarball) as archive:
            archive.extractall(folder, filter="data")
        packages[name] = folder / "package"
    check_main(packages["libmcp"])
    check_addon(packages[f"libmcp-{PLATFORM}"])
    check_installed(away, tarballs)


def files_of(package):
    return [str(file.relative_to(package)) for file in package.rglob("*") if file.is_file()]


def check_main(package):
    with check("the npm package has its JavaScript in one file, its types and no others"):
        tops = [file.name for file in SOURCE.iterdir() if file.suffix in (".js", ".mjs", ".ts", ".mts", ".cts")]
        tops.remove("native.d.ts")  # holds lib/ against the addon; what users see is index.d.ts
        expect_same_files(files_of(package), [*tops, "package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE"])
    says = json.loads((package / "package.json").read_text())
    with check("the npm package runs nothing when it is installed, and needs the addon of its own version alone"):
        check_no_scripts(says)
        expect_equal(says["version"], version(), "version")
        expect_equal(says.get("dependencies", {}), {}, "dependencies")
        expect_equal(says["optionalDependencies"], {f"libmcp-{PLATFORM}": version()}, "optionalDependencies")


def check_addon(package):
    with check("the addon's npm package has the addon"):
        expect_same_files(files_of(package), [ADDON, "package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE"])
    says = json.loads((package / "package.json").read_text())
    with check("npm installs the addon's package where the addon runs, and nowhere else"):
        check_no_scripts(says)
        for key, should in {"version": version(), "os": ["linux"], "cpu": ["x64"], "libc": ["glibc"]}.items():
            expect_equal(says[key], should, key)
    with check("the addon needs no glibc newer than README.md says"):
        check_promised(elf.glibc_floor(package / ADDON), SOURCE / "README.md")
    check_stripped("the addon", package / ADDON, {"napi_register_module_v1"})


def check_no_scripts(says):
    expect_equal(set(says.get("scripts", {})) & {"preinstall", "install", "postinstall", "prepare"}, set(), "scripts")


def check_installed(away, tarballs):
    folder = away / "node"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}\n')
    with check("the tarballs are installed in a fresh folder without a network"):
        output_of(*NPM, *tarballs.values(), cwd=folder)
    for way, program in {
        "import": "import { Server } from 'libmcp'; import * as all from 'libmcp'; console.log(typeof Server, Object.keys(all).length)",
        "require": "const all = require('libmcp'); console.log(typeof all.Server, Object.keys(all).length)",
    }.items():
        with check(f"the package is taken by {way}"):
            kind = "module" if way == "import" else "commonjs"
            says = output_of("node", f"--input-type={kind}", "-e", program, cwd=folder)
            expect_equal(says.split()[0], "function", "Server")
    check_loader(folder)
    reader = Reader(folder, report, {"/path/to/libmcp": str(ROOT), "npm install libmcp\n": stand_in(tarballs)},
                    {"npm_config_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false"})
    reader.follow((SOURCE / "README.md").read_text(), "bindings/node/README.md ")


def stand_in(tarballs):
    """`npm install libmcp` on the page takes the tarballs that were built here."""
    return f"npm install {' '.join(map(str, tarballs.values()))}\n"


def check_loader(folder):
    """What is said where the addon is not there, or cannot be loaded."""
    addon = folder / f"node_modules/libmcp-{PLATFORM}"
    with check("an addon that cannot be loaded is an error in the loader's own words"):
        with broken(addon / ADDON):
            said = loading_fails(folder)
        for word in "`GLIBC_9.99' not found", f"libmcp-{PLATFORM}":
            if word not in said:
                raise AssertionError(f"no {word!r} in {said}")
    with check("an addon that is not installed is an error that names its package"):
        elsewhere = addon.rename(folder / "addon-elsewhere")
        said = loading_fails(folder)
        elsewhere.rename(addon)
        if f"libmcp-{PLATFORM}" not in said or "GLIBC" in said:
            raise AssertionError(f"it said {said}")


def loading_fails(folder):
    failed = subprocess.run(["node", "-e", "require('libmcp')"], cwd=folder, capture_output=True, text=True)
    if failed.returncode == 0:
        raise AssertionError("it is loaded all the same")
    return failed.stderr
