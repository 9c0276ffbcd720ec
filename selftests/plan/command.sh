# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# What tests of the commands that plan share; to be sourced from the top
# directory, after selftests/lib/tap.sh.

tool=$PWD/tools/hbcastctl/hbcastctl
demo=$PWD/demo/platform.json
page=$PWD/Documentation/man/hbcastctl-plan.8

# enter_empty_directory: one that goes away at the end.
enter_empty_directory()
{
	work=$(mktemp -d) || exit
	trap 'rm -rf "$work"' EXIT
	cd "$work" || exit
}

# run WORD...: hbcastctl with these; $out, $said and $status tell how it went.
run()
{
	out=$("$tool" "$@" 2>said)
	status=$?
	said=$(<said)
}

# refuse NAME SENTENCE WORD...: usage errors have one sentence and exit code 1.
refuse()
{
	local name=$1 sentence=$2

	shift 2
	run "$@"
	check_equal "refused: $name" "1 hbcastctl: $sentence" "$status $said"
}
