# SPDX-License-Identifier: BSD-2-Clause
# awk -F, -f tables.awk COMPARED raw.csv: the tables of summary.sh.

function ns(v,   a) {
	if (v == "") return ""
	a = v < 0 ? -v : v
	if (a < 1000) return sprintf("%.0f ns", v)
	if (a < 1e6) return sprintf("%.4g us", v / 1e3)
	return a < 1e9 ? sprintf("%.4g ms", v / 1e6) : sprintf("%.4g s", v / 1e9)
}
function percent(v) { return v == "" ? "" : sprintf("%+.3g %%", v) }
function show(v, as) { return as == "%" ? percent(v) : ns(v) }
# The median of the rounds, and its interval.
function both(c, what, v, as,   k) {
	k = c SUBSEP what SUBSEP v
	if (!(k in median)) return "-"
	return show(median[k], as) (low[k] == "" ? "" : " (" show(low[k], as) " to " show(high[k], as) ")")
}
function only(c, what, v) { return ns(median[c, what, v]) }
function range(c, v) { return (c, "p5", v) in median ? only(c, "p5", v) " to " only(c, "p95", v) : "-" }
FILENAME == ARGV[1] {
	if (FNR == 1) next
	k = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
	median[k] = $6; low[k] = $7; high[k] = $8
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$(at["discarded"]) == 0 {
	c = $(at["kind"]) SUBSEP $(at["size"]); v = $(at["variant"])
	if (!(c in seen)) { seen[c]; cases[++n] = c }
	if (v !~ /^untraced/ && !(v in known)) known[v]
	runs[c, v]++
	lost += $(at["lost_events"])
	round = c SUBSEP $(at["round"])
	if (v == "untraced") untraced[round] = $(at["mean_truth_ns"])
	own[round, v] = $(at["mean_truth_ns"])
	corrected[round, v] = $(at["mean_corrected_ns"]); sure[round, v] = $(at["uncertainty_ns"])
	if ("own_ns" in at && $(at["self_taken_ns"]) != "") {
		left[round, v] = $(at["self_middle_ns"]) - $(at["self_taken_ns"]) - $(at["own_ns"])
		self_sure[round, v] = $(at["self_uncertainty_ns"])
	}
	if ($(at["round"]) > rounds) rounds = $(at["round"])
}
# The rounds in which the corrected total is as close to the truth as the report says it is: to that of the same run, of
# calls to that of the untraced one.
function held(c, v,   i, k, off, m) {
	for (i = 1; i <= rounds; i++) {
		k = c SUBSEP i
		if (!(k in untraced) || corrected[k, v] == "") continue
		off = corrected[k, v] - (kind(c) == "calls" ? untraced[k] : own[k, v])
		if ((off < 0 ? -off : off) <= sure[k, v]) m++
	}
	return m + 0
}
# Rounds in which that holds for the own time of a caller.
function self_held(c, v,   i, k, m) {
	for (i = 1; i <= rounds; i++) {
		k = c SUBSEP i SUBSEP v
		if (k in left && (left[k] < 0 ? -left[k] : left[k]) <= self_sure[k]) m++
	}
	return m + 0
}
# In the order of the table, those that were measured.
function ordered(   i, m, all) {
	m = split("thesis emulated springboard inline", all, " ")
	variants = 0
	for (i = 1; i <= m; i++) if (all[i] in known) variant[++variants] = all[i]
}
function own_times(   i, j, c, v, some) {
	for (i = 1; i <= n; i++) some = some || kind(cases[i]) ~ /^own-/
	if (!some) return
	print ""
	print "## Callers of known own time"
	print ""
	print "The caller has some 1 us of work of its own, in pieces, and traced callees between them. The truth is what its own work takes alone in the same"
	print "run, and with its callees, in functions that are not traced. Errors are of the middle half of the calls. The correction is of sums, so each call has"
	print "an equal part of it. The mean of all calls is the report's, with interrupts. The first row compares the total of an untraced caller with the truth."
	print ""
	print "| a callee | callees | truth, own | truth, total | probes | raw own time, more | of it | corrected own time, error | of it | error of the mean of all calls | the report's own uncertainty | rounds in which it held the error | raw total, more | corrected total, error | of it |"
	print "|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n; i++) {
		c = cases[i]
		if (kind(c) !~ /^own-/) continue
		printf "| %s | %d | %s | %s | untraced | | | | | | | | %s | | |\n", ns(substr(kind(c), 5) + 0), size(c), only(c, "own", "untraced"), only(c, "whole", "untraced"), both(c, "total raw", "untraced")
		for (j = 1; j <= variants; j++) {
			v = variant[j]
			printf "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d of %d | %s | %s | %s |\n", ns(substr(kind(c), 5) + 0), size(c), only(c, "own", v), only(c, "whole", v), v,
				both(c, "self raw", v), both(c, "self raw %", v, "%"), both(c, "self", v), both(c, "self %", v, "%"), both(c, "self mean", v), only(c, "self sure", v), self_held(c, v), runs[c, v],
				both(c, "total raw", v), both(c, "total", v), both(c, "total %", v, "%")
		}
	}
}
function kind(c,   p) { split(c, p, SUBSEP); return p[1] }
function size(c,   p) { split(c, p, SUBSEP); return p[2] }
END {
	ordered()
	print "# Durations against the truth"
	print ""
	print "The truth is the program's own: two readings of the time stamp counter in the function, and what one reading costs. Medians of rounds,"
	print "with bootstrap intervals of 95 % where there are five or more. A negative error is a duration that is too short."
	print ""
	print "| | kind | what one reading costs | untraced: calling and returning, which the truth leaves out |"
	print "|---|---|--:|--:|"
	for (i = 1; i <= n; i++)
		if (kind(cases[i]) == "spin") printf "| %s | spin | %s | %s |\n", ns(size(cases[i])), both(cases[i], "clock", "untraced"), both(cases[i], "call", "untraced")
	print ""
	print "## Functions of known length"
	print ""
	print "Single calls as gotrace measures them, against the same call's truth, and the mean of all calls as the report has it, with `--raw` and"
	print "without, against the mean truth of the same run."
	print ""
	print "| kind | asked for | untraced, median | probes | error of a call | of it | 5 to 95 of 100 calls | error of the mean, raw | of it | error of the mean, corrected | of it | the report's own uncertainty | rounds in which it held the error |"
	print "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n; i++) {
		c = cases[i]
		if (kind(c) !~ /^(spin|sleep)$/) continue
		for (j = 1; j <= variants; j++) {
			v = variant[j]
			printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d of %d |\n", kind(c), ns(size(c)), only(c, "truth", "untraced"), v, both(c, "single", v), both(c, "single %", v, "%"), range(c, v),
				both(c, "raw", v), both(c, "raw %", v, "%"), both(c, "corrected", v), both(c, "corrected %", v, "%"), only(c, "sure", v), held(c, v), runs[c, v]
		}
	}
	print ""
	print "## What probing adds to inclusive times"
	print ""
	print "A caller with N calls of a traced function of some 100 ns. Against the untraced run of the same round; the first row is the untraced"
	print "program once more. What the program itself saw is by its own clock, traced."
	print ""
	print "| N | untraced, mean | probes | the program itself saw more | raw total, more | of it | corrected total, error | of it | the report's own uncertainty | rounds in which it held the error |"
	print "|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n; i++) {
		c = cases[i]
		if (kind(c) != "calls") continue
		printf "| %d | %s | untraced-again | %s | | | | | | |\n", size(c), only(c, "untraced mean", "untraced"), both(c, "added", "untraced-again")
		for (j = 1; j <= variants; j++) {
			v = variant[j]
			printf "| %d | %s | %s | %s | %s | %s | %s | %s | %s | %d of %d |\n", size(c), only(c, "untraced mean", "untraced"), v, both(c, "added", v), both(c, "raw", v), both(c, "raw %", v, "%"),
				both(c, "corrected", v), both(c, "corrected %", v, "%"), only(c, "sure", v), held(c, v), runs[c, v]
		}
	}
	own_times()
	print ""
	printf "Lost events: %d.\n", lost
}
