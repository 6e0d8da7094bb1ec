# raw.csv, read twice -> lines for experiments/stats: to the file "calls" what a call takes in ns, by processor time (call) and by
# the clock (call_clock); to "added" what it takes more than the plain one of its round (added, added_clock), and how many times two
# empty probes of the kind that the variant hits (times_empty). of is the folder, with a slash.
BEGIN { FS = OFS = ","; n_kinds = split("springboard-nop nop5 springboard-jump jump emulated jump", pair, " ") }
FNR == 1 { file++; for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] { next }
{
	f = $col["function"]; t = $col["threads"]; v = $col["variant"]; r = $col["round"]
	cpu = $col["cpu_ns"] / $col["calls"]; wall = $col["wall_ns"] / $col["calls"]
}
file == 1 && v == "plain" { plain[f, t, r] = cpu; plain_wall[f, t, r] = wall }
file == 1 && f == "floor" { floor[v, t, r] = cpu }
file == 1 { next }
{
	printf "%s,%s,call,%s,%s,%.6f\n", f, t, v, r, cpu > (of "calls")
	printf "%s,%s,call_clock,%s,%s,%.6f\n", f, t, v, r, wall > (of "calls")
}
f != "floor" && v != "plain" {
	more = cpu - plain[f, t, r]
	printf "%s,%s,added,%s,%s,%.6f\n", f, t, v, r, more > (of "added")
	printf "%s,%s,added_clock,%s,%s,%.6f\n", f, t, v, r, wall - plain_wall[f, t, r] > (of "added")
	for (k = 1; k < n_kinds; k += 2)
		if (pair[k] == v && f == "framed" && (pair[k + 1], t, r) in floor)
			printf "%s,%s,times_empty,%s,%s,%.6f\n", f, t, v, r, more / (2 * floor[pair[k + 1], t, r]) > (of "added")
}
