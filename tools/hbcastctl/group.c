// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl group: the groups that this node takes part in. */
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hbcast_netlink.h>

#include "args.h"
#include "delete.h"
#include "genl.h"
#include "key.h"
#include "output.h"
#include "show.h"

/**
 * struct settings - what is given of a group
 * @id: its id
 * @key_file: file of its key, or NULL
 * @key: what is in the file
 * @key_len: bytes of @key; 0 if none is given
 * @uid: owner
 * @gid: owning group
 * @mode: who may bind and connect
 * @dead_ns: dead interval
 * @stall_ns: stall interval
 * @window: bytes of short messages under way
 * @spool: bytes of a root's files in memory
 * @max_nodes: a larger tree is refused
 * @probe: members may measure with this node
 * @probe_bps: what it sends at most for that, bit/s; 0 for no limit
 * @probe_total: bytes that it sends at most for that; 0 for no limit
 * @members: their ids; owned
 * @n_members: how many; 0 lets in whoever has the key
 */
struct settings {
	uint32_t id;
	const char *key_file;
	unsigned char key[HBCAST_KEY_LEN_MAX];
	size_t key_len;
	uint32_t uid;
	uint32_t gid;
	uint32_t mode;
	uint64_t dead_ns;
	uint64_t stall_ns;
	uint64_t window;
	uint64_t spool;
	uint32_t max_nodes;
	bool probe;
	uint64_t probe_bps;
	uint64_t probe_total;
	uint32_t *members;
	unsigned int n_members;
};

static int parse_user(struct hbctl *ctl, const char *key, const char *word,
		      void *dest)
{
	const struct passwd *user = getpwnam(word);

	if (!user)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is no user of this system: write the name of one",
				   key, word);
	*(uint32_t *)dest = user->pw_uid;
	return HBCTL_OK;
}

static int parse_group(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	const struct group *group = getgrnam(word);

	if (!group)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is no group of this system: write the name of one",
				   key, word);
	*(uint32_t *)dest = group->gr_gid;
	return HBCTL_OK;
}

static int parse_mode(struct hbctl *ctl, const char *key, const char *word,
		      void *dest)
{
	unsigned long mode;
	char *end;

	mode = strtoul(word, &end, 8);
	if (*end || end == word || *word == '-' || mode & ~HBCAST_MODE_MAX)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s \"%s\" is no mode: write octal digits of 0666, for example 0660",
				   key, word);
	*(uint32_t *)dest = mode;
	return HBCTL_OK;
}

static int parse_interval(struct hbctl *ctl, const char *key, const char *word,
			  void *dest)
{
	uint64_t *ns = dest;
	int ret;

	ret = hbarg_duration(ctl, key, word, ns);
	if (ret)
		return ret;
	if (*ns < HBCAST_INTERVAL_MS_MIN * 1000000ull ||
	    *ns > HBCAST_INTERVAL_MS_MAX * 1000000ull)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s %s is out of range: write %dms to %ds",
				   key, word, HBCAST_INTERVAL_MS_MIN,
				   HBCAST_INTERVAL_MS_MAX / 1000);
	return HBCTL_OK;
}

static int parse_window(struct hbctl *ctl, const char *key, const char *word,
			void *dest)
{
	uint64_t *bytes = dest;
	int ret;

	ret = hbarg_size(ctl, key, word, bytes);
	if (ret)
		return ret;
	if (*bytes < HBCAST_WINDOW_BYTES_MIN || *bytes > HBCAST_WINDOW_BYTES_MAX)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s %s is out of range: write %dKiB to %dMiB",
				   key, word, HBCAST_WINDOW_BYTES_MIN >> 10,
				   HBCAST_WINDOW_BYTES_MAX >> 20);
	return HBCTL_OK;
}

static int parse_max_nodes(struct hbctl *ctl, const char *key, const char *word,
			   void *dest)
{
	uint32_t *nodes = dest;
	int ret;

	ret = hbarg_u32(ctl, key, word, nodes);
	if (ret)
		return ret;
	if (*nodes < 2 || *nodes > HBCAST_NODES_MAX)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s %s is out of range: write 2 to %d",
				   key, word, HBCAST_NODES_MAX);
	return HBCTL_OK;
}

static int parse_probe(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	bool *probe = dest;

	*probe = !strcmp(word, "on");
	if (*probe || !strcmp(word, "off"))
		return HBCTL_OK;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s \"%s\" is not understood: write on or off", key, word);
}

