#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hbcastctl convert: small files of each kind, with results worked out by hand,
# and what it refuses.

set -u
. selftests/lib/tap.sh
. selftests/plan/command.sh
enter_empty_directory

# costs: id or name of each node, latencies and bandwidths of the matrix in $out
costs()
{
	jq -c '[[.nodes[] | .name // .id], .latency_us, .bandwidth_mbps]' <<<"$out"
}

# platform: hosts, switches and links of the platform in $out; = is symmetric
platform()
{
	jq -r '[(.nodes[] | "\(.id)\(if .name then ":" + .name else "" end)\(if .kind == "host" then "" else "*" end)"),
		(.links[] | "\(.from)\(if .symmetric then "=" else ">" end)\(.to)/\(.bandwidth_mbps)/\(.latency_us)")] | join(" ")' <<<"$out"
}

### Tables.
printf '0,10,\n20,0,-1\r\n\n 4 , 6 ,NaN\n' >m.csv
run convert m.csv to costs holds rtt_ms bandwidth 8
check_equal 'a matrix of round-trip times' \
	'0 [[1,2,3],[[0,5000,null],[10000,0,null],[2000,3000,0]],[[null,8,null],[8,null,null],[8,8,null]]]' \
	"$status $(costs)"
printf 'node\tb "x"\ta\n"b ""x"""\t0\t1.5\na\t0\t0\n' >b.tsv
run convert b.tsv to costs holds bandwidth_gbps latency 30us
check_equal 'a matrix with names, 0 is no link' \
	'0 [["b \"x\"","a"],[[0,30],[null,0]],[[null,1500],[null,null]]]' \
	"$status $(costs)"
printf '70,5\n1,2\n3,4\n' >h.csv
run convert h.csv to costs holds latency_s
check_equal 'three rows and two columns are no matrix' \
	'1 hbcastctl: h.csv: a matrix must have as many rows as columns, not 3 rows and 2 columns' \
	"$status $said"
printf '\xef\xbb\xbfid,70,5\n70,1,2\n5,3,4\n' >h.csv
run convert h.csv to costs holds latency_s bandwidth 1
check_equal 'numbers of a heading are ids, in ascending order' \
	'0 [[5,70],[[0,3000000],[2000000,0]],[[null,1],[1,null]]]' \
	"$status $(costs)"
printf '0,2,9\n3,0,9\n-,9,0\n' >n.csv
run convert m.csv to costs holds rtt_ms with n.csv holding bandwidth_kbps
check_equal 'two matrices; a pair that one does not know has no link' \
	'0 [[1,2,3],[[0,5000,null],[10000,0,null],[null,3000,0]],[[null,0.002,null],[0.003,null,null],[null,0.009,null]]] hbcastctl: warning: m.csv: 3 pairs have either no latency or no bandwidth and are left without a link' \
	"$status $(costs) $said"
run convert m.csv to costs holds rtt_ms with n.csv holding bandwidth_kbps latency 1ms bandwidth 5
check_equal 'two matrices, and what both lack' \
	'[[0,5000,1000],[10000,0,1000],[2000,3000,0]] [[null,0.002,0.009],[0.003,null,0.009],[5,0.009,null]]' \
	"$(jq -c .latency_us <<<"$out") $(jq -c .bandwidth_mbps <<<"$out")"
printf 'to,from,hops,latency_ms,bandwidth_mbps\nb,a,3,1,100\na,b,2,,50\nc,a,1,2,\nc,c,1,2,\n' >p.csv
run convert p.csv to costs latency 7us bandwidth 3
check_equal 'a list of pairs, with what it lacks' \
	'0 [["a","b","c"],[[0,1000,2000],[7,0,null],[null,null,0]],[[null,100,3],[50,null,null],[null,null,null]]] hbcastctl: warning: p.csv: column "hops" is not known and is ignored' \
	"$status $(costs) $said"
# 1-2 at 100 through switch 4, 6 and 6 us; 3 at 10: 26 - 6 and 30 - 6, 22.
printf '0,100,10\n100,0,10\n10,10,0\n' >bw.csv
printf '0,12,26\n12,0,30\n26,30,0\n' >lat.csv
run convert bw.csv to platform holds bandwidth_mbps with lat.csv holding latency_us
check_equal 'a platform from matrices' \
	'0 1 2 3 4* 1=4/100/6 2=4/100/6 3=4/10/22' "$status $(platform)"
