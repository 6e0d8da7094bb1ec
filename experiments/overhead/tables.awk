# published.csv, summary.csv -> the thesis's tables 7.2 and 7.3 as Markdown, beside ours.
BEGIN { FS = ","; waiting_s = 5 }
FNR == 1 { for (i = 1; i <= NF; i++) col[FILENAME, $i] = i; file++; next }
file == 1 {
	key = $1 SUBSEP $2
	if (!(key in traced)) rows[$2] = rows[$2] " " $1
	traced[key] = $3; plain[key] = $4; ratio[key] = $5; source[key] = $6
	next
}
{
	key = $1 SUBSEP $2 SUBSEP $3
	own[key] = $col[FILENAME, "target_median_s"]
	whole[key] = $col[FILENAME, "end_to_end_median_s"]
	events[key] = $col[FILENAME, "events_median"]
	lost[key] = $col[FILENAME, "lost_events"]
	runs = $col[FILENAME, "runs"]
	if (!($1 in known)) programs[++n_programs] = $1
	known[$1]
	tools[$3]
}
function cell(v) { return v == "" ? "–" : v }
function seconds(values, program, variant, tool, less,   key) {
	key = program SUBSEP variant SUBSEP tool
	return key in values ? sprintf("%.3f", values[key] - less) : "–"
}
function over(values, program, variant, tool, less,   a, b) {
	a = program SUBSEP variant SUBSEP tool; b = program SUBSEP "plain" SUBSEP tool
	return (a in values) && (b in values) && values[b] > less ? \
		sprintf("%.2f", (values[a] - less) / (values[b] - less)) : "–"
}
# A line for the plain program, then one for each way of probing.
function rows_of(program, table, tool, less,   key, v) {
	key = program SUBSEP table
	print "| " program " | plain | " seconds(own, program, "plain", tool, less) " | | " \
		seconds(whole, program, "plain", tool, less) " | | " cell(plain[key]) " | |"
	for (v = 1; v <= n_variants; v++) {
		if (variants[v] == "inline" && !((program SUBSEP "inline" SUBSEP tool) in own))
			continue # a run from before there was such a strategy
		print "| " program " | " variants[v] " | " seconds(own, program, variants[v], tool, less) \
			" | " over(own, program, variants[v], tool, less) " | " seconds(whole, program, variants[v], tool, less) \
			" | " over(whole, program, variants[v], tool, less) \
			(v == 1 ? " | " cell(traced[key]) " | " cell(ratio[key]) " |" : " | | |")
	}
}
function head() {
	print "| program | probes | target s | ratio | end to end s | ratio | published s | ratio |"
	print "|---|---|--:|--:|--:|--:|--:|--:|"
}
END {
	n_variants = split("thesis emulated springboard nop inline", variants, " ")
	print "# Overhead: tables 7.2 and 7.3 of the thesis, measured again"
	print ""
	print "Medians of " runs " runs after one discarded, variants interleaved. *Target* is the traced program's own"
	print "wall time, from exec to exit; *end to end* is the whole command with set-up and tear-down. A ratio is"
	print "the traced program over the plain one by the same clock. *thesis*, *emulated*, *springboard* and *inline* are"
	print "`--probe`, *nop* is springboard with `--stub=nop`. Every program is built with `-gcflags=-l`."
	if (runs < 5) print "\n**Fewer than five runs: a trial, not a result.**"
	for (t = 1; t <= 2; t++) {
		tool = t == 1 ? "time" : "hyperfine"
		if (!(tool in tools)) continue
		print "\n## Table 7.2 by " (t == 1 ? "/usr/bin/time (10 ms resolution end to end)" : tool) "\n"
		head()
		for (i = 1; i <= n_programs; i++) rows_of(programs[i], "7.2", tool, 0)
	}
	for (t = 1; t <= 2; t++) {
		tool = t == 1 ? "time" : "hyperfine"
		if (!(tool in tools) || !("oto" in known)) continue
		print "\n## Table 7.3 by " (t == 1 ? "/usr/bin/time" : tool) ": oto without the " waiting_s " s of waiting for sound\n"
		head()
		rows_of("oto", "7.3", tool, waiting_s)
	}
	print "\n## Events\n\n| program | strategy | events | lost in all runs |\n|---|---|--:|--:|"
	tool = "time" in tools ? "time" : "hyperfine"
	for (i = 1; i <= n_programs; i++)
		for (v = 1; v <= n_variants; v++) {
			key = programs[i] SUBSEP variants[v] SUBSEP tool
			if (key in events) print "| " programs[i] " | " variants[v] " | " events[key] " | " lost[key] " |"
		}
	print "\nPublished figures: tables 7.2 and 7.3 of the thesis (Ubuntu 22.04, kernel 6.5, 4 CPUs at 3.4 GHz, Go 1.22.0);"
	print "those of ants are from its author's published run logs. greet-2s repeats greet as often as the plain program"
	print "manages in two seconds: a ratio of two runs of 15 ms is noise. Environment and raw rows lie beside this file."
}