/* A limit, or "any" for none. */
static int parse_limit(struct hbctl *ctl, const char *key, const char *word,
		       hbarg_parser parse, uint64_t *limit)
{
	int ret;

	*limit = 0;
	if (!strcmp(word, "any"))
		return HBCTL_OK;
	ret = parse(ctl, key, word, limit);
	if (ret || *limit >= 8)
		return ret;
	return hbctl_error(ctl, HBCTL_USAGE,
			   "%s %s is next to nothing: write more, or any for no limit", key,
			   word);
}

static int parse_probe_rate(struct hbctl *ctl, const char *key, const char *word,
			    void *dest)
{
	return parse_limit(ctl, key, word, hbarg_bandwidth, dest);
}

static int parse_probe_total(struct hbctl *ctl, const char *key, const char *word,
			     void *dest)
{
	return parse_limit(ctl, key, word, hbarg_size, dest);
}

static int add_member(struct hbctl *ctl, struct settings *s, const char *word)
{
	if (s->n_members == HBCAST_NODES_MAX)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "members has more than %d ids: write any to let in whoever has the key",
				   HBCAST_NODES_MAX);
	return hbarg_id(ctl, "members", word, &s->members[s->n_members++]);
}

/* "any", or ids with commas between them; @dest is struct settings. */
static int parse_members(struct hbctl *ctl, const char *key, const char *word,
			 void *dest)
{
	struct settings *s = dest;
	char *list, *rest, *id;
	int ret = HBCTL_OK;

	(void)key;
	if (!strcmp(word, "any"))
		return HBCTL_OK;
	list = strdup(word);
	s->members = calloc(HBCAST_NODES_MAX, sizeof(*s->members));
	if (!list || !s->members)
		abort();
	rest = list;
	while (!ret && (id = strsep(&rest, ",")))
		ret = add_member(ctl, s, id);
	free(list);
	return ret;
}

/* Which of the keys below stands where in the table. */
enum {
	KEY_OWNER = 1, KEY_GROUP, KEY_MODE, KEY_DEAD, KEY_STALL, KEY_WINDOW,
	KEY_SPOOL, KEY_MAX_NODES, KEY_MEMBERS, KEY_PROBE, KEY_PROBE_RATE, KEY_PROBE_TOTAL,
};

static void put_settings(struct nl_msg *msg, const struct settings *s,
			 const struct hbarg_key *keys)
{
	unsigned int i;

	hbgenl_put_u32(msg, HBCAST_A_GROUP_ID, s->id);
	if (s->key_len)
		hbgenl_put(msg, HBCAST_A_GROUP_KEY, s->key, s->key_len);
	if (keys[KEY_OWNER].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_UID, s->uid);
	if (keys[KEY_GROUP].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_GID, s->gid);
	if (keys[KEY_MODE].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_MODE, s->mode);
	if (keys[KEY_DEAD].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_DEAD_MS,
			       s->dead_ns / 1000000);
	if (keys[KEY_STALL].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_STALL_MS,
			       s->stall_ns / 1000000);
	if (keys[KEY_WINDOW].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_WINDOW, s->window);
	if (keys[KEY_SPOOL].seen)
		hbgenl_put_u64(msg, HBCAST_A_GROUP_SPOOL, s->spool);
	if (keys[KEY_MAX_NODES].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_MAX_NODES, s->max_nodes);
	if (keys[KEY_PROBE].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_PROBE, s->probe);
	if (keys[KEY_PROBE_RATE].seen)
		hbgenl_put_u64(msg, HBCAST_A_GROUP_PROBE_RATE, s->probe_bps / 8);
	if (keys[KEY_PROBE_TOTAL].seen)
		hbgenl_put_u64(msg, HBCAST_A_GROUP_PROBE_TOTAL, s->probe_total);
	for (i = 0; i < s->n_members; i++)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_MEMBER, s->members[i]);
}

/* Sends a change that has been read; "add" and "set" differ in the command. */
static int change(struct hbctl *ctl, uint8_t cmd, const struct settings *s,
		  const struct hbarg_key *keys)
{
	bool is_new = cmd == HBCAST_CMD_GROUP_NEW;
	struct nl_msg *msg;
	struct hbgenl g;
	int ret;

	ret = hbgenl_open(ctl, &g);
	if (ret)
		goto out;
	msg = hbgenl_msg(&g, cmd);
	put_settings(msg, s, keys);
	/* A new group lets in whoever has the key anyway. */
	if (!is_new && keys[KEY_MEMBERS].seen && !s->n_members)
		hbgenl_put_flag(msg, HBCAST_A_GROUP_ANY_MEMBER);
	ret = hbgenl_do(ctl, &g, msg, "group %u cannot be %s", s->id,
			is_new ? "added" : "changed");
	if (!ret)
		ret = hbout_done(ctl, json_pack("{s:I}", "id",
						(json_int_t)s->id));
out:
	hbgenl_close(&g);
	return ret;
}

