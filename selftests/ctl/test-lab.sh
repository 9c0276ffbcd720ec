#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Labs give what their platform asks for, as ping and a TCP transfer of other
# programs see it, and go without a trace. Virtual time makes the figures exact.
# vm: timeout=300 debian-only

. selftests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

lab()
{
	"$HBCAST_CTL" lab "$@"
}

# run WORD...: leaves the exit status and both outputs of a lab command.
run()
{
	lab "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	out=$(<"$dir/out")
	err=$(<"$dir/err")
}

# platform NAME NODES LINKS: writes a platform file.
platform()
{
	printf '{"hbcast": "platform", "version": 1, "nodes": [%s], "links": [%s]}\n' \
		"$2" "$3" >"$dir/$1.json"
}

host()
{
	printf '{"id": %d, "name": "%s", "kind": "host"}' "$1" "$2"
}

switch()
{
	printf '{"id": %d, "kind": "switch"}' "$1"
}

# direction FROM TO MBPS US; both adds the same way back.
direction()
{
	printf '{"from": %d, "to": %d, "bandwidth_mbps": %s, "latency_us": %s%s}' \
		"$1" "$2" "$3" "$4" "${5:-}"
}

both()
{
	direction "$@" ', "symmetric": true'
}

# within VALUE WISHED SLACK: not further off than 5 % and SLACK.
within()
{
	awk -v v="$1" -v w="$2" -v s="$3" 'BEGIN {
		d = v > w ? v - w : w - v
		exit !(v != "" && d <= 0.05 * w + s)
	}'
}

# check_round_trip NAME ADDRESS MILLISECONDS WHERE...: the least of five pings.
# A ping has 98 bytes, which count at the link's bandwidth.
check_round_trip()
{
	check "$1" within "$(lab exec "${@:4}" ping -n -q -c 5 -i 0.2 "$2" |
		sed -n 's/^rtt [^=]*= \([0-9.]*\)\/.*/\1/p')" "$3" 0.1
}

# Prints Mbit/s between the first tenth of the bytes and the last one.
receive='
import socket, time
s = socket.create_server(("", 9000))
print("ready", flush=True)
c = s.accept()[0]
begin = got = 0
while data := c.recv(1 << 18):
    got += len(data)
    now = time.monotonic()
    if not begin and got >= 300000:
        begin, first = now, got
print((got - first) * 1514 / 1448 * 8 / (now - begin) / 1e6)
'
send='
import socket, sys
with socket.create_connection((sys.argv[1], 9000)) as s:
    s.sendall(bytes(3000000))
'

# transfer FROM TO ADDRESS: what a TCP transfer of 3 MB fills in Mbit/s, with headers.
transfer()
{
	local pid

	lab exec "$2" /usr/bin/python3 -c "$receive" >"$dir/rate" &
	pid=$!
	wait_for 600 grep -q ready "$dir/rate" || return
	lab exec "$1" /usr/bin/python3 -c "$send" "$3" || return
	wait $pid
	tail -n 1 "$dir/rate"
}

namespaces()
{
	find /run/netns -name 'hbc-*' -printf '%f\n' 2>/dev/null | sort | xargs
}

records()
{
	find /run/hbcast/lab -type f -printf '%f ' 2>/dev/null
}

check_nothing_left()
{
	check_equal "$1: no namespace is left" "${2:-}" "$(namespaces)"
	check_equal "$1: no record is left" "" "$(records)"
}

### Two hosts, each direction its own.
platform two "$(host 1 a), $(host 2 b)" \
	"$(direction 1 2 20 4000), $(direction 2 1 8 1000)"
ip netns add stranger
run up "$dir/two.json"
check_equal "two hosts: up" "0 " "$status $err"
check_equal "two hosts: namespaces" "hbc-lab-a hbc-lab-b" "$(namespaces)"
check_equal "two hosts: shown as JSON" \
	"lab 1 a 10.77.0.1 7310 hbc-lab-a 2 b 10.77.0.2 7310 hbc-lab-b 20.0 4000.0 8.0 1000.0" \
	"$("$HBCAST_CTL" -j lab show | /usr/bin/python3 -c 'import json, sys
lab = json.load(sys.stdin)
print(lab["name"], *(n[k] for n in lab["nodes"]
	for k in ("id", "name", "address", "port", "netns")),
      *(l[k] for l in lab["links"] for k in ("bandwidth_mbps", "latency_us")))')"
check_match "two hosts: listed" 'lab +2 +0 +2' "$(lab list)"
check_round_trip "two hosts: ping" 10.77.0.2 5.1 a
check "two hosts: TCP one way" within "$(transfer a b 10.77.0.2)" 20 0
check "two hosts: TCP the other way" within "$(transfer b a 10.77.0.1)" 8 0
run check
check_equal "two hosts: checked" "0 " "$status $err"
check_equal "two hosts: checked as JSON" "20 4 True 8 1 True" \
	"$("$HBCAST_CTL" -j lab check | /usr/bin/python3 -c 'import json, sys
for r in json.load(sys.stdin)["routes"]:
    print(round(r["mbps"]), round(r["latency_us"] / 1000),
	  r["latency_ok"] and r["bandwidth_ok"])' | xargs)"

ip netns exec hbc-lab-a tc qdisc change dev eth0 root netem \
	delay 4ms rate 18mbit limit 100
run check
check_equal "a slower link: check fails" 2 "$status"
check_match "a slower link: the sentence" \
	'^hbcastctl: 1 of 2 routes .* from 1 to 2 with 18\.0 of 20\.0 Mbit/s' "$err"
