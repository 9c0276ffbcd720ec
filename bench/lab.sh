# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Broadcasts of a file in an emulated network, for benchmarks in a test machine that have
# set root to a node's id: loads the module, and cleans up at the end.

. selftests/lib/lab.sh
. selftests/lib/module.sh

HBCAST_KO=build/$(uname -r)/hbcast.ko
HBCAST_CTL=$PWD/tools/hbcastctl/hbcastctl
work=$(mktemp -d)
group=7
port=9

cleanup()
{
	"$HBCAST_CTL" lab down >/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
load_hbcast

# make_file BYTES: what is sent.
make_file()
{
	head -c "$1" /dev/urandom >"$work/file"
}

# broadcast PLAN [WORD...]: the file along it; what "send" says of all nodes is in
# $work/sent. The words, if any, are a command that runs "send".
broadcast()
{
	at "$root" apply "$1" group "$group" wait 20s >/dev/null
	lab_receive
	"${@:2}" at "$root" -j send "$work/file" group "$group" port "$port" >"$work/sent"
	lab_compare "$work/file" >&2
}