static int read_and_change(struct hbctl *ctl, uint8_t cmd, int argc,
			   char **argv)
{
	unsigned int need_key = cmd == HBCAST_CMD_GROUP_NEW ? HBARG_REQUIRED : 0;
	struct settings s = { };
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, &s.id, HBARG_REQUIRED | HBARG_BARE, 0 },
		[KEY_OWNER] = { "owner", parse_user, &s.uid, 0, 0 },
		[KEY_GROUP] = { "group", parse_group, &s.gid, 0, 0 },
		[KEY_MODE] = { "mode", parse_mode, &s.mode, 0, 0 },
		[KEY_DEAD] = { "dead-interval", parse_interval, &s.dead_ns, 0, 0 },
		[KEY_STALL] = { "stall-interval", parse_interval, &s.stall_ns, 0, 0 },
		[KEY_WINDOW] = { "window", parse_window, &s.window, 0, 0 },
		[KEY_SPOOL] = { "spool", hbarg_size, &s.spool, 0, 0 },
		[KEY_MAX_NODES] = { "max-nodes", parse_max_nodes, &s.max_nodes, 0, 0 },
		[KEY_MEMBERS] = { "members", parse_members, &s, 0, 0 },
		[KEY_PROBE] = { "probe", parse_probe, &s.probe, 0, 0 },
		[KEY_PROBE_RATE] = { "probe-rate", parse_probe_rate, &s.probe_bps, 0, 0 },
		[KEY_PROBE_TOTAL] = { "probe-total", parse_probe_total, &s.probe_total, 0, 0 },
		{ "key-file", hbarg_string, &s.key_file, need_key, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret && s.key_file)
		ret = hbkey_read(ctl, s.key_file, s.key, &s.key_len);
	if (!ret)
		ret = change(ctl, cmd, &s, keys);
	explicit_bzero(s.key, sizeof(s.key));
	free(s.members);
	return ret;
}

static int group_add(struct hbctl *ctl, int argc, char **argv)
{
	return read_and_change(ctl, HBCAST_CMD_GROUP_NEW, argc, argv);
}

static int group_set(struct hbctl *ctl, int argc, char **argv)
{
	return read_and_change(ctl, HBCAST_CMD_GROUP_SET, argc, argv);
}

static int group_del(struct hbctl *ctl, int argc, char **argv)
{
	return hbdelete_run(ctl, HBCAST_CMD_GROUP_DEL, HBCAST_A_GROUP_ID,
			    "group %u cannot be left", argc, argv);
}

static int group_keygen(struct hbctl *ctl, int argc, char **argv)
{
	const char *file;
	struct hbarg_key keys[] = {
		{ "file", hbarg_string, &file, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ }
	};
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (!ret)
		ret = hbkey_make(ctl, file);
	if (ret)
		return ret;
	return hbout_done(ctl, json_pack("{s:s}", "file", file));
}

#define SETTINGS "[ owner USER ] [ group GROUP ] [ mode MODE ] [ dead-interval TIME ] [ stall-interval TIME ] [ window SIZE ] [ spool SIZE ] [ max-nodes NUMBER ] [ members any|NODE,NODE,... ] [ probe on|off ] [ probe-rate BANDWIDTH|any ] [ probe-total SIZE|any ]"

/**
 * hbctl_cmd_group() - the groups that this node takes part in
 * @ctl: the run
 * @argc: number of words after "group"
 * @argv: the words after "group"
 *
 * Return: an exit code.
 */
int hbctl_cmd_group(struct hbctl *ctl, int argc, char **argv)
{
	static const struct hbctl_command commands[] = {
		{ "show", hbshow_group, "[ id GROUP ]",
		  "list the groups, and what they threw away", true },
		{ "add", group_add, "[ id ] GROUP key-file FILE " SETTINGS,
		  "take part in a group", false },
		{ "set", group_set, "[ id ] GROUP [ key-file FILE ] " SETTINGS,
		  "change what is given", false },
		{ "del", group_del, "[ id ] GROUP", "leave a group", false },
		{ "keygen", group_keygen, "FILE",
		  "make a file with a new key, readable by its owner alone", false },
		{ }
	};

	return hbctl_dispatch(ctl, "group", commands, argc, argv);
}