run convert bw.csv to platform holds bandwidth_mbps with lat.csv holding latency_us output tree.json
check_equal 'into a file, nothing printed' '0 ' "$status $out"
run convert tree.json to costs output back.json
run convert back.json to costs
check_equal 'to a platform and back' \
	'[[1,2,3],[[0,12,28],[12,0,28],[28,28,0]],[[null,100,10],[100,null,10],[10,10,null]]]' \
	"$(costs)"
run convert "$demo" to platform
check_equal 'a platform is written as it was' \
	"$(jq -c '[(.nodes | sort_by(.id)[] | [.id, .name, .kind]), (.links | length)]' "$demo")" \
	"$(jq -c '[(.nodes | sort_by(.id)[] | [.id, .name, .kind]), (.links | length)]' <<<"$out")"

### SimGrid.
cat >floyd.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Floyd">
    <host id="a" speed="1Gf"/> <host id="b" speed="1Gf"><prop id="x" value="y"/></host>
    <host id="c" speed="1Gf"/> <router id="r"/>
    <link id="1" bandwidth="125MBps" latency="50us"/>
    <link id="2" bandwidth="1e6" latency="1ms"/>
    <link id="3" bandwidth="10Mbps" latency="0.5s"/>
    <link id="4" bandwidth="1KiBps"/>
    <route src="a" dst="r"><link_ctn id="1"/><link_ctn id="2"/></route>
    <route src="r" dst="b" symmetrical="NO"><link_ctn id="3"/></route>
    <route src="b" dst="r" symmetrical="NO"><link_ctn id="3"/></route>
    <route src="c" dst="b" symmetrical="NO"><link_ctn id="4"/></route>
  </zone>
</platform>
END
# b has two neighbours: it is a host behind switch 5, as wide as all links there.
run convert floyd.xml to platform
check_equal 'SimGrid: routes between neighbours, hosts that pass on' \
	'0 1:a 2:b 3:c 4:r* 5* 1=4/8/1050 2>5/10/0 3>5/0.008192/0 4=5/10/500000 5>2/10.008192/0' \
	"$status $(platform)"
run convert floyd.xml to costs
check_equal 'SimGrid: the routes as costs' \
	'[["a","b","c"],[[0,501050,null],[501050,0,null],[501050,0,0]],[[null,8,null],[8,null,null],[0.008192,0.008192,null]]]' \
	"$(costs)"
cat >full.xml <<'END'
<platform version="4.1"><zone id="z" routing="Full">
<host id="a"/><host id="b"/><host id="c"/>
<link id="x" bandwidth="100Mbps" latency="1us"/><link id="y" bandwidth="10Mbps" latency="2us"/>
<route src="a" dst="b"><link_ctn id="x"/></route>
<route src="a" dst="c"><link_ctn id="x"/><link_ctn id="y"/></route>
<route src="b" dst="c"><link_ctn id="y"/></route>
</zone></platform>
END
run convert full.xml to costs
check_equal 'SimGrid: links that several routes share' \
	'0 [["a","b","c"],[[0,1,3],[1,0,2],[3,2,0]],[[null,100,10],[100,null,10],[10,10,null]]]' \
	"$status $(costs)"
# a and b are 0.5 from the switch, so c is 3 - 0.5 and 2 - 0.5, which is 2.
run convert full.xml to platform
check_equal 'SimGrid: shared links as a tree' \
	'0 1:a 2:b 3:c 4* 1=4/100/0.5 2=4/100/0.5 3=4/10/2' "$status $(platform)"
