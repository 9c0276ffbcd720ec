# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine under QEMU: booted once and kept, then restored for each use.

A machine that has booted pauses itself (vm/mailbox.c). Its memory and its state are
kept by the hash of all they come from. Each use maps the kept memory privately, takes
over the state, and gets its job through a device that is memory, too. Time is counted
in instructions, exactly thanks to vm/warp.c, and nothing comes from outside but the job
and the seed, so that the same job with the same seed is the same run, to the nanosecond.
"""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

import image
import tree
from cache import digest, file_digest, made
from image import Failed

HERE = os.path.dirname(os.path.realpath(__file__))
WARP = os.path.join(HERE, "warp.c")
QEMU = "qemu-system-x86_64"
# Of its firmware the files that these machines start with.
FIRMWARE = ("/usr/share/seabios/bios-256k.bin", "/usr/share/qemu/kvmvapic.bin",
            "/usr/share/qemu/linuxboot_dma.bin")
PAGE = 4096
BOX_SIZE = 64 << 20
BOOT_SECONDS = 600
SAVE_SECONDS = 60
DISK_ID = "68626361-7374-4d00-8000-000000000000"
PORTS = ("status", "out", "err", "kept")
ARGUMENTS = ("console=ttyS0,115200 loglevel=7 panic=-1 oops=panic nokaslr mitigations=off "
             "tsc=reliable no_timer_check random.trust_cpu=on cryptomgr.notests "
             "sysrq_always_enabled rcupdate.rcu_cpu_stall_timeout=60 net.ifnames=0 "
             "watchdog_thresh=30")


class NoKernel(Exception):
    """There is none of that name; vm/kernel has said why."""


class Spec:
    """What a machine is like: all that its state after the boot follows from."""

    def __init__(self, kernel, cpus, mem, disk, append, shell):
        self.name = kernel
        self.cpus = cpus
        self.mem = mem
        self.disk = disk
        self.shell = shell
        # A kernel that watches itself stops at the first thing it sees.
        watches = " panic_on_warn=1 page_owner=on" if kernel.endswith("-debug") else ""
        # What lies beyond 4 GiB is no memory that devices would need copies for.
        copies = " swiotlb=noforce" if disk else ""
        self.arguments = ARGUMENTS + watches + copies + "".join(f" {word}" for word in append)
        self.folder = self.find_kernel()
        with open(os.path.join(self.folder, "release"), encoding="ascii") as file:
            self.release = file.read().strip()
        self.image = image.image(self.folder, self.release)

    def find_kernel(self):
        got = subprocess.run([os.path.join(HERE, "kernel"), "dir", self.name],
                             stdout=subprocess.PIPE, text=True, check=False)
        if got.returncode:
            raise NoKernel
        return got.stdout.strip()

    def command(self, job, memory, shared, seed):
        """QEMU's; memory is the file that it maps."""
        # QEMU 7.2 leaves rubbish in the flags when CMPXCHG16B is interrupted. With ERMS
        # a kernel copies byte by byte, at an instruction each.
        words = [
            QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "q35,memory-backend=ram,hpet=off,smbus=off,sata=off,vmport=off",
            "-accel", "tcg,thread=single,tb-size=256", "-cpu", "max,la57=off,cx16=off,erms=off",
            "-smp", f"{self.cpus},sockets={self.cpus}", "-m", self.mem,
            "-object", f"memory-backend-file,id=ram,size={self.mem},mem-path={memory},"
            f"share={shared}",
            "-object", f"memory-backend-file,id=box,size={BOX_SIZE},mem-path={job}/box,"
            f"share={shared}",
            "-device", "ivshmem-plain,memdev=box,master=on",
            "-device", "pvpanic-pci", "-action", "panic=pause",
            "-kernel", os.path.join(self.folder, "vmlinuz"), "-initrd", self.image, "-append",
            self.arguments, "-seed", str(seed),
            "-chardev", f"socket,id=console,path={job}/keys,server=on,wait=off,"
            f"logfile={job}/console", "-serial", "chardev:console",
            "-qmp", f"unix:{job}/qmp,server=on,wait=off",
            # Without ioeventfd, what the guest has written is in the file
            # when its write returns, whatever happens to it next.
            "-device", "virtio-serial-pci,id=serial,ioeventfd=off",
        ]
        for number, name in enumerate(PORTS, 1):
            words += ["-chardev", f"file,id={name},path={job}/{name}", "-device",
                      f"virtserialport,bus=serial.0,nr={number},chardev={name},name={name}"]
        # Memory answers at once, in the machine's own time; what is behind a queue does not.
        if self.disk:
            words += ["-machine", "nvdimm=on", "-m", f"{self.mem},slots=1,maxmem=256G",
                      "-object", f"memory-backend-file,id=disk,size={self.disk},"
                      f"mem-path={job}/disk,share=on", "-device", "nvdimm,memdev=disk"]
        if self.shell:
            return words + ["-chardev", "stdio,id=tty,signal=off", "-device",
                            "virtconsole,bus=serial.0,nr=5,chardev=tty"]
        return words + ["-icount", "shift=0,sleep=off", "-rtc", "base=2025-01-01,clock=vm"]

    def kept(self):
        """The folder with the memory and the state after the boot."""
        parts = (shutil.which(QEMU), *FIRMWARE, os.path.realpath(__file__), WARP)
        key = digest(self.command("", "", "", ""), *map(file_digest, parts))
        return made("machines", f"{self.name}-{key}", self.boot)

    def boot(self, path):
        os.mkdir(path)
        with tempfile.TemporaryDirectory(prefix="hbcast-boot.") as job, Qemu(
                self, job, os.path.join(path, "memory"), "on", 1) as qemu:
            qemu.ask("cont")
            if not qemu.wait("GUEST_PANICKED"):
                raise Failed(f"the kernel {self.release} did not boot:\n{qemu.last_lines(40)}")
            qemu.save(os.path.join(path, "state"))
            shutil.copy(os.path.join(job, "console"), path)


