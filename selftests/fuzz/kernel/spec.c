// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec.h"

#include "spec.inc"

const unsigned int spec_nr_commands = sizeof(spec_commands) / sizeof(spec_commands[0]);
