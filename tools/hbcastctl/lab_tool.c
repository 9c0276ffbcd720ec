// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Running the commands of iproute2 with scripts. Script and messages go
 * through memory files, so neither side can block the other.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab_tool.h"
#include "output.h"

#define MESSAGE_LEN	512

/**
 * hblab_script_begin() - begin a script
 * @script: to be begun; hblab_script_run() ends it
 */
void hblab_script_begin(struct hblab_script *script)
{
	script->text = NULL;
	script->len = 0;
	script->out = open_memstream(&script->text, &script->len);
	if (!script->out)
		abort();
}

/* The child's side: never returns. */
static void run_child(const char *command, const char *netns, int in, int err)
{
	char *argv[8];
	int n = 0;

	argv[n++] = (char *)command;
	if (netns) {
		argv[n++] = "-n";
		argv[n++] = (char *)netns;
	}
	argv[n++] = "-batch";
	argv[n++] = "-";
	argv[n] = NULL;
	if (dup2(in, STDIN_FILENO) < 0 || dup2(err, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		_exit(126);
	setenv("LC_ALL", "C", 1);
	execvp(command, argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* What iproute2 says where the kernel does not know a kind of device or queue. */
static const char *remedy(const char *message)
{
	if (strstr(message, "nknown") || strstr(message, "ot supported"))
		return ", so load or install the kernel's modules veth, bridge and sch_netem";
	return "";
}

/* The @line th line of a script, counted from 1; its end is cut off. */
static const char *script_line(char *text, int line)
{
	while (--line > 0 && text) {
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	if (!text)
		return "";
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static int report_failure(struct hbctl *ctl, struct hblab_script *script,
			  const char *command, const char *netns, int err)
{
	char text[MESSAGE_LEN + 1];
	const char *failed;
	int line = 0;
	ssize_t n;

	n = pread(err, text, MESSAGE_LEN, 0);
	text[n > 0 ? n : 0] = '\0';
	failed = strstr(text, "Command failed -:");
	if (failed)
		line = atoi(failed + strlen("Command failed -:"));
	text[strcspn(text, "\n")] = '\0';
	n = strlen(text);
	if (n && text[n - 1] == '.')
		text[n - 1] = '\0';
	return hbctl_error(ctl, HBCTL_KERNEL,
			   "%s refused \"%s\"%s%s: %s%s", command,
			   line ? script_line(script->text, line) : "its script",
			   netns ? " in namespace " : "", netns ? netns : "",
			   *text ? text : "it said nothing", remedy(text));
}

static int wait_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 126;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

/**
 * hblab_script_run() - feed a script to a command and free it
 * @ctl: the run
 * @script: the script; an empty one does nothing
 * @command: ip, tc or bridge
 * @netns: name of the network namespace to run it in, or NULL for this one
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_script_run(struct hbctl *ctl, struct hblab_script *script,
		     const char *command, const char *netns)
{
	int in = -1, err = -1, status, ret = HBCTL_OK;
	pid_t pid = -1;

	if (fclose(script->out))
		abort();
	if (!script->len)
		goto out;
	in = memfd_create("script", MFD_CLOEXEC);
	err = memfd_create("messages", MFD_CLOEXEC);
	if (in >= 0 && err >= 0 &&
	    write(in, script->text, script->len) == (ssize_t)script->len &&
	    !lseek(in, 0, SEEK_SET))
		pid = fork();
	if (!pid)
		run_child(command, netns, in, err);
	if (pid < 0) {
		ret = hbctl_error(ctl, HBCTL_KERNEL,
				  "%s could not be started (%s): free some memory",
				  command, strerror(errno));
		goto out;
	}
	status = wait_status(pid);
	if (status == 127)
		ret = hbctl_error(ctl, HBCTL_USAGE,
				  "the command %s is not on this machine: install iproute2 (apt-get install iproute2)",
				  command);
	else if (status)
		ret = report_failure(ctl, script, command, netns, err);
out:
	if (in >= 0)
		close(in);
	if (err >= 0)
		close(err);
	free(script->text);
	return ret;
}
