// SPDX-License-Identifier: GPL-2.0-or-later
/* How old the figures are that are planned with. */
#include <string.h>
#include <time.h>

#include "output.h"
#include "plan_age.h"
#include "stamp.h"

#define MINUTE		60
#define HOUR		(60 * MINUTE)
#define DAY		(24 * HOUR)
#define SEVERAL		2	/* and more of a unit are told in it */
#define AGE_LEN		32

static void age_text(time_t now, time_t then, char text[AGE_LEN])
{
	static const struct {
		time_t length;
		const char *name;
	} units[] = {
		{ DAY, "day" }, { HOUR, "hour" }, { MINUTE, "minute" }, { 1, "second" }
	};
	time_t seconds = now > then ? now - then : 0, n;
	size_t i = 0;

	while (units[i].length > 1 && seconds < SEVERAL * units[i].length)
		i++;
	n = seconds / units[i].length;
	snprintf(text, AGE_LEN, "%lld %s%s", (long long)n, units[i].name, n == 1 ? "" : "s");
}

/**
 * hbplan_tell_age() - tell a person how old the bandwidths of an input are
 * @ctl: the run
 * @in: the input; of one that tells no times nothing is said
 *
 * Times of the future are warned of.
 */
void hbplan_tell_age(struct hbctl *ctl, const struct hbp_input *in)
{
	char oldest[AGE_LEN], newest[AGE_LEN], stamp[HBP_STAMP_LEN];
	time_t now = time(NULL);

	if (in->age.newest > now + HBP_STAMP_APART_S) {
		hbp_stamp_text(in->age.newest, stamp);
		hbctl_warning(ctl, "%s has bandwidths of %s, which is in the future: set the clocks of both machines",
			      in->name, stamp);
	} else if (in->age.oldest && !ctl->json) {
		age_text(now, in->age.oldest, oldest);
		age_text(now, in->age.newest, newest);
		fprintf(stderr, "hbcastctl: the bandwidths in %s were measured %s ago", in->name,
			oldest);
		if (strcmp(oldest, newest))
			fprintf(stderr, " or later, the last ones %s ago", newest);
		fputc('\n', stderr);
	}
}

/**
 * hbplan_age() - when the bandwidths of an input were measured, and how old they are
 * @in: the input
 *
 * Return: an object, to be released by the caller; NULL if the input tells no times.
 */
json_t *hbplan_age(const struct hbp_input *in)
{
	json_t *age = hbp_age_to_json(&in->age);
	double seconds = difftime(time(NULL), in->age.oldest);

	/* Negative in the future. */
	if (age)
		json_object_set_new(age, "age_us", json_real(1e6 * seconds));
	return age;
}