cat >zones.xml <<'END'
<platform version="4.1"><AS id="all" routing="Full">
<zoneRoute src="c" dst="d" gw_src="nc_router.x" gw_dst="gate"><link_ctn id="w"/></zoneRoute>
<cluster id="c" prefix="n" suffix=".x" radical="0-1,7" bw="1Gbps" lat="5us"/>
<cluster id="d" prefix="m" suffix="" radical="3" bw="2Gbps" lat="1us" router_id="gate"/>
<link id="w" bandwidth="100Mbps" latency="9ms"/>
</AS></platform>
END
run convert zones.xml to platform
check_equal 'SimGrid: clusters and zones' \
	'0 1:nc_router.x* 2:n0.x 3:n1.x 4:n7.x 5:gate* 6:m3 1=2/1000/5 1=3/1000/5 1=4/1000/5 1=5/100/9000 5=6/2000/1' \
	"$status $(platform)"

cat >bus.xml <<'END'
<platform version="4.1"><zone id="all" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-1" bw="1Gbps" lat="5us" bb_bw="300Mbps" bb_lat="3us"/>
<cluster id="d" prefix="m" suffix="" radical="0" bw="200Mbps" lat="1us"/>
<link id="w" bandwidth="400Mbps" latency="20us"/><link id="loopback" bandwidth="9Gbps"/>
<route src="n0" dst="n0"><link_ctn id="loopback"/></route>
<route src="n1" dst="n1"><link_ctn id="loopback"/></route>
<zoneRoute src="c" dst="d" gw_src="nc_router" gw_dst="md_router"><link_ctn id="w"/></zoneRoute>
</zone></platform>
END
# 5 + 3 + 5 us within c, 5 + 3 + 20 + 1 us to m0, each way once over the backbone.
run convert bus.xml to costs
check_equal 'SimGrid: a backbone; what a host sends to itself is nothing' \
	'0 [["n0","n1","m0"],[[0,13,29],[13,0,29],[29,29,0]],[[null,300,200],[300,null,200],[200,200,null]]] ' \
	"$status $(costs) $said"
run convert bus.xml to platform
check_equal 'SimGrid: a backbone is a link for all' 'c in c out [[300,3]]' \
	"$(jq -r '.nodes[1:3] as [$in, $out] | "\($in.name) \($out.name) \([.links[] | select(.from == $in.id) | [.bandwidth_mbps, .latency_us]])"' <<<"$out")"

# One wire between three clusters: 1 + 9 + 1 us from each to each.
cat >wire.xml <<'END'
<platform version="4.1"><zone id="all" routing="Full">
<cluster id="c" prefix="c" suffix="" radical="0" bw="10Mbps" lat="1us"/>
<cluster id="d" prefix="d" suffix="" radical="0" bw="20Mbps" lat="1us"/>
<cluster id="e" prefix="e" suffix="" radical="0" bw="30Mbps" lat="1us"/>
<link id="w" bandwidth="25Mbps" latency="9us"/>
<zoneRoute src="c" dst="d" gw_src="cc_router" gw_dst="dd_router"><link_ctn id="w"/></zoneRoute>
<zoneRoute src="d" dst="e" gw_src="dd_router" gw_dst="ee_router"><link_ctn id="w"/></zoneRoute>
<zoneRoute src="c" dst="e" gw_src="cc_router" gw_dst="ee_router"><link_ctn id="w"/></zoneRoute>
</zone></platform>
END
run convert wire.xml to costs
check_equal 'SimGrid: a wire that zones share' \
	'0 [["c0","d0","e0"],[[0,11,11],[11,0,11],[11,11,0]],[[null,10,10],[10,null,20],[10,20,null]]]' \
	"$status $(costs)"
run convert wire.xml to platform
check_equal 'SimGrid: a shared wire as a tree' '3 1' \
	"$(jq -r '"\([.nodes[] | select(.kind == "host")] | length) \([.nodes[] | select(.kind == "switch")] | length)"' <<<"$out")"

