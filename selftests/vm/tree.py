# SPDX-License-Identifier: GPL-2.0-or-later
"""The project's files as a machine gets them: an archive without what only builds need.

Times and owners are the same for all, and the project has the same place in each machine, so
that a machine's run depends neither on them nor on where the project lies.
"""

import io
import os
import subprocess
import tarfile
import tempfile

from cache import digest, made

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
INSIDE = "/hbcast"
LEFT_OUT = {".git", "build", "__pycache__"}
# Large programs that run on this machine only.
HERE_ONLY = {os.path.join(TOP, "selftests", name) for name in ("plan", "fuzz/plan", "fuzz/wire")}
LEFT_OUT_ENDS = (".o", ".a", ".d", ".cmd")
ELF = b"\x7fELF"
DATE = 1735689600


def below(top):
    """Paths of all files and links below a file or folder."""
    if not os.path.isdir(top):
        return [top]
    found = []
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in set(folders) - LEFT_OUT
                            if os.path.join(folder, name) not in HERE_ONLY)
        found += [os.path.join(folder, name) for name in sorted(files)
                  if not name.endswith(LEFT_OUT_ENDS)]
    return found


def content(path):
    """A file's, without what only a debugger needs."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(ELF):
        with tempfile.NamedTemporaryFile() as stripped:
            subprocess.run(["strip", "-g", "-o", stripped.name, path], check=True)
            data = stripped.read()
    return data


def inside(path):
    """What it is in a machine, where the project has another place."""
    return INSIDE + path[len(TOP):] if path == TOP or path.startswith(TOP + "/") else path


def pack(archive, files):
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as tar:
        for path in files:
            info = tarfile.TarInfo(inside(path).lstrip("/"))
            info.mtime = DATE
            info.mode = os.lstat(path).st_mode & 0o777
            if os.path.islink(path):
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
                tar.addfile(info)
                continue
            data = content(path)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def state(path):
    found = os.lstat(path)
    return f"{path} {found.st_mode} {found.st_size} {found.st_mtime_ns} {found.st_ino}\n"


def tree(more):
    """The archive of the project and of more files and folders; made if it is missing."""
    files = [path for top in (TOP, *more) for path in below(os.path.realpath(top))]
    with open(os.path.realpath(__file__), "rb") as file:
        key = digest(file.read(), "".join(state(path) for path in files))
    return made("trees", key, lambda path: pack(path, files), days=1)
