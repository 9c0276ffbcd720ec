#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All measurements of the benchmark, in one boot of a test machine in virtual
# time. Prints tab-separated lines for report:
#
#   kernel RELEASE
#   bulk PATH CHILDREN BYTES BUSY_NS IDLE_NS	(several times each)
#   chain PATH RELAYS BYTES BUSY_NS IDLE_NS	(likewise; one child each)
#   latency PATH RELAYS MEDIAN_NS LEAST_NS MOST_NS
#   mirror BYTES BUSY_NS IDLE_NS	a direct transfer, mirrored and dropped (likewise)
#   twin BYTES BUSY_NS IDLE_NS		the same, and taken by a second sink (likewise)

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
bytes=$((64 << 20))
verify_bytes=$((16 << 20))
rounds=3
messages=200
relay_paths=(epoll splice hbcast)
direct_paths=(direct hbcast-direct)

row()
{
	local IFS=$'\t'

	echo "$*"
}

# The children of hbcast are not nodes here, but read as those of the others do.
program()
{
	case $1 in
	hbcast*)
		echo "$here/plain.py"
		;;
	*)
		echo "$here/hbbench"
		;;
	esac
}

bulk()
{
	local figures

	figures=$("$(program "$1")" bulk "$1" "$2" $bytes copy)
	row bulk "$1" "$2" $bytes "$figures"
}

chain()
{
	local figures

	figures=$("$(program "$1")" chain "$1" $bytes)
	row chain "$1" 8 $bytes "$figures"
}

verify()
{
	local path

	for path in "${relay_paths[@]}"; do
		"$here/hbbench" bulk "$path" 4 $verify_bytes verify >/dev/null
	done
	for path in "${direct_paths[@]}"; do
		"$here/hbbench" bulk "$path" 1 $verify_bytes verify >/dev/null
	done
}

measure()
{
	local path children

	for path in "${direct_paths[@]}"; do
		bulk "$path" 1
	done
	for path in "${relay_paths[@]}"; do
		for children in 1 2 4; do
			bulk "$path" "$children"
		done
		chain "$path"
	done
	"$here/net.sh" mirror
	row mirror $bytes "$("$here/hbbench" bulk direct 1 $bytes copy)"
	"$here/net.sh" mirror-accept
	row twin $bytes "$("$here/hbbench" twin $bytes)"
	"$here/net.sh" mirror-off
}

if [ "$(nproc)" != 1 ]; then
	echo "bench: one processor is needed to count instructions; start 'run' instead" >&2
	exit 1
fi
# Real machines load it at boot, and the module takes the best there is.
modprobe crc32c-intel
"$here/net.sh" up
"$here/hbcast.sh" >&2
row kernel "$(uname -r)"
verify
for ((i = 0; i < rounds; i++)); do
	measure
done
for path in "${relay_paths[@]}"; do
	row latency "$path" 8 "$("$here/hbbench" latency "$path" $messages)"
done
for path in "${direct_paths[@]}"; do
	row latency "$path" 0 "$("$here/hbbench" latency "$path" $messages)"
done