### GraphML and GML. A degree of the equator is 111.1949 km, 555.975 us.
cat >g.graphml <<'END'
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="k" for="node" attr.name="kind"><default>host</default></key>
<key id="x" for="node" attr.name="Longitude"/><key id="y" for="node" attr.name="Latitude"><default>0</default></key>
<key id="n" for="all" attr.name="label"/>
<key id="b" for="edge" attr.name="LinkSpeedRaw"><default>2e7</default></key>
<key id="l" for="edge" attr.name="latency_ms"/>
<graph edgedefault="directed">
<edge source="p" target="q"/>
<node id="p"><data key="x">1</data><data key="n">Here &amp; now</data></node>
<node id="q"><data key="x">2</data></node>
<node id="s"><data key="k">switch</data></node>
<edge source="q" target="p"><data key="b">1000000</data></edge>
<edge source="p" target="s" directed="false"><data key="l">3</data></edge>
<edge source="p" target="s"><data key="l">2</data></edge>
<edge source="s" target="q"/>
<edge source="q" target="q"/>
</graph></graphml>
END
run convert g.graphml to platform latency 7us
check_equal 'GraphML: directions, places, defaults, parallel links' \
	'0 1:Here & now 2:q 3:s* 1>2/20/555.975 1>3/40/2000 2>1/1/555.975 3>1/20/3000 3>2/20/7 hbcastctl: warning: g.graphml: line 16: a link from a node to itself is ignored' \
	"$status $(platform) $said"
# Places and names in pieces; what is behind another element does not count.
cat >pieces.graphml <<'END'
<?xml version="1.0"?>
<!DOCTYPE g:graphml SYSTEM "none.dtd" [<!ATTLIST graph edgedefault CDATA "directed">]>
<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns" xmlns:o="urn:other">
<g:key id="n" attr.name="label"/><g:key id="l" attr.name="latency_us"/>
<g:graph>
<g:node o:id="0" id="a"><g:data key="n"><!-- no -->A<!-- no -->&amp;<?no?><![CDATA[<b>]]>&#x20ac;<o:x>no</o:x>no</g:data></g:node>
<g:node id="b"><g:data key="n"><o:x/>no</g:data></g:node>
<g:edge source="a" target="b"><g:data key="l">4</g:data></g:edge>
<g:edge source="b"
	target="b"/>
</g:graph>
</g:graphml>
END
run convert pieces.graphml to platform bandwidth 1
check_equal 'XML: prefixes, texts in pieces, a document type' \
	'0 1:A&<b>€ 2:b 1=2/1/4 hbcastctl: warning: pieces.graphml: line 9: a link from a node to itself is ignored' \
	"$status $(platform) $said"
cat >lines.graphml <<'END'
<graphml><key id="b" for="edge" attr.name="bandwidth_mbps"/>
<key id="n" for="node" attr.name="name"/><graph edgedefault="undirected">
<node id="x">
 <data key="n">
  a host
 </data>
</node>
<node id="y"/>
<edge source="x" target="y">
 <data key="b">
	20
 </data>
</edge></graph></graphml>
END
run convert lines.graphml to platform latency 1us
check_equal 'GraphML: data on lines of their own' '0 1:a host 2:y 1=2/20/1 ' \
	"$status $(platform) $said"

latin='<?xml version="1.0" encoding="ISO-8859-1"?><graphml><graph><node id="\xe9"/><node id="b"/></graph></graphml>'
printf '%b' "$latin" >latin.xml
printf '%b' "${latin//ISO-8859-1/UTF-16}" | iconv -f ISO-8859-1 -t UTF-16 >wide.xml
for file in latin wide; do
	run convert $file.xml to platform
	check_equal "XML: $file" '0 1:é 2:b' "$status $(platform)"
done
cat >z.gml <<'END'
Creator "Topology Zoo" # a comment
graph [
  directed 0
  node [ id 0 label "A [x]" graphics [ x 1 y [ z 2 ] ] ]
  node [
    id 1
    label "B"
  ]
  node [ id 2 ]
  edge [ source 0 target 1 LinkSpeedRaw 1e9 latency_us 5 ]
  edge [ source 1 target 2 bandwidth_mbps 50 ]
]
END
# B passes on: host 2 behind switch 4, 1050 Mbit/s.
run convert z.gml to platform latency 8us
check_equal 'GML' \
	'0 1:A [x] 2:B 3:2 4* 1=4/1000/5 2=4/1050/0 3=4/50/8' "$status $(platform)"
run convert z.gml to costs latency 8us
check_equal 'GML: routes by latency' \
	'[["A [x]","B","2"],[[0,5,13],[5,0,8],[13,8,0]],[[null,1000,50],[1000,null,50],[50,50,null]]]' \
	"$(costs)"

