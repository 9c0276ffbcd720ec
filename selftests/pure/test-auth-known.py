#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The proofs of kmod/wire/auth.c beside ones that Python makes of the same input,
put together as Documentation/wire-format.md says.
"""

import hashlib
import hmac
import os
import subprocess
import sys

AUTH_MAC = os.path.join(os.path.dirname(os.path.realpath(__file__)), "auth-mac")


def count_up(first, length):
    return bytes((first + i) % 256 for i in range(length))


def known(side, key, hello, node, nonce, mac):
    message = ("hbcast " + side).encode().ljust(24, b"\0") + hello
    message += node.to_bytes(4, "big") + nonce
    if side == "connector":
        message += mac
    return hmac.new(key, message, hashlib.sha256).hexdigest()


def known_cases():
    hello = bytes([1, 4, 0, 68]) + count_up(0x11, 64)
    for key_len in (16, 17, 32, 63, 64):
        for side in ("acceptor", "connector"):
            yield (side, count_up(key_len, key_len), hello, 0x31323334,
                   count_up(0x80, 32), count_up(0xA0, 32))
    yield "acceptor", bytes(16), bytes(68), 0, bytes(32), bytes(32)
    ones = bytes([255] * 68)
    yield "connector", ones[:64], ones, 2**32 - 1, ones[:32], ones[:32]


def ours(side, key, hello, node, nonce, mac):
    return subprocess.run(
        [AUTH_MAC, side, key.hex(), hello.hex(), str(node), nonce.hex(), mac.hex()],
        stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


def main():
    failed = count = 0
    for count, case in enumerate(known_cases(), 1):
        good = ours(*case) == known(*case)
        failed += not good
        print(f"{'' if good else 'not '}ok {count} - "
              f"{case[0]}'s proof with a key of {len(case[1])} bytes is known")
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
