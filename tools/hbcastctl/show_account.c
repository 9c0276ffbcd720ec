// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl show account: what became of this root's messages at each member. */
#include <linux/hbcast_netlink.h>

#include "args.h"
#include "attrs.h"
#include "show.h"

static int get(struct hbctl *ctl, struct hbgenl *g, json_t **out)
{
	static const char * const identity[] = { "group", "node", NULL };
	json_int_t failed, delivered, accepted;
	json_t *row, *count;
	const char *reason;
	size_t i;
	int ret;

	ret = hbgenl_dump(ctl, g, HBCAST_CMD_ACCOUNT_GET, hbattrs_account,
			  identity, "the accounts cannot be shown", out);
	if (ret)
		return ret;
	json_array_foreach(*out, i, row) {
		failed = 0;
		json_object_foreach(json_object_get(row, "failures"), reason, count)
			failed += json_integer_value(count);
		accepted = json_integer_value(json_object_get(row, "accepted"));
		delivered = json_integer_value(json_object_get(row, "delivered"));
		json_object_set_new(row, "failed", json_integer(failed));
		json_object_set_new(row, "pending",
				    json_integer(accepted - delivered - failed));
	}
	return HBCTL_OK;
}

/* Those that there were, and how often. */
static void failures_cell(const json_t *value, char *buf, size_t len)
{
	const char *reason, *comma = "";
	size_t used = 0;
	json_t *count;

	snprintf(buf, len, "-");
	json_object_foreach((json_t *)value, reason, count) {
		if (!json_integer_value(count) || used >= len)
			continue;
		used += snprintf(buf + used, len - used, "%s%s %lld", comma, reason,
				 (long long)json_integer_value(count));
		comma = ", ";
	}
}

static void text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	static const struct hbout_column columns[] = {
		{ "GROUP", "group", NULL },
		{ "NODE", "node", NULL },
		{ "ACCEPTED", "accepted", NULL },
		{ "DELIVERED", "delivered", NULL },
		{ "PENDING", "pending", NULL },
		{ "FAILED", "failed", NULL },
		{ "FOR", "failures", failures_cell },
		{ }
	};

	(void)ctl;
	hbout_table(out, result, columns);
}

const struct hbshow_noun hbshow_accounts = { "accounts", get, text };

/**
 * hbshow_account() - the command "show account"
 * @ctl: the run
 * @argc: number of words
 * @argv: the words
 *
 * Return: an exit code.
 */
int hbshow_account(struct hbctl *ctl, int argc, char **argv)
{
	uint32_t group = 0, node = 0;
	struct hbarg_key keys[] = {
		{ "group", hbarg_id, &group, 0, 0 },
		{ "node", hbarg_id, &node, 0, 0 },
		{ }
	};
	json_t *result;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (ret)
		return ret;
	ret = hbshow_get(ctl, &hbshow_accounts, &result);
	if (ret)
		return ret;
	hbshow_filter(result, "group", group);
	hbshow_filter(result, "node", node);
	return hbout_print(ctl, result, text);
}