### What is refused.
# refuse_text NAME SENTENCE FILE TEXT [WORD...]: a file that holds the text
refuse_text()
{
	local name=$1 sentence=$2 file=$3

	printf '%b' "$4" >"$file"
	shift 4
	refuse "$name" "$file: $sentence" convert "$file" to costs "$@"
}

m=(holds latency_us bandwidth 1)
refuse_text 'no number' 'line 2, field 2: latency_us must be a number, or nothing if it is not known, not "x"' \
	t.csv 'a,b\nx,x\n1,1\n' "${m[@]}"
refuse_text 'a number in hexadecimal' 'line 3, field 1: latency_us must be a number, or nothing if it is not known, not "0x1"' \
	t.csv 'a,b\n0,1\n0x1,1\n' "${m[@]}"
refuse_text 'too long' 'line 1, field 2: latency_us must be as much as microseconds from 0 to 1000000000, not "1e10"' \
	t.csv '0,1e10\n1,0\n' "${m[@]}"
refuse_text 'too wide' 'line 1, field 2: bandwidth_gbps must be as much as Mbit/s from 0.000001 to 10000000, not "10001"' \
	t.csv '0,10001\n1,0\n' holds bandwidth_gbps latency 1s
refuse_text 'a row too short' 'line 3: there must be 2 fields as in line 1, not 1' t.csv '0,1\n\n1\n' "${m[@]}"
refuse_text 'an open quotation' 'line 2: a quotation mark is not closed' t.csv '0,1\n"1,\n0' "${m[@]}"
refuse_text 'text behind a quotation' 'line 1: after the second quotation mark the field must end' \
	t.csv '"0"1,1\n' "${m[@]}"
refuse_text 'an empty table' 'the table is empty' t.csv '\n \n' "${m[@]}"
refuse_text 'zero bytes' 'the file must be text, it holds zero bytes' t.csv '0,\0' "${m[@]}"
refuse_text 'one node' 'a table must tell of 2 to 4096 nodes, not 1' t.csv '0\n' "${m[@]}"
refuse_text 'a name twice' 'line 1: two columns are called "a"' t.csv 'a,a\n0,1\n1,0\n' "${m[@]}"
refuse_text 'rows called otherwise' 'line 2 must begin with "a", as the columns are called, not "b"' \
	t.csv '-x,a,b\nb,0,1\na,1,0\n' "${m[@]}"
refuse_text 'no name' 'line 1: the name of a node must be 1 to 63 characters without control characters' \
	t.csv 'x,,b\na,0,1\nb,1,0\n' "${m[@]}"
refuse_text 'no bandwidth' "no pair's bandwidth is told: give one for all" t.csv '0,1\n1,0\n' holds rtt_s
refuse_text 'no latency' "no pair's latency is told: give one for all" t.csv '0,1\n1,0\n' holds bandwidth_bps
refuse_text 'a list without ends' \
	'line 1: there must be columns from and to, unless what it holds is said: then it is a matrix' \
	t.csv '0,1\n1,0\n'
names='latency_us, latency_ms, latency_s, rtt_us, rtt_ms, rtt_s, bandwidth_bps, bandwidth_kbps, bandwidth_mbps or bandwidth_gbps'
refuse_text 'a list that tells nothing' "line 1: there must be a column $names" t.csv 'from,to\n1,2\n'
refuse_text 'a pair twice' 'line 3: the pair from "1" to "2" is there twice' \
	t.csv 'from,to,rtt_s\n1,2,1\n1,2,1\n'
refuse_text 'two columns of latency' 'line 1: columns rtt_s and latency_s tell the same' \
	t.csv 'from,to,rtt_s,latency_s\n1,2,1,1\n'
refuse_text 'an unknown quantity' "what it holds must be $names, not \"ms\"" t.csv '0,1\n1,0\n' holds ms
refuse_text 'a second matrix of other nodes' "no pair's bandwidth is told: give one for all" \
	t.csv '0,1\n1,0\n' holds rtt_s with t.csv holding latency_s
refuse 'a larger second matrix' 'm.csv: node "3" must be at the same place as in the first table' \
	convert t.csv to costs holds rtt_s with m.csv holding bandwidth_mbps
