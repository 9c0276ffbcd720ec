# SPDX-License-Identifier: GPL-2.0-or-later
"""What is made once for each content of what it is made from, for all clones."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import time

CACHE = os.path.abspath(os.environ.get("HBCAST_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "hbcast"))
DAY = 24 * 3600
# Of one kind, however often what they are made from changes: a machine has half a GB.
MOST = 40


def digest(*parts):
    """A short name for the parts, which are bytes or have str()."""
    total = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:20]


def file_digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def locked(path):
    """For one at a time, in this and in other processes."""
    with open(path, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def prune(folder, days, but=None, most=None):
    """Removes what has not been used for so many days, and what is not among the most that
    have been used last."""
    used = {}
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            used[name] = os.stat(os.path.join(folder, name)).st_mtime
    oldest = time.time() - days * DAY
    for place, name in enumerate(sorted(used, key=used.get, reverse=True)):
        if name != but and (used[name] < oldest or most is not None and place >= most):
            path = os.path.join(folder, name)
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def made(kind, key, make, days=3):
    """The path of the kept file or folder; make(path) makes it when it is not there."""
    folder = os.path.join(CACHE, kind)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, key)
    if not os.path.exists(path):
        with locked(os.path.join(CACHE, f"{kind}.lock")):
            if not os.path.exists(path):
                new = os.path.join(folder, f".{key}.{os.getpid()}")
                try:
                    make(new)
                    os.rename(new, path)
                finally:
                    shutil.rmtree(new, ignore_errors=True)
                    with contextlib.suppress(OSError):
                        os.remove(new)
                prune(folder, days, key, MOST)
    os.utime(path)
    return path
