// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that delete something. */
#include "args.h"
#include "delete.h"
#include "genl.h"
#include "output.h"

/**
 * hbdelete_run() - have the kernel delete what an id names, or the only one
 * @ctl: the run
 * @cmd: HBCAST_CMD_*
 * @attr: the id's attribute; 0 for what has no id
 * @what: the sentence's beginning when the kernel refuses; %u is the id
 * @argc: number of words after the command
 * @argv: the words after the command
 *
 * Return: an exit code.
 */
int hbdelete_run(struct hbctl *ctl, uint8_t cmd, int attr, const char *what,
		 int argc, char **argv)
{
	uint32_t id = 0;
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, &id, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ }
	};
	struct nl_msg *msg;
	struct hbgenl g;
	int ret;

	ret = hbarg_parse(ctl, attr ? keys : keys + 1, argc, argv);
	if (ret)
		return ret;
	ret = hbgenl_open(ctl, &g);
	if (ret)
		goto out;
	msg = hbgenl_msg(&g, cmd);
	if (attr)
		hbgenl_put_u32(msg, attr, id);
	ret = hbgenl_do(ctl, &g, msg, what, id);
	if (!ret)
		ret = hbout_done(ctl, attr ? json_pack("{s:I}", "id",
						       (json_int_t)id) :
				      json_object());
out:
	hbgenl_close(&g);
	return ret;
}
