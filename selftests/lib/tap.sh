# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# TAP for test scripts: check and refuse for each assertion, tap_done at the end.

tap_run=0
tap_failed=0

# tap_result STATUS NAME: prints a result line.
tap_result()
{
	tap_run=$((tap_run + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_run - $2"
	else
		echo "not ok $tap_run - $2"
		tap_failed=$((tap_failed + 1))
	fi
}

# bail_out REASON: nothing more can be tested.
bail_out()
{
	echo "Bail out! $1"
	exit 1
}

# check NAME COMMAND...: the command succeeds.
check()
{
	local name=$1 status

	shift
	"$@"
	status=$?
	[ $status = 0 ] || echo "# '$*' ended with status $status"
	tap_result $status "$name"
}

# check_equal NAME EXPECTED ACTUAL: two strings are the same.
check_equal()
{
	[ "$2" = "$3" ] || printf '# expected: %q\n# got:      %q\n' "$2" "$3"
	[ "$2" = "$3" ]
	tap_result $? "$1"
}

# check_match NAME PATTERN ACTUAL: a string matches an extended regular expression.
check_match()
{
	[[ $3 =~ $2 ]] || printf '# expected: %s\n# got:      %q\n' "$2" "$3"
	[[ $3 =~ $2 ]]
	tap_result $? "$1"
}

# wait_for SECONDS COMMAND...: tries the command until it succeeds.
wait_for()
{
	local end=$((SECONDS + $1 * ${HBCAST_SLOWNESS:-1}))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}

# Prints the plan and ends the script.
tap_done()
{
	echo "1..$tap_run"
	[ $tap_failed = 0 ] && [ $tap_run -gt 0 ]
	exit
}