refuse 'a smaller second matrix' 't.csv: there must be 3 nodes as in the first table, not 2' \
	convert m.csv to costs holds rtt_s with t.csv holding bandwidth_mbps
refuse 'a second matrix that is none' 'floyd.xml: its name must end in .csv or .tsv, as a matrix of the same nodes' \
	convert m.csv to costs holds rtt_s with floyd.xml holding bandwidth_mbps
refuse 'half of a second matrix' 'with and holding belong together: write with FILE holding QUANTITY' \
	convert m.csv to costs holds rtt_s with n.csv
refuse 'a second matrix beside a list' 'p.csv: what it holds must be said if there is a second matrix' \
	convert p.csv to costs with n.csv holding bandwidth_mbps
refuse 'a graph that holds one quantity' \
	'z.gml: only a matrix, whose name ends in .csv or .tsv, holds one quantity' \
	convert z.gml to costs holds rtt_ms
refuse_text 'a name that tells nothing' \
	'the name must end in .json, .csv, .tsv, .xml, .graphml or .gml, as what it holds' t.txt 'x'
refuse 'no file' 'none.gml: cannot be opened: No such file or directory' convert none.gml to costs
refuse_text 'no XML' 'line 2: not XML: the element platform of line 1 is not closed' t.xml '<platform>\n</a>'
refuse_text 'half an XML' 'line 4: not XML: the element zone of line 2 is not closed' \
	t.xml '<platform>\n<zone>\n<host/>\n'
refuse_text 'an empty XML' 'line 1: not XML: no element found' t.xml ''
refuse_text 'no UTF-8' 'line 2: not XML: not well-formed (invalid token)' t.xml '<platform>\n\xff</platform>'
refuse_text 'other XML' "line 1: the element must be graphml or SimGrid's platform, not html" t.xml '<html/>'
refuse_text 'an unknown encoding' \
	'line 1: the encoding must be UTF-8, UTF-16, ISO-8859-1 or US-ASCII, not "EBCDIC-FR"' \
	t.xml '<?xml version="1.0" encoding="EBCDIC-FR"?>\n<platform/>'
refuse_text 'entities' 'line 2: the file declares entities, which are not read' \
	t.xml '<!DOCTYPE platform [\n<!ENTITY e "x">]><platform/>'
refuse_text 'entities in another file' 'line 1: the file declares entities, which are not read' \
	t.xml '<!DOCTYPE platform [<!ENTITY e SYSTEM "m.csv">]><platform id="&e;"/>'
refuse_text 'entities for declarations' 'line 1: the file declares entities, which are not read' \
	t.xml '<!DOCTYPE platform [<!ENTITY % e "">%e;]><platform/>'
refuse_text 'an entity of nowhere' 'line 1: not XML: undefined entity' t.xml '<platform id="&e;"/>'
refuse_text 'an entity of elsewhere' 'line 2: what the entity "e" stands for is not in the file' \
	t.xml '<!DOCTYPE platform SYSTEM "x.dtd">\n<platform>&e;</platform>'
# Expanded, the last would be 10^19 bytes.
bomb='<!DOCTYPE platform [\n<!ENTITY e0 "ha">'
for ((i = 1; i < 20; i++)); do
	printf -v bomb '%s<!ENTITY e%d "%s">' "$bomb" "$i" \
		"$(printf "&e$((i - 1));%.0s" {1..10})"
done
refuse_text 'a billion laughs' 'line 2: the file declares entities, which are not read' \
	t.xml "$bomb]>\n<platform id='&e19;'>&e19;</platform>"
printf -v deep '<zone>%.0s' {1..255}
printf -v flat '</zone>%.0s' {1..255}
refuse_text 'as deep as may be' 'there must be at least 2 hosts, not 0' \
	t.xml "<platform>$deep$flat</platform>"
refuse_text 'too deep' 'line 2: elements are nested deeper than 256' \
	t.xml "<platform>$deep\n<host/>$flat</platform>"
z='<platform><zone id="z" routing="Full"><host id="a"/><router id="r"/>'
refuse_text 'SimGrid: no id' 'line 1: host has no id' t.xml '<platform><host/></platform>'
refuse_text 'SimGrid: a host twice' 'line 2: there are two nodes "a"' t.xml "$z\n<host id='a'/></zone></platform>"
refuse_text 'SimGrid: no such link' 'line 1: there is no link "l"' \
	t.xml "$z<route src='a' dst='r'><link_ctn id='l'/></route></zone></platform>"
