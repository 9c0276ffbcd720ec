#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=2G disk=1G timeout=400 seeds=3
"""A short soak, or as long as one likes."""

from hbtest import soak

soak.main()