def build_warp(path):
    subprocess.run(["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", path, WARP], check=True)


def preload(spec):
    """The library of vm/warp.c; none for a shell, whose machine is in real time."""
    return "" if spec.shell else made("warp", digest(file_digest(WARP)), build_warp)


class Qemu:
    """A QEMU that runs, in the folder of its job; paused at first."""

    def __init__(self, spec, job, memory, shared, seed):
        self.job = job
        self.events = []
        with open(os.path.join(job, "box"), "ab") as box:
            box.truncate(BOX_SIZE)
        self.command_line = spec.command(job, memory, shared, seed)
        # While its processors are at work, nobody is sure to be heard or told.
        self.command_line += ["-incoming", "defer"] if shared == "off" else ["-S"]
        library = preload(spec)
        with open(os.path.join(job, "qemu.log"), "wb") as log:
            # It ends with the one that started it, however that ends.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.command_line], stderr=log,
                env={**os.environ, "LD_PRELOAD": library},
                stdin=None if spec.shell else subprocess.DEVNULL,
                stdout=None if spec.shell else log)
        self.channel = self.connect("qmp")
        self.check(library)
        self.lines = self.channel.makefile("r", encoding="utf-8")
        self.next_line()
        self.ask("qmp_capabilities")
        self.ask("migrate-set-capabilities",
                 capabilities=[{"capability": "x-ignore-shared", "state": True}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.channel.close()

    def connect(self, name):
        channel = socket.socket(socket.AF_UNIX)
        channel.settimeout(BOOT_SECONDS)
        while True:
            try:
                channel.connect(os.path.join(self.job, name))
                return channel
            except OSError:
                if self.process.poll() is not None:
                    raise Failed(f"QEMU did not start: {self.said()}") from None
                time.sleep(0.01)

    def check(self, library):
        """What cannot be preloaded is left out without a word."""
        with open(f"/proc/{self.process.pid}/maps", encoding="utf-8") as maps:
            if library not in maps.read():
                self.process.kill()
                raise Failed(f"QEMU does not load {library}; HBCAST_CACHE must be a path without "
                             "spaces and colons, where programs may be run from")

    def said(self):
        with open(os.path.join(self.job, "qemu.log"), encoding="utf-8", errors="replace") as file:
            return file.read().strip()

    def next_line(self):
        try:
            line = self.lines.readline()
        except TimeoutError:
            raise Failed(f"QEMU does not answer: {self.last_lines(20)}") from None
        if not line:
            raise Failed(f"QEMU has ended: {self.said()}")
        return json.loads(line)

    def ask(self, command, **arguments):
        """QEMU's answer; events that come before it are kept."""
        message = json.dumps({"execute": command, "arguments": arguments}) + "\n"
        self.channel.sendall(message.encode())
        while True:
            line = self.next_line()
            if "event" in line:
                self.events.append(line["event"])
            elif "error" in line:
                raise Failed(f"QEMU refused {command}: {line['error']['desc']}")
            else:
                return line["return"]

    def wait(self, event):
        """Whether it has come; not if QEMU has ended or the time is over."""
        try:
            while event not in self.events:
                line = self.next_line()
                if "event" in line:
                    self.events.append(line["event"])
        except Failed:
            return False
        return True

    def wait_migration(self):
        while True:
            status = self.ask("query-migrate").get("status")
            if status == "completed":
                return
            if status == "failed":
                raise Failed(f"the machine's state cannot be kept or restored: {self.said()}")
            time.sleep(0.005)

    def save(self, path):
        """QEMU does not wait for the program that writes."""
        self.ask("migrate", uri=f"exec:cat >'{path}.part' && mv '{path}.part' '{path}'")
        self.wait_migration()
        until = time.monotonic() + SAVE_SECONDS
        while not os.path.exists(path):
            if time.monotonic() > until:
                raise Failed(f"{path} cannot be written; see that there is room on the disk")
            time.sleep(0.01)

    def restore(self, path):
        # What it would say to the network runs on the host's clock.
        self.ask("migrate-set-parameters", **{"announce-rounds": 0})
        self.ask("migrate-incoming", uri=f"exec:cat '{path}'")
        self.wait_migration()
        self.ask("cont")

    def last_lines(self, count):
        path = os.path.join(self.job, "console")
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(file.read().replace("\r", "").splitlines(True)[-count:])

    def question(self):
        """Asks a hung kernel what it does: blocked tasks, processors, then all tasks."""
        # So that it answers while the processors do not rest.
        self.process.send_signal(signal.SIGURG)
        keys = self.connect("keys")
        for key in b"wlt":
            # The key at the break's own time: the kernel waits a few seconds for it.
            self.ask("stop")
            self.ask("human-monitor-command", **{"command-line": "chardev-send-break console"})
            keys.sendall(bytes([key]))
            time.sleep(0.2)
            self.ask("cont")
            time.sleep(2)
        keys.close()


def fill_box(path, job, files):
    """What vm/mailbox.c reads."""
    size = PAGE + (len(job) + PAGE - 1) // PAGE * PAGE + os.path.getsize(files)
    if size > BOX_SIZE:
        raise Failed(f"the project's files are {size} bytes, more than the {BOX_SIZE} that a "
                     "machine can be given; remove what is not needed")
    with open(path, "wb") as box, open(files, "rb") as archive:
        box.write(struct.pack("<QQ", len(job), os.path.getsize(files)))
        box.seek(PAGE)
        box.write(job)
        box.seek(size - os.path.getsize(files))
        shutil.copyfileobj(archive, box)


def make_disk(path, size):
    """A sparse file with an empty file system, the same each time."""
    with open(path, "wb"):
        pass
    subprocess.run(["mkfs.ext4", "-q", "-F", "-U", DISK_ID, "-E", f"hash_seed={DISK_ID}", path, size],
                   check=True, env={**os.environ, "E2FSPROGS_FAKE_TIME": str(tree.DATE)})


def start(spec, folder, job, more, seed):
    """A machine that runs the job, a shell script of variables; Qemu."""
    kept = spec.kept()
    fill_box(os.path.join(folder, "box"), job, tree.tree(more))
    shutil.copy(os.path.join(kept, "console"), os.path.join(folder, "boot"))
    if spec.disk:
        make_disk(os.path.join(folder, "disk"), spec.disk)
    qemu = Qemu(spec, folder, os.path.join(kept, "memory"), "off", seed)
    try:
        qemu.restore(os.path.join(kept, "state"))
    except BaseException:
        qemu.process.kill()
        raise
    return qemu
