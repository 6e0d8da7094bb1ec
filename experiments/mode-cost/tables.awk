# summary.csv, raw.csv -> Markdown. Behind ratios.awk.
BEGIN {
	FS = ","
	n_variants = split("untraced,untraced-again,sample,sample-wall,sample-signals,record-no-states,record-no-samples,record,record-signals", order, ",")
	named["sample-wall"] = "`sample --wall`"; named["sample-signals"] = "`sample --record-signals`"
	named["record-no-samples"] = "`record` without samples"; named["record-no-states"] = "`record --no-states`"; named["record-signals"] = "`record --record-signals`"
}
FILENAME == ARGV[1] {
	if (remember() != "" && !($1 in known)) { known[$1]; programs[++n_programs] = $1 }
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{
	lost[$1 ", " $col["variant"]] += $col["lost_events"]
	missing[$1, $col["variant"]] += $col["lost_events"]
}
function key(p, what, v) { return p SUBSEP what SUBSEP v }
function of_tool(p, what, v, format) { return v ~ /^untraced/ ? "" : middle(key(p, what, v), format, 1) }
END {
	head("What each mode takes", "untraced")
	print "\nPer cent that the target took more than untraced: its processor time, its wall time, and processor time of target and tool"
	print "together. Seconds of processor time of the tool, events or samples, and the size of the trace; lost is the sum of all rounds.\n"
	print "| program | mode | target, s | target's processor time, % | target's wall time, % | target and tool, % | tool, s | events or samples | lost | trace, KB |"
	print "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n_programs; i++)
		for (v = 1; v <= n_variants; v++) {
			p = programs[i]; o = order[v]
			if (!(key(p, "cpu", o) in median_of)) continue
			print "| " p " | " (o in named ? named[o] : o ~ /^untraced/ ? o : "`" o "`") " | " middle(key(p, "cpu", o), "%.3f", 1) " | " \
				percent(key(p, "cpu", o), 1, 1) " | " percent(key(p, "wall", o), 1, 1) " | " percent(key(p, "all", o), 1, 1) " | " \
				of_tool(p, "tool", o, "%.3f") " | " of_tool(p, "events", o, "%.0f") " | " \
				(o ~ /^untraced/ ? "" : sprintf("%.0f", missing[p, o])) " | " of_tool(p, "kb", o, "%.1f") " |"
		}
	tail()
}
