#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The papers' experiments at their smallest: what must hold in every cell, and
# that the seed alone decides.

. selftests/lib/tap.sh

HERE=bench/figures
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# every TABLE CONDITION: holds in each row, where c["NAME"] is a column's cell,
# x the row's name; low and high are the least and the largest of the row.
every()
{
	awk -F '\t' '
		# The least of the columns up to one.
		function min(end,	i, least) {
			least = $2 + 0
			for (i = 3; i <= end; i++)
				least = $i + 0 < least ? $i + 0 : least
			return least
		}
		/^#/ { next }
		!n { for (n = 2; n <= NF; n++) name[n] = $n; next }
		{
			rows++
			x = $1
			for (i = 2; i <= NF; i++) {
				c[name[i]] = $i
				if ($i == "-") { print "# empty: " $0; bad = 1 }
			}
			low = high = $2 + 0
			for (i = 3; i <= NF; i++) {
				low = $i + 0 < low ? $i + 0 : low
				high = $i + 0 > high ? $i + 0 : high
			}
			if (!('"$2"')) { print "# " $0; bad = 1 }
		}
		END { exit bad || !rows }' "$dir/1/$1.tsv"
}

check "there are experiments" [ "$("$HERE/experiment" names | wc -w)" -ge 5 ]
for seed in 1 2; do
	mkdir "$dir/$seed"
	for name in $("$HERE/experiment" names); do
		check "$name, seed $seed" \
			"$HERE/experiment" "$name" "$dir/$seed" tiny $seed
	done
done

# All of them with their pictures, for which gnuplot is not needed here: it would
# be given nine words, of which the fifth is the title.
mkdir "$dir/bin"
cat >"$dir/bin/gnuplot" <<'END'
#!/bin/sh
[ $# = 9 ] && echo "$5" >"$4"
END
chmod +x "$dir/bin/gnuplot"
everything()
{
	PATH=$dir/bin:$PATH OUTPUT=$dir/again SIZE=tiny SEED=1 DATA='' "$HERE/run" >"$dir/log"
}
check 'all experiments at once' everything
check 'and their tables are printed' grep -q '^cost factor  *family  *path' "$dir/log"
check_equal 'a picture for each table' "$(cd "$dir/1" && ls)" \
	"$(cd "$dir/again" && ls -- *.svg | sed 's/svg$/tsv/')"
check_equal 'with its title' "002 figure 7(a): 256 KiB, by the paper's formula" \
	"$(cat "$dir/again/002-fig7a-formula.svg")"
check 'the same seed gives the same tables' diff -r -x '*.svg' "$dir/1" "$dir/again"
same=0
for table in "$dir"/1/*.tsv; do
	! cmp -s "$table" "$dir/2/${table##*/}" || same=$((same + 1))
done
check_equal 'another seed gives others' 0 $same

# 32 nodes: 5 children at most, 16 leaves; a swap is done only if it is better.
check '000: gains are parts of the cost' every 000-fig7-gain 'low >= 0 && high < 1'
check '000: strategies try no more than section 3 says' every 000-fig7-steps \
	'c["family"] <= 10 && c["path"] <= 10 && c["leaf"] <= 32 && c["position"] <= 30'
check '000: benefit is gain over steps' every 000-fig8-benefit 'low >= 0 && high < 1'
check '000: swapping helps those who come and go' every 000-fig9 \
	'low > 0 && c["none"] > c["position/path"] && c["none"] > c["position/position"]'

# Cells have four digits.
for table in one-port-nodes one-port-density one-port-tiers \
	     multi-port-nodes multi-port-density multi-port-tiers; do
	check "001: $table: no tree beats the optimum, mtp and auto reach it" \
		every 001-$table 'low > 0 && high <= 1 && c["mtp"] == 1 && c["auto"] == 1'
done

for table in fig7a fig7b; do
	check "002: $table: nothing is faster than the bound" \
		every 002-$table 'c["bound"] > 0 && low == c["bound"]'
	check "002: $table: auto is the fastest" \
		every 002-$table 'c["auto"] == min(NF - 1)'
done
check '002: the formula knows single trees' every 002-fig7a-formula 'low > 0'

for table in low high mixed clusters; do
	check "003: $table: stable reaches the bound where links are symmetric" \
		every 003-fig6-$table-symmetric 'c["stable"] == c["bound"] && high == c["bound"]'
	check "003: $table: nobody gets more than alone" \
		every 003-fig6-$table-asymmetric 'low > 0 && high == c["bound"]'
done

# Section 3.5: never less than FPFR. Where hosts are joined directly, nothing keeps
# stable-graph from the bound but the number of trees, of which 20 links need few.
for table in graph-switches graph-hosts; do
	check "003: $table: stable is not below fpfr, nobody gets more than alone" \
		every 003-$table 'c["stable"] >= c["fpfr"] && high == c["bound"]'
done
check '003: graph-hosts: stable-graph reaches the bound' \
	every 003-graph-hosts 'x > 20 || c["stable-graph"] == 1'

for figure in 12a 12b 13a 13b 14 15a 15b 16b 17a 17b 18a 18b 19; do
	check "004: figure $figure: auto is the fastest, nothing beats the bound" \
		every 004-fig$figure \
		'c["bound"] > 0 && low == c["bound"] && c["auto"] == min(NF - 1)'
done
check '004: two sub-networks with buckets save time' \
	every 004-gains 'c["time saved"] > 0 && c["time saved"] < 100 &&
		c["speed gained"] > c["time saved"]'

# Measured networks: six nodes far from each other, one pair not measured, and
# slices in which they get slower.
times()
{
	local from to

	for from in 1 2 3 4 5 6; do
		for to in 1 2 3 4 5 6; do
			printf '%s\t' $((from == to || from * to == 30 ? 0 :
				       (from + to) * $1))
		done
		echo
	done | sed 's/\t$//'
}
mkdir -p "$dir/data/seattle-99"
times 10 >"$dir/data/planetlab-490.rtt-ms.tsv"
for slice in 1 2 3; do
	times $slice >"$dir/data/seattle-99/$slice.rtt-s.tsv"
done
cat >"$dir/data/cloud-aws.costs.json" <<END
{"hbcast":"costs","version":1,"nodes":[{"id":1},{"id":2},{"id":3}],
 "latency_us":[[0,100,200],[100,0,300],[200,300,0]],
 "bandwidth_mbps":[[null,90,60],[90,null,30],[60,30,null]]}
END
check 'measured networks' "$HERE/experiment" measured "$dir/1" tiny 1 "$dir/data"

# row TABLE NAME: its first cell.
row()
{
	awk -F '\t' -v name="$2" '$1 == name { print $2 }' "$dir/1/$1.tsv"
}

# One port. Root 1: 20 Mbit/s straight to both, 10 by way of 2, 20 by way of 3,
# which fills its own port and those where 2 and 3 receive. Root 2: 60 by way of 1.
check_equal 'the best rates worked out by hand' 55 "$(row data-cloud-rate bound)"
check_equal 'mtp has them' 55 "$(row data-cloud-rate mtp)"
check 'no path is shorter than the bound' every data-seattle 'low >= c["bound"]'
# Round trips of (1 + 6) 10 ms at most from node 1, one way 35 ms.
check_equal 'the shortest paths are half of the round trips' 35 \
	"$(row data-planetlab bound)"
check_equal 'so are those of the flat tree' 35 "$(row data-planetlab flat)"

tap_done
