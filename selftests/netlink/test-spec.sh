#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The netlink spec, the uapi header and the kernel's policies agree.

. selftests/lib/tap.sh

GENERATED="include/uapi/linux/hbcast_netlink.h kmod/api/netlink_gen.h kmod/api/netlink_gen.c"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# C that does not compile unless the enums that the spec takes from a header of
# their own have the same names and values there.
foreign_enums()
{
	/usr/bin/python3 - <<-'END'
	import yaml

	with open("Documentation/netlink/specs/hbcast.yaml", encoding="utf-8") as file:
	    spec = yaml.safe_load(file)
	print("#include <assert.h>\n#include <sys/socket.h>\n#include <linux/hbcast.h>")
	for enum in spec["definitions"]:
	    if "header" not in enum:
	        continue
	    for value, name in enumerate(enum["entries"]):
	        name = (enum["name-prefix"] + name).upper().replace("-", "_")
	        print(f'static_assert({name} == {value}, "{name}");')
	END
}

# How many reasons the spec has.
reasons()
{
	/usr/bin/python3 - <<-'END'
	import yaml

	with open("Documentation/netlink/specs/hbcast.yaml", encoding="utf-8") as file:
	    spec = yaml.safe_load(file)
	print(*[len(d["entries"]) for d in spec["definitions"] if d["name"] == "reason"])
	END
}

check "the generator takes the spec" selftests/netlink/regen "$tmp"
for file in $GENERATED; do
	check "$file is what the spec says" diff -u "$file" "$tmp/$file"
done

foreign_enums >"$tmp/enums.c"
check "the spec's enums of linux/hbcast.h are compared" grep -q HBCAST_REASON_ "$tmp/enums.c"
check "they are the header's" \
	gcc -fsyntax-only -Wall -Werror -Iinclude/uapi "$tmp/enums.c"
check_equal "the spec misses none of the header's reasons" \
	"$(grep -c '^	HBCAST_REASON_' include/uapi/linux/hbcast.h)" "$(reasons)"
check "the header compiles alone, in old C" \
	gcc -std=c90 -fsyntax-only -Wall -Wextra -Werror include/uapi/linux/hbcast_netlink.h
check "the header compiles alone, in C++" \
	g++ -fsyntax-only -Wall -Wextra -Werror include/uapi/linux/hbcast_netlink.h
tap_done