refuse_text 'SimGrid: no such end' 'line 1: there is no node "b"' \
	t.xml "$z<route src='a' dst='b'/></zone></platform>"
refuse_text 'SimGrid: a route of nothing' 'line 1: the route has no links' \
	t.xml "$z<route src='a' dst='r'/></zone></platform>"
refuse_text 'SimGrid: an unknown unit' \
	'line 1: bandwidth of link must be as much as Mbit/s from 0.000001 to 10000000, not "5MB"' \
	t.xml "$z<link id='l' bandwidth='5MB'/></zone></platform>"
refuse_text 'SimGrid: a topology' 'line 1: the topology of a cluster must be FLAT, not "TORUS"' \
	t.xml '<platform><cluster id="c" topology="TORUS"/></platform>'
refuse_text 'SimGrid: numbers of a cluster' 'line 1: radical must be numbers such as 0-3,7, not "3-1"' \
	t.xml '<platform><cluster id="c" prefix="" suffix="" radical="3-1" bw="1" lat="1"/></platform>'
refuse_text 'SimGrid: an unknown element' 'line 1: the element peer is not known' \
	t.xml '<platform><peer id="p"/></platform>'
refuse_text 'SimGrid: one host' 'there must be at least 2 hosts, not 1' t.xml "$z</zone></platform>"
refuse_text 'GraphML: no graph' 'line 1: there is no graph in it' t.graphml '<graphml/>'
refuse_text 'GraphML: no key' 'line 1: there is no key "d" for nodes' \
	t.graphml '<graphml><graph><node id="n"><data key="d"/></node></graph></graphml>'
refuse_text 'GraphML: half an edge' 'line 1: an end of the link is missing' \
	t.graphml '<graphml><graph><node id="n"/><edge source="n"/></graph></graphml>'
refuse_text 'GML: no graph' 'there is no graph in it' t.gml 'Version 1'
refuse_text 'GML: an open list' "line 2: the list's bracket is not closed" t.gml 'a 1\ngraph ['
refuse_text 'GML: a closed list too many' 'line 2: this bracket closes nothing' t.gml 'graph [ ]\n]'
refuse_text 'GML: no value' 'line 1: key "id" has no value' t.gml 'graph [ id ]'
refuse_text 'GML: a node without id' 'line 2: the node has no id' t.gml 'graph [\nnode [ ] ]'
refuse_text 'GML: an unknown kind' 'line 1: kind must be host or switch, not "router"' \
	t.gml 'graph [ node [ id 1 kind "router" ] ]'
refuse_text 'GML: no bandwidth' "line 1: the link's bandwidth is not told: give one for all" \
	t.gml 'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]'
refuse_text 'GML: no latency' "line 1: the link's latency is not told: give one for all" \
	t.gml 'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]' bandwidth 5
refuse 'no bandwidth at all' 'bandwidth "0" is not understood: write Mbit/s from 0.000001 to 10000000' \
	convert z.gml to costs bandwidth 0
refuse 'a latency too long' 'latency 20m is out of range: write 0s to 1000s' \
	convert z.gml to costs latency 20m
refuse 'another kind' 'to "plan" is unknown: write costs or platform' convert z.gml to plan
"$tool" convert tree.json to costs >/dev/full 2>said
check_equal 'refused: a full disk' '1 hbcastctl: the cost matrix cannot be written to standard output' \
	"$? $(<said)"
refuse 'no words' 'convert needs the name of a file: hbcastctl convert help tells more' convert

# What convert knows is in its manual page.
run convert help
check_match 'convert has help' 'convert FROM to costs\|platform' "$out"
run convert m.csv to costs holds all
for quantity in $(sed 's/.*must be //; s/, not.*//; s/,//g; s/ or / /' <<<"$said"); do
	grep -qx "\\.B $quantity" "$page" || undocumented+=" $quantity"
done
check_equal 'every quantity is in the manual page' '' "${undocumented:-}"
check 'there are quantities' [ -n "${quantity:-}" ]
tap_done
