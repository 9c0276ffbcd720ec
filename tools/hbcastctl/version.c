// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl version: whether the tool and the module fit. */
#include <hbcast_version.h>
#include <linux/hbcast_netlink.h>

#include "args.h"
#include "genl.h"
#include "output.h"

static void text(struct hbctl *ctl, const json_t *result, FILE *out)
{
	const json_t *module = json_object_get(result, "module");

	(void)ctl;
	fprintf(out, "hbcastctl %s, interface %d\n", HBCAST_VERSION,
		HBCAST_INTERFACE_VERSION);
	if (json_is_null(module))
		return;
	fprintf(out, "module    %s, interface %lld, wire %lld\n",
		json_string_value(json_object_get(module, "version")),
		json_integer_value(json_object_get(module, "interface")),
		json_integer_value(json_object_get(module, "wire")));
}

static int run(struct hbctl *ctl, int argc, char **argv)
{
	struct hbarg_key keys[] = { { } };
	json_t *version, *result;
	struct hbgenl g;
	int ret, printed;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (ret)
		return ret;
	ret = hbgenl_open_any(ctl, &g, &version);
	hbgenl_close(&g);
	if (!ret)
		ret = hbgenl_check(ctl, version);
	result = json_pack("{s:{s:s, s:i}, s:o?}", "tool",
			   "version", HBCAST_VERSION,
			   "interface", HBCAST_INTERFACE_VERSION,
			   "module", version);
	printed = hbout_print(ctl, result, text);
	return ret ? ret : printed;
}

/**
 * hbctl_cmd_version() - versions of the tool and of the module
 * @ctl: the run
 * @argc: number of words after "version"
 * @argv: the words after "version"
 *
 * Return: an exit code; HBCTL_USAGE if they do not fit.
 */
int hbctl_cmd_version(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command object = {
		"version", run, "", "versions of the tool and of the module", false
	};

	return hbctl_single(ctl, &object, argc, argv);
}
