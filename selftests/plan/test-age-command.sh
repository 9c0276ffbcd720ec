#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl plan and evaluate tell how old the figures are that they are given.

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

# ago SECONDS: the time then.
ago()
{
	date -u -d "@$(($(date +%s) - $1))" +%Y-%m-%dT%H:%M:%SZ
}

# star FILE TIME TIME: links from and to node 1 with times, those of nodes 2 and 3 without.
star()
{
	jq -n --arg up "$2" --arg down "$3" 'def link(f; t): {from: f, to: t,
		bandwidth_mbps: 100, latency_us: 50};
		{hbcast: "platform", version: 1, nodes: [{id: 1, kind: "host"},
		{id: 2, kind: "host"}, {id: 3, kind: "host"}, {id: 100, kind: "switch"}],
		links: [link(1; 100) + {measured: {bandwidth_time: $up}},
		link(100; 1) + {measured: {bandwidth_time: $down}},
		link(2; 100), link(100; 2), link(3; 100), link(100; 3)]}' >"$1"
}

# plan_of FILE: into plan.json.
plan_of()
{
	run plan "$1" root 1 algorithm tps output plan.json
}

# 3 days and an hour, and 5 hours and 10 minutes.
old=$(ago 262800)
new=$(ago 18600)
star both.json "$old" "$new"
plan_of both.json
check_equal "a plan from figures of two times" 0 "$status"
check_equal "how old they are is told" \
	"hbcastctl: the bandwidths in both.json were measured 3 days ago or later, the last ones 5 hours ago" \
	"$said"
check_equal "the plan has both times" "{\"oldest\":\"$old\",\"newest\":\"$new\"}" \
	"$(jq -c .measured plan.json)"
run evaluate plan.json on both.json
check_match "evaluate tells it, too" 'measured 3 days ago or later, the last ones 5 hours ago' \
	"$said"
run -j evaluate plan.json on both.json
check_equal "in JSON nothing is said beside" "" "$said"
check_equal "but both times" "[\"$old\",\"$new\"]" \
	"$(jq -c '.measured | [.oldest, .newest]' <<<"$out")"
check_equal "and the age of the oldest" true \
	"$(jq '.measured.age_us >= 262800e6 and .measured.age_us < 263400e6' <<<"$out")"

star one.json "$old" "$old"
plan_of one.json
check_equal "one time is told once" \
	"hbcastctl: the bandwidths in one.json were measured 3 days ago" "$said"

now=$(ago 1)
star now.json "$now" "$now"
plan_of now.json
check_match "a second is one" 'measured (1 second|([2-9]|[1-9][0-9]+) seconds) ago' "$said"

jq --arg old "$old" --arg new "$new" '{hbcast: "costs", version: 1,
	nodes: [{id: 1}, {id: 2}], latency_us: [[0, 1], [1, 0]],
	bandwidth_mbps: [[null, 50], [50, null]],
	measured: {time: $old, bandwidth_time: $new}}' <<<null >costs.json
plan_of costs.json
check_match "a matrix has its measurement's time, and its correction's" \
	'measured 3 days ago or later, the last ones 5 hours ago' "$said"

star future.json "$old" 2999-01-01T00:00:00Z
plan_of future.json
check_equal "figures of the future are planned with" 0 "$status"
check_equal "with a warning" \
	"hbcastctl: warning: future.json has bandwidths of 2999-01-01T00:00:00Z, which is in the future: set the clocks of both machines" \
	"$said"

star odd.json yesterday 5
plan_of odd.json
check_equal "what is no time tells nothing" "0 " "$status $said"
check_equal "nor does the plan" null "$(jq .measured plan.json)"
jq 'del(.links[].measured)' one.json >none.json
plan_of none.json
check_equal "nothing is said without times" "0 " "$status $said"

tap_done
