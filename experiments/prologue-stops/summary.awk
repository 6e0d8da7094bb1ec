# SPDX-License-Identifier: BSD-2-Clause
# awk -F, -f summary.awk SHARES COMPARED raw.csv: the tables of summary.sh.

function pct(v) { return v == "" ? "" : sprintf("%.3g", 100 * v) }
function between(low, high) { return low == "" ? "too few runs" : pct(low) " to " pct(high) }
# Against half; an interval that is not there, or holds it, decides nothing.
function verdict(low, high, whole) {
	if (whole == 0) return "nothing was counted"
	if (low == "") return "too few runs"
	return high < 0.5 ? "refuted" : low > 0.5 ? "confirmed" : "undecided"
}
FILENAME == ARGV[1] {
	if (FNR == 1) next
	k = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
	runs[k] = $5; part[k] = $6; whole[k] = $7; part_of[k] = $8; exact_low[k] = $9; exact_high[k] = $10; low[k] = $11; high[k] = $12
	if (!(($1, $2) in seen)) { seen[$1, $2]; cases[++n_cases] = $1 SUBSEP $2 }
	next
}
FILENAME == ARGV[2] {
	if (FNR == 1) next
	median[$1, $2, $4, $3] = $6 == "" ? "-" : ($7 == "" ? $6 : $6 " (" $7 " to " $8 ")")
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$(at["discarded"]) == 0 {
	c = $(at["program"]) SUBSEP $(at["go"]); v = $(at["variant"])
	rows[c, v]++
	missed += $(at["missed"])
	lost[v] += $(at["lost_events"])
	total[c, v, "shrinks"] += $(at["shrinks"])
	n = split("growth yield gc declined", class, " ")
	same = 1
	for (i = 1; i <= n; i++) {
		total[c, v, class[i]] += $(at[class[i]])
		total[c, v, "own_" class[i]] += $(at["own_" class[i]])
		total[c, v, "trace_" class[i]] += $(at["trace_" class[i]])
		total[c, v, class[i] "_ns"] += $(at[class[i] "_ns"])
		if (v == "thesis" && $(at["own_" class[i]]) != $(at["trace_" class[i]])) same = 0
		if (v == "default" && $(at[class[i]]) != $(at["trace_" class[i]]) + $(at["others_" class[i]])) same = 0
	}
	agree[v] += same; compared[v]++
}
function title(c,   p) { split(c, p, SUBSEP); return p[1] " | " p[2] }
END {
	n_variants = split("untraced untraced-again thesis default", variants, " ")
	print "# Did the stacks grow?"
	print ""
	print "The thesis took each second entry of a prologue for stack growth, and found that Go programs grow their stacks quite often. The"
	print "same second entry comes where the runtime wants the goroutine to yield. Here is what it counted, with its own probes, by what the"
	print "runtime did. A statement is confirmed where more than half was growth, and refuted where less was: by the whole interval, of 95 %."
	print "That of counts is exact (Clopper-Pearson) if stops do not depend on each other; where they do, that of runs drawn again is wider:"
	print "the verdict needs both. That of times is of runs drawn again."
	print ""
	print "| program | Go | runs | counted as growth | growth | yield | gc | declined | growth, % of count | exact interval | interval of runs | by count | growth, % of time | interval | by time |"
	print "|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|---|--:|---|---|"
	for (i = 1; i <= n_cases; i++) {
		c = cases[i]; k = c SUBSEP "thesis" SUBSEP "count"; t = c SUBSEP "thesis" SUBSEP "time"
		count = verdict(exact_low[k], exact_high[k], whole[k])
		again = verdict(low[k], high[k], whole[k])
		if (again != count) count = again == "too few runs" ? again : "undecided"
		printf "| %s | %d | %d | %d | %d | %d | %d | %s | %s | %s | %s | %s | %s | %s |\n", title(c), rows[c, "thesis"], whole[k],
			total[c, "thesis", "trace_growth"], total[c, "thesis", "trace_yield"], total[c, "thesis", "trace_gc"], total[c, "thesis", "trace_declined"],
			pct(part_of[k]), whole[k] == 0 ? "" : between(exact_low[k], exact_high[k]), whole[k] == 0 ? "" : between(low[k], high[k]), count,
			pct(part_of[t]), whole[t] == 0 ? "" : between(low[t], high[t]), verdict(low[t], high[t], whole[t])
	}
	print ""
	print "## Counted without gotrace"
	print ""
	print "Events of the kernel at `runtime.newstack` and what it calls, no probe in the program's own functions; beside untraced runs those of"
	print "the thesis's probes and of gotrace's default. Stops of all functions, a run: median, and its interval."
	print ""
	print "| program | Go | variant | growths | yields | parked for the collector | declined | stacks that shrank, all runs | growth, % of all stops | exact interval |"
	print "|---|---|---|--:|--:|--:|--:|--:|--:|---|"
	for (i = 1; i <= n_cases; i++)
		for (j = 1; j <= n_variants; j++) {
			c = cases[i]; v = variants[j]; k = c SUBSEP v SUBSEP "all"
			printf "| %s | %s | %s | %s | %s | %s | %d | %s | %s |\n", title(c), v, median[c, v, "growth"], median[c, v, "yield"],
				median[c, v, "gc"], median[c, v, "declined"], total[c, v, "shrinks"], pct(part_of[k]), whole[k] == 0 ? "" : between(exact_low[k], exact_high[k])
		}
	print ""
	print "Of the functions only that the thesis would trace, all runs together:"
	print ""
	print "| program | Go | variant | runs | growths | yields | parked for the collector | declined | growth, % | exact interval | most is growth |"
	print "|---|---|---|--:|--:|--:|--:|--:|--:|---|---|"
	for (i = 1; i <= n_cases; i++)
		for (j = 1; j <= n_variants; j++) {
			c = cases[i]; v = variants[j]; k = c SUBSEP v SUBSEP "own"
			printf "| %s | %s | %d | %d | %d | %d | %d | %s | %s | %s |\n", title(c), v, rows[c, v], total[c, v, "own_growth"], total[c, v, "own_yield"],
				total[c, v, "own_gc"], total[c, v, "own_declined"], pct(part_of[k]), whole[k] == 0 ? "" : between(exact_low[k], exact_high[k]),
				verdict(exact_low[k], exact_high[k], whole[k])
		}
	print ""
	print "## Whether both counts agree"
	print ""
	printf "- The thesis's probes and the counter have the same four numbers, of the functions that are traced, in %d of %d runs.\n", agree["thesis"], compared["thesis"]
	printf "- gotrace's default and the counter have the same four numbers, of all functions, in %d of %d runs. gotrace leaves out the runtime's own goroutines, and what comes before `runtime.main`.\n", agree["default"], compared["default"]
	printf "- The kernel could not store %d events of the counter; the traces lost %d (thesis) and %d (default).\n", missed, lost["thesis"], lost["default"]
}
