# summary.csv, raw.csv -> Markdown. Behind ratios.awk.
BEGIN {
	FS = ","
	n_variants = split("untraced untraced-again record sample wall cpu block mutex trace fgprof", order, " ")
	named["record"] = "gotrace record"; named["sample"] = "gotrace sample"; named["wall"] = "gotrace sample --wall"; named["trace"] = "go tool trace"
	named["cpu"] = "pprof cpu"; named["block"] = "pprof block"; named["mutex"] = "pprof mutex"
}
FILENAME == ARGV[1] {
	if (remember() != "" && !($1 in known)) { known[$1]; programs[++n_programs] = $1 }
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{ lost[$col["variant"]] += $col["lost_events"] }
function key(p, what, v) { return p SUBSEP what SUBSEP v }
END {
	head("Where time goes", "untraced")
	print "\nSeconds that a tool tells over those that the server measured in the same run. –: the tool tells nothing of it. lock: waiting for a"
	print "mutex in main.locked; query: a sleep in main.query; busy: computing in main.busy. wall and cpu: of the server, times untraced.\n"
	print "| tool | lock | query | busy | wall | cpu |\n|---|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n_programs; i++)
		for (v = 1; v <= n_variants; v++) {
			p = programs[i]; o = order[v]
			if (!(key(p, "wall", o) in median_of)) continue
			print "| " (o in named ? named[o] : o) " | " spread(key(p, "lock", o), "%.3f", 1) " | " spread(key(p, "query", o), "%.3f", 1) " | " \
				spread(key(p, "busy", o), "%.3f", 1) " | " times(key(p, "wall", o)) " | " times(key(p, "cpu", o)) " |"
		}
	tail()
}
