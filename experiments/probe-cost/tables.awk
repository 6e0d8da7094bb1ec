# summary.csv, raw.csv -> Markdown: what a call costs, and the floor. Behind ratios.awk.
BEGIN { FS = ","; n_variants = split("plain plain-again thesis thesis-again emulated emulated-step springboard-jump springboard-nop inline bpftrace-empty bpftrace-map", order, " ") }
FILENAME == ARGV[1] {
	if (remember() != "" && !(($1, $2) in known)) { known[$1, $2]; cases[++n_cases] = $1 SUBSEP $2 }
	if ($1 == "floor" && $3 == "call") { floors[++n_floors] = $2 SUBSEP $4 }
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{ lost[$col["function"] " on " $col["threads"] " threads, " $col["variant"]] += $col["lost_events"] }
function us(ns) { return ns < 1000 && ns > -1000 ? sprintf("%.1f ns", ns) : sprintf("%.2f us", ns / 1000) }
function bounds(key) { return low_of[key] == "" ? "" : " (" us(low_of[key]) " to " us(high_of[key]) ")" }
# What a call costs more, or why that is not said. plain_again is what noise makes of it.
function cost(c, what, variant,   key) {
	key = c SUBSEP what SUBSEP variant
	if (!(key in median_of)) return "–"
	if (verdict_of[c SUBSEP (what == "added" ? "call" : "call_clock") SUBSEP "plain-again"] == "invalid") return "invalid"
	if (variant != "plain-again" && (median_of[key] <= 0 || (low_of[key] != "" && (low_of[key] <= 0 || high_of[key] > 1.5 * low_of[key])))) return "not measurable here"
	return us(median_of[key]) bounds(key)
}
END {
	head("What a traced call costs", "plain")
	print "\nProcessor time of the calling thread that a call takes more than the plain one of the same round, both its events recorded,"
	print "collected and written meanwhile; for *plain* what it takes. *plain-again* and *thesis-again* are the same once more. By the clock,"
	print "the time of other programs is in it, which on a busy machine is much. *empty* is two probes of the same kind that do nothing.\n"
	print "| probes | function | threads | a call | by the clock | thesis, times this | times two empty probes |"
	print "|---|---|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n_cases; i++) {
		split(cases[i], part, SUBSEP)
		if (part[1] == "floor") continue
		for (v = 1; v <= n_variants; v++) {
			o = order[v]
			line = "| " o " | " part[1] " | " part[2] " | "
			if (o == "plain")
				print line us(median_of[cases[i] SUBSEP "call" SUBSEP o]) bounds(cases[i] SUBSEP "call" SUBSEP o) " | " \
					us(median_of[cases[i] SUBSEP "call_clock" SUBSEP o]) bounds(cases[i] SUBSEP "call_clock" SUBSEP o) " | | |"
			else if ((cases[i] SUBSEP "added" SUBSEP o) in median_of)
				print line cost(cases[i], "added", o) " | " cost(cases[i], "added_clock", o) " | " \
					(o == "plain-again" ? "" : times_less(cases[i] SUBSEP "added" SUBSEP o)) " | " \
					((cases[i] SUBSEP "times_empty" SUBSEP o) in median_of ? spread(cases[i] SUBSEP "times_empty" SUBSEP o, "%.2f", 1) : "") " |"
		}
	}
	if (n_floors) {
		print "\nThe floor: what one takes.\n\n| | threads | each | by the clock |\n|---|--:|--:|--:|"
		for (i = 1; i <= n_floors; i++) {
			split(floors[i], part, SUBSEP)
			key = "floor" SUBSEP part[1] SUBSEP "call" SUBSEP part[2]
			clock = "floor" SUBSEP part[1] SUBSEP "call_clock" SUBSEP part[2]
			rows_of[part[2], part[1]] = "| " part[2] " | " part[1] " | " us(median_of[key]) bounds(key) " | " us(median_of[clock]) bounds(clock) " |"
		}
		n = split("nop5 nop1 jump push ret syscall rdtsc stub-none stub-empty stub-noclock stub-clock", kind, " ")
		for (t = 1; t <= 2; t++)
			for (k = 1; k <= n; k++) if ((kind[k], t) in rows_of) print rows_of[kind[k], t]
	}
	tail()
}