check_match "a slower link: the verdict" '1 +2 +failed' "$out"
ip netns exec hbc-lab-a tc qdisc change dev eth0 root netem \
	delay 5ms rate 20000000bit limit 100
run check
check_equal "a longer link: check fails" 2 "$status"
check_match "a longer link: the verdict" 'wrong latency' "$out"

run up "$dir/two.json"
check_equal "up twice: refused" 1 "$status"
check_match "up twice: the sentence" '"lab" is up already' "$err"
check_equal "up twice: the first stays" "hbc-lab-a hbc-lab-b" "$(namespaces)"

lab exec a true
check_equal "exec: success" 0 $?
lab exec 2 -- sh -c 'exit 7'
check_equal "exec: by id, with the command's status" 7 $?
check_equal "exec: in the host's namespace" "10.77.0.2" \
	"$(lab exec b ip -4 -o address show dev lo scope global | awk '{ sub("/.*", "", $4); print $4 }')"
check_equal "exec: hosts do not forward" 0 \
	"$(lab exec a cat /proc/sys/net/ipv4/ip_forward)"
echo 'lab exec a sh -c "exit 3"' | "$HBCAST_CTL" -b -
check_equal "exec: in a batch" 3 $?
run exec c true
check_equal "exec: an unknown node" "1 1" "$status $(wc -l <"$dir/err")"
run exec name other a true
check_match "exec: an unknown lab" 'there is no lab "other"' "$err"
run exec a
check_match "exec: no command" 'no command' "$err"

"$HBCAST_CTL" lab exec a sleep 1000 &
sleeper=$!
in_namespace()
{
	[ "$(readlink "/proc/$sleeper/ns/net")" != "$(readlink /proc/$$/ns/net)" ]
}
check "a process in the lab" wait_for 600 in_namespace
run down
check_equal "down" 0 "$status"
check_match "down: tells of the process" \
	"warning: process $sleeper still runs in namespace hbc-lab-a" "$err"
check "down: leaves the process" kill $sleeper
wait $sleeper 2>/dev/null
check_nothing_left "down"
check "down: leaves other namespaces" test -e /run/netns/stranger
run down
check_equal "down again" "0 lab lab was not up" "$status $out"

### Switches, and links of three speeds, under another name.
run up demo/platform.json name demo
check_equal "the demo's network: up" "0 " "$status $err"
check_round_trip "the demo's network: ping over two switches" \
	10.77.0.9 34.2 name demo a1
run down name demo
check_nothing_left "the demo's network"

### A circle of switches, a host with two links, a link between two hosts.
platform circle \
	"$(host 1 a), $(host 2 b), $(host 3 c), $(switch 11), $(switch 12), $(switch 13)" \
	"$(both 1 11 20 500), $(both 2 12 20 500), $(both 3 13 20 500),
	 $(both 3 12 10 9000), $(both 1 2 5 300), $(both 11 12 30 2000),
	 $(both 12 13 30 3000), $(both 13 11 30 20000)"
run up "$dir/circle.json" check
check_equal "a circle: up and as asked" "0 " "$status $err"
check_match "a circle: what no route uses is told" '11 +13 +not used' "$out"
check_round_trip "a circle: between neighbours" 10.77.0.2 0.9 a
check_round_trip "a circle: over three switches" 10.77.0.3 12.25 a
run down
check_nothing_left "a circle"

### Hosts in a row: the one between does not forward.
platform row "$(host 1 a), $(host 2 b), $(host 300 c)" \
	"$(both 1 2 10 200), $(both 2 300 10 200)"
run up "$dir/row.json"
check_round_trip "a row: the neighbour, with a larger id" 10.77.1.44 0.55 b
check_match "a row: not beyond it" 'unreachable' \
	"$(lab exec a ping -n -c 1 10.77.1.44 2>&1)"
run down

### What cannot be made leaves nothing.
mkdir "$dir/some"
ln -s "$(command -v ip)" "$(command -v bridge)" "$dir/some"
ctl=$(realpath "$HBCAST_CTL")
PATH=$dir/some "$ctl" lab up "$dir/circle.json" >"$dir/out" 2>"$dir/err"
check_equal "without tc: status" 1 $?
check_match "without tc: the sentence" 'tc is not on this machine.*iproute2' \
	"$(<"$dir/err")"
check_nothing_left "without tc"
PATH=$dir/none "$ctl" lab up "$dir/two.json" >"$dir/out" 2>"$dir/err"
check_equal "without iproute2: status" 1 $?
check_match "without iproute2: the sentence" 'ip is not on .*iproute2' \
	"$(<"$dir/err")"
check_nothing_left "without iproute2"

ip netns add hbc-lab-b
run up "$dir/two.json"
check_equal "a foreign namespace: refused" 1 "$status"
check_match "a foreign namespace: the sentence" 'hbc-lab-b exists already' "$err"
check_nothing_left "a foreign namespace" hbc-lab-b
ip netns del hbc-lab-b

chmod 755 "$dir"
modprobe -r sch_netem
echo 'install sch_netem false' >/etc/modprobe.d/test-lab.conf
run up "$dir/two.json"
rm /etc/modprobe.d/test-lab.conf
check_equal "without netem: status" 2 "$status"
check_match "without netem: the sentence" \
	'^hbcastctl: tc refused "qdisc .* in namespace hbc-lab-a: .*sch_netem$' "$err"
check_nothing_left "without netem"

setpriv --reuid=65534 --regid=65534 --clear-groups \
	"$ctl" lab up "$dir/two.json" 2>"$dir/err"
check_equal "not root: status" 1 $?
check_match "not root: the sentence" 'must be root' "$(<"$dir/err")"
ip netns del stranger
tap_done
