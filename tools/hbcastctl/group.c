// SPDX-License-Identifier: GPL-2.0-or-later
/* hbcastctl group: the groups that this node takes part in. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/hbcast_netlink.h>

#include "args.h"
#include "genl.h"
#include "key.h"
#include "output.h"
#include "show.h"

/**
 * struct settings - what is given of a group
 * @id: its id
 * @key_file: file of its key, or NULL
 * @uid: owner
 * @gid: owning group
 * @mode: who may bind and connect
 * @dead_ns: dead interval
 * @stall_ns: stall interval
 * @queue: bound of each lane's queue
 * @members: the list's text: ids with commas, or "any"; NULL if not given
 */
struct settings {
	uint32_t id;
	const char *key_file;
	uint32_t uid;
	uint32_t gid;
	uint32_t mode;
	uint64_t dead_ns;
	uint64_t stall_ns;
	uint64_t queue;
	const char *members;
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

static int parse_queue(struct hbctl *ctl, const char *key, const char *word,
		       void *dest)
{
	uint64_t *bytes = dest;
	int ret;

	ret = hbarg_size(ctl, key, word, bytes);
	if (ret)
		return ret;
	if (*bytes < HBCAST_QUEUE_BYTES_MIN || *bytes > HBCAST_QUEUE_BYTES_MAX)
		return hbctl_error(ctl, HBCTL_USAGE,
				   "%s %s is out of range: write %dKiB to %dMiB",
				   key, word, HBCAST_QUEUE_BYTES_MIN >> 10,
				   HBCAST_QUEUE_BYTES_MAX >> 20);
	return HBCTL_OK;
}

/* Appends the ids in @list, which is cut up. */
static int put_members(struct hbctl *ctl, struct nl_msg *msg, char *list)
{
	char *rest = list, *word;
	unsigned int n = 0;
	uint32_t id;
	int ret;

	while ((word = strsep(&rest, ","))) {
		if (n++ == HBCAST_NODES_MAX)
			return hbctl_error(ctl, HBCTL_USAGE,
					   "members has more than %d ids: leave the list out to let in whoever has the key",
					   HBCAST_NODES_MAX);
		ret = hbarg_id(ctl, "members", word, &id);
		if (ret)
			return ret;
		hbgenl_put_u32(msg, HBCAST_A_GROUP_MEMBER, id);
	}
	return HBCTL_OK;
}

/* Which of the keys below stands where in the tables. */
enum { KEY_OWNER = 1, KEY_GROUP, KEY_MODE, KEY_DEAD, KEY_STALL, KEY_QUEUE };

static int put_settings(struct hbctl *ctl, struct nl_msg *msg,
			const struct settings *s, const struct hbarg_key *keys)
{
	char *members;
	int ret;

	hbgenl_put_u32(msg, HBCAST_A_GROUP_ID, s->id);
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
	if (keys[KEY_QUEUE].seen)
		hbgenl_put_u32(msg, HBCAST_A_GROUP_QUEUE, s->queue);
	if (!s->members)
		return HBCTL_OK;
	if (!strcmp(s->members, "any")) {
		hbgenl_put_flag(msg, HBCAST_A_GROUP_ANY_MEMBER);
		return HBCTL_OK;
	}
	members = strdup(s->members);
	if (!members)
		abort();
	ret = put_members(ctl, msg, members);
	free(members);
	return ret;
}

static int put_key(struct hbctl *ctl, struct nl_msg *msg, const char *file)
{
	unsigned char key[HBCAST_KEY_LEN_MAX];
	size_t len;
	int ret;

	ret = hbkey_read(ctl, file, key, &len);
	if (!ret)
		hbgenl_put(msg, HBCAST_A_GROUP_KEY, key, len);
	explicit_bzero(key, sizeof(key));
	return ret;
}

/* "add" and "set" differ in the command and in whether a key is needed. */
static int change(struct hbctl *ctl, uint8_t cmd, const char *what,
		  int argc, char **argv)
{
	bool is_new = cmd == HBCAST_CMD_GROUP_NEW;
	struct settings s = { };
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, &s.id, HBARG_REQUIRED | HBARG_BARE, 0 },
		[KEY_OWNER] = { "owner", parse_user, &s.uid, 0, 0 },
		[KEY_GROUP] = { "group", parse_group, &s.gid, 0, 0 },
		[KEY_MODE] = { "mode", parse_mode, &s.mode, 0, 0 },
		[KEY_DEAD] = { "dead-interval", parse_interval, &s.dead_ns, 0, 0 },
		[KEY_STALL] = { "stall-interval", parse_interval, &s.stall_ns, 0, 0 },
		[KEY_QUEUE] = { "queue", parse_queue, &s.queue, 0, 0 },
		{ "members", hbarg_string, &s.members, 0, 0 },
		{ "key-file", hbarg_string, &s.key_file,
		  is_new ? HBARG_REQUIRED : 0, 0 },
		{ }
	};
	struct nl_msg *msg;
	struct hbgenl g;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (ret)
		return ret;
	if (is_new && s.members && !strcmp(s.members, "any"))
		s.members = NULL;
	ret = hbgenl_open(ctl, &g);
	if (ret)
		goto out;
	msg = hbgenl_msg(&g, cmd);
	ret = put_settings(ctl, msg, &s, keys);
	if (!ret && s.key_file)
		ret = put_key(ctl, msg, s.key_file);
	if (ret) {
		nlmsg_free(msg);
		goto out;
	}
	ret = hbgenl_do(ctl, &g, msg, "group %u cannot be %s", s.id, what);
	if (!ret)
		ret = hbout_done(ctl, json_pack("{s:I}", "id", (json_int_t)s.id));
out:
	hbgenl_close(&g);
	return ret;
}

static int group_add(struct hbctl *ctl, int argc, char **argv)
{
	return change(ctl, HBCAST_CMD_GROUP_NEW, "added", argc, argv);
}

static int group_set(struct hbctl *ctl, int argc, char **argv)
{
	return change(ctl, HBCAST_CMD_GROUP_SET, "changed", argc, argv);
}

static int group_del(struct hbctl *ctl, int argc, char **argv)
{
	uint32_t id;
	struct hbarg_key keys[] = {
		{ "id", hbarg_id, &id, HBARG_REQUIRED | HBARG_BARE, 0 },
		{ }
	};
	struct nl_msg *msg;
	struct hbgenl g;
	int ret;

	ret = hbarg_parse(ctl, keys, argc, argv);
	if (ret)
		return ret;
	ret = hbgenl_open(ctl, &g);
	if (ret)
		goto out;
	msg = hbgenl_msg(&g, HBCAST_CMD_GROUP_DEL);
	hbgenl_put_u32(msg, HBCAST_A_GROUP_ID, id);
	ret = hbgenl_do(ctl, &g, msg, "group %u cannot be left", id);
	if (!ret)
		ret = hbout_done(ctl, json_pack("{s:I}", "id", (json_int_t)id));
out:
	hbgenl_close(&g);
	return ret;
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

#define SETTINGS "[ owner USER ] [ group GROUP ] [ mode MODE ] [ dead-interval TIME ] [ stall-interval TIME ] [ queue SIZE ] [ members any|NODE,NODE,... ]"

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
