# SPDX-License-Identifier: GPL-2.0-or-later
"""The initial file system of a machine: Debian packages and a kernel's modules.

It is the machine's only one. Made once for each version of what is in it.
"""

import functools
import glob
import os
import re
import shutil
import subprocess
import tempfile

from cache import digest, file_digest, made

HERE = os.path.dirname(os.path.realpath(__file__))
# What only the installation of others needs.
NOT_NEEDED = {"debconf", "dpkg", "init-system-helpers", "libgprofng0", "perl-base"}
# Of binutils a machine has objdump and what it needs.
LEFT_OUT = re.compile(r"/usr/share/(doc|man|locale|info|lintian|zoneinfo|bug|i18n|perl5"
                      r"|bash-completion|common-licenses)/|.*/gconv/|/(bin|sbin|lib|lib64)$"
                      r"|/usr/bin/x86_64-linux-gnu-(as|dwp|gold|gp-.*|ld.*|readelf)$")
FOLDERS = ("dev", "etc", "mnt", "proc", "root", "run", "sys", "tmp", "usr/bin", "usr/lib",
           "usr/lib64", "usr/sbin", "var/tmp")
# Of the kernel's modules.
MODULES = ("arch", "crypto", "drivers/acpi/nfit", "drivers/char", "drivers/net", "drivers/nvdimm",
           "drivers/virtio", "lib", "net")
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}


class Failed(Exception):
    """A machine cannot be made or started; says why, and how to mend it."""


def installed():
    """Of each installed package (version, dependencies as lists of alternatives)."""
    form = "${db:Status-Status}\t${Package}\t${Version}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
    said = subprocess.run(["dpkg-query", "-W", "-f", form], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    found, provided = {}, {}

    def names(text, separator):
        return [re.split(r"[ :(]", part.strip())[0] for part in text.split(separator)]

    for line in said.splitlines():
        status, name, version, needs, provides = line.split("\t")
        if status == "installed":
            found[name] = version, [names(need, "|") for need in needs.split(",")]
            provided.update(dict.fromkeys(names(provides, ","), name))
    return found, provided


@functools.cache
def packages():
    """(name, version) of all that belong in, with what they depend on."""
    found, provided = installed()
    with open(os.path.join(HERE, "packages"), encoding="ascii") as file:
        todo = [line.strip() for line in file if not line.startswith("#")]
    wanted = {}
    while todo:
        name = todo.pop()
        if name not in found:
            raise Failed(f"the package {name} is missing; run 'make deps' as root")
        if name in wanted or name in NOT_NEEDED:
            continue
        wanted[name], needs = found[name]
        for names in needs:
            todo += [here for here in (other if other in found else provided.get(other)
                                       for other in names) if here][:1]
    return sorted(wanted.items())


def place(root, path):
    """Where a path of this machine lies below root, whose /usr is merged."""
    folder, name = os.path.split(path)
    return root + os.path.join(os.path.realpath(folder), name)


def settings():
    """(path, digest) of the files of these packages that an administrator may change."""
    for name, _ in packages():
        for listed in sorted(glob.glob(f"/var/lib/dpkg/info/{name}.conffiles")
                             + glob.glob(f"/var/lib/dpkg/info/{name}:*.conffiles")):
            with open(listed, encoding="utf-8") as file:
                for path in file.read().split("\n"):
                    if os.path.isfile(path):
                        yield path, file_digest(path)


def copy_packages(root):
    names = [name for name, _ in packages()]
    listed = subprocess.run(["dpkg", "-L", *names], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.splitlines()
    for path in sorted(set(listed)):
        to = place(root, path)
        if LEFT_OUT.match(path) or os.path.lexists(to):
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            os.makedirs(to)
        elif os.path.lexists(path):
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(path, to, follow_symlinks=False)


def copy_modules(root, kernel, release):
    source = os.path.join(kernel, "lib/modules", release)
    to = os.path.join(root, "usr/lib/modules", release)
    os.makedirs(to)
    for name in os.listdir(source):
        if name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
            shutil.copy(os.path.join(source, name), to)
    for name in MODULES:
        part = os.path.join(source, "kernel", name)
        if os.path.isdir(part):
            shutil.copytree(part, os.path.join(to, "kernel", name))
    packed = subprocess.run(["find", to, "-name", "*.xz", "-print0"], check=True,
                            stdout=subprocess.PIPE).stdout
    subprocess.run(["xargs", "-0", "-r", "xz", "-d"], input=packed, check=True)
    subprocess.run(["depmod", "-b", root, release], check=True)


def fill(root, kernel, release):
    for name in FOLDERS:
        os.makedirs(os.path.join(root, name))
    for name in ("bin", "lib", "lib64", "sbin"):
        os.symlink("usr/" + name, os.path.join(root, name))
    copy_packages(root)
    os.symlink("mawk", os.path.join(root, "usr/bin/awk"))
    for name, text in FILES.items():
        with open(os.path.join(root, name), "w", encoding="ascii") as file:
            file.write(text)
    copy_modules(root, kernel, release)
    shutil.copy(os.path.join(HERE, "init"), os.path.join(root, "init"))
    subprocess.run(["gcc", "-O2", "-Wall", "-static", "-o", os.path.join(root, "usr/sbin/mailbox"),
                    os.path.join(HERE, "mailbox.c")], check=True)
    subprocess.run(["ldconfig", "-r", root], check=True)
    # The machine's files have other dates, so that these are not compared.
    subprocess.run(["/usr/bin/python3", "-m", "compileall", "-q", "-s", root,
                    "--invalidation-mode", "unchecked-hash",
                    *glob.glob(os.path.join(root, "usr/lib/python3*"))], check=True)


def make(path, kernel, release):
    with tempfile.TemporaryDirectory(prefix="hbcast-image.") as root:
        fill(root, kernel, release)
        listed = sorted(os.path.relpath(os.path.join(folder, name), root)
                        for folder, folders, files in os.walk(root) for name in folders + files)
        with open(path, "wb") as file:
            subprocess.run(["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=root,
                           input="\n".join(listed).encode(), stdout=file, check=True)


def image(kernel, release):
    """The file for a kernel's folder; made if it is missing. Its name has the hash."""
    key = digest(release, packages(), list(settings()), file_digest(os.path.join(kernel, "vmlinuz")),
                 *(file_digest(os.path.join(HERE, name))
                   for name in ("image.py", "init", "mailbox.c")))
    return made("images", f"{release}-{key}", lambda path: make(path, kernel, release))
