// SPDX-License-Identifier: GPL-2.0-or-later
/* What is predicted, as commands print it. */
#include <math.h>

#include "output.h"
#include "plan_figure.h"

/* Nothing if it is infinite. */
static json_t *ratio_to_json(double ratio)
{
	return isfinite(ratio) ? json_real(ratio) : NULL;
}

/**
 * hbplan_figure() - what is predicted for a node
 * @figure: the prediction
 *
 * Return: a new object.
 */
json_t *hbplan_figure(const struct hbp_figure *figure)
{
	return json_pack("{s:I, s:o*, s:f, s:f, s:o*}", "id",
			 (json_int_t)figure->id, "rate_mbps", figure->rate_bps ?
			 json_real(hbp_mbps_from_bps(figure->rate_bps)) : NULL,
			 "completion_us", hbp_us_from_ns(figure->completion_ns),
			 "bound_us", hbp_us_from_ns(figure->bound_ns), "ratio",
			 ratio_to_json(hbp_figure_ratio(figure)));
}

/**
 * hbplan_overall() - what is predicted for a plan as a whole
 * @evaluation: the prediction
 *
 * Return: a new object.
 */
json_t *hbplan_overall(const struct hbp_evaluation *evaluation)
{
	const struct hbp_figure *slowest = hbp_evaluation_slowest(evaluation);
	int64_t bound = hbp_evaluation_bound(evaluation);
	int64_t rate = hbp_evaluation_rate(evaluation);

	return json_pack("{s:s, s:f, s:f, s:o*, s:I, s:f, s:o*}", "model",
			 hbp_model_name(evaluation->model), "completion_us",
			 hbp_us_from_ns(slowest->completion_ns), "bound_us",
			 hbp_us_from_ns(bound), "ratio",
			 ratio_to_json(hbp_ratio(slowest->completion_ns, bound)),
			 "slowest", (json_int_t)slowest->id,
			 "mean_completion_us",
			 hbp_us_from_ns(hbp_evaluation_mean(evaluation)),
			 "rate_mbps", rate ? json_real(hbp_mbps_from_bps(rate)) :
			 NULL);
}

/**
 * hbplan_write_ratio() - write a ratio into a cell of a table
 * @value: the ratio, or NULL for none
 * @buf: gets the text
 * @len: room in @buf
 */
void hbplan_write_ratio(const json_t *value, char *buf, size_t len)
{
	if (json_is_number(value))
		snprintf(buf, len, "%.3f", json_number_value(value));
	else
		hbout_plain(value, buf, len);
}
