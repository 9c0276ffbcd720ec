/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network from tests between its hosts. */
#ifndef HBPLAN_INFER_H
#define HBPLAN_INFER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "measure/inferred.h"
#include "measure/prober.h"

int hbp_infer(const uint32_t *ids, size_t n, uint32_t root,
	      const struct hbp_prober *prober, uint64_t seed, struct hbp_inferred *out,
	      struct hbp_error *err);

#endif /* HBPLAN_INFER_H */
