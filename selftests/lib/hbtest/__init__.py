# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests in Python share."""
