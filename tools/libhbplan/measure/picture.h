/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network that was found, drawn as text and for Graphviz. */
#ifndef HBPLAN_PICTURE_H
#define HBPLAN_PICTURE_H

#include <stdio.h>

#include "draw.h"
#include "measure/inferred.h"

void hbp_picture_text(const struct hbp_inferred *inferred, hbp_label_fn label,
		      void *arg, FILE *out);
void hbp_picture_dot(const struct hbp_inferred *inferred, hbp_label_fn label,
		     void *arg, FILE *out);

#endif /* HBPLAN_PICTURE_H */
