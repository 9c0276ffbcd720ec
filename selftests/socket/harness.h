/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's harness, with limits that a kernel that watches itself can keep. */
#ifndef _HBC_SELFTESTS_HARNESS_H
#define _HBC_SELFTESTS_HARNESS_H

#include <kselftest_harness.h>

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 150

#endif /* _HBC_SELFTESTS_HARNESS_H */
