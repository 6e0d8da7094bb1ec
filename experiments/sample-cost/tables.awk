# summary.csv, raw.csv -> Markdown, for run.sh, gaps.sh and goroutines.sh (kind). Behind ratios.awk.
BEGIN { FS = "," }
FILENAME == ARGV[1] {
	if (remember() == "") next
	if (!($1 in known)) { known[$1]; cases[++n_cases] = $1 }
	if ($2 ~ /^against_perf_/) {
		any_pairs = 1
	} else if (!($3 in variant_known)) { variant_known[$3]; variants[++n_variants] = $3 }
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{ lost[$1 ", " $col["variant"]] += $col["lost_events"] }
# By rate, then by name: the rounds have them in any order.
function place(v,   part, n) {
	n = split(v, part, "-")
	return v == "untraced-again" ? 0 : part[n] + 0
}
function arrange(   i, j, t) {
	for (i = 2; i <= n_variants; i++)
		for (j = i; j > 1 && (place(variants[j - 1]) > place(variants[j]) || (place(variants[j - 1]) == place(variants[j]) && variants[j - 1] > variants[j])); j--) {
			t = variants[j]; variants[j] = variants[j - 1]; variants[j - 1] = t
		}
}
function key(c, what, v) { return c SUBSEP what SUBSEP v }
function of_tool(c, what, v, format, factor) { return v ~ /^untraced/ ? "" : middle(key(c, what, v), format, factor) }
function of_run(   i, v, c) {
	head("What sampling takes", "untraced")
	print "\nPer cent that the target took more than untraced: its processor time, its wall time, and processor time of target and tool"
	print "together. Seconds of processor time of the tool, and of its report afterwards.\n"
	print "| program | | target's processor time, % | target's wall time, % | target and tool, % | tool, s | report, s | samples |"
	print "|---|---|--:|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n_cases; i++)
		for (v = 1; v <= n_variants; v++) {
			c = cases[i]
			if (variants[v] == "untraced" || !(key(c, "cpu", variants[v]) in median_of)) continue
			print "| " c " | " variants[v] " | " percent(key(c, "cpu", variants[v]), 1, 1) " | " percent(key(c, "wall", variants[v]), 1, 1) " | " \
				percent(key(c, "all", variants[v]), 1, 1) " | " of_tool(c, "tool", variants[v], "%.3f", 1) " | " \
				of_tool(c, "report", variants[v], "%.3f", 1) " | " of_tool(c, "samples", variants[v], "%.0f", 1) " |"
		}
	if (!any_pairs) return
	print "\ngotrace against perf in the same round: processor time of target and tool together, per cent; below 0 gotrace takes less.\n"
	print "| program | Hz | gotrace - perf, % |\n|---|--:|--:|"
	for (i = 1; i <= n_cases; i++)
		for (v = 1; v <= n_variants; v++) {
			c = cases[i]
			k = key(c, "against_perf_" place(variants[v]), "gotrace")
			if (variants[v] !~ /^gotrace-/ || !(k in median_of)) continue
			# There is no A/A of perf; that of untraced says whether differences are seen that are not there.
			aa = verdict_of[key(c, "all", "untraced-again")]
			if (verdict_of[k] == "unchecked") verdict_of[k] = aa == "a/a" ? "ok" : aa
			print "| " c " | " place(variants[v]) " | " percent(k, 1, 1) " |"
		}
}
function of_gaps(   i, v, c) {
	head("What sampling takes from a thread that runs", "untraced")
	print "\nPer cent of its time that the thread was interrupted more than untraced. Gaps of more than 200 us are none of these interrupts and"
	print "left out.\n"
	print "| threads | | more time in gaps, % | gaps a second |\n|--:|---|--:|--:|"
	for (i = 1; i <= n_cases; i++)
		for (v = 1; v <= n_variants; v++) {
			c = cases[i]
			if (key(c, "left", variants[v]) in median_of)
				print "| " c " | " variants[v] " | " percent(key(c, "left", variants[v]), 2, -1) " | " middle(key(c, "rate", variants[v]), "%.0f", 1) " |"
		}
}
function of_goroutines(   i, c) {
	head("What looking at goroutines that wait costs", "untraced")
	print "\nPer cent of one processor: what gotrace uses itself once it has begun, and what the program uses more than untraced. To"
	print "begin it took the processor time of the last column.\n"
	print "| goroutines | gotrace, % | the program, % more | untraced once more, % | snapshots a second | part of them looked at, % | to begin, s |"
	print "|--:|--:|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n_cases; i++) {
		c = cases[i]
		print "| " c " | " spread(key(c, "tool", "wall"), "%.2f", 100) " | " percent(key(c, "left", "wall"), 2, -1) " | " \
			percent(key(c, "left", "untraced-again"), 2, -1) " | " middle(key(c, "rate", "wall"), "%.1f", 1) " | " \
			middle(key(c, "part", "wall"), "%.1f", 100) " | " middle(key(c, "begun", "wall"), "%.2f", 1) " |"
	}
}
END {
	arrange()
	if (kind == "run") of_run()
	else if (kind == "gaps") of_gaps()
	else of_goroutines()
	tail()
}
