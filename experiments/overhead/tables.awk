# published.csv, summary.csv, raw.csv -> the thesis's tables 7.2 and 7.3 as Markdown, beside ours.
BEGIN { FS = ","; n_variants = split("thesis emulated springboard nop inline", order, " ") }
FNR == 1 { for (i = 1; i <= NF; i++) col[FILENAME, $i] = i; file++; next }
file == 1 {
	key = $1 SUBSEP $2
	published_traced[key] = $3; published_plain[key] = $4; published_ratio[key] = $5
	next
}
file == 2 {
	key = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
	median[key] = $col[FILENAME, "median"]
	ratio[key] = $col[FILENAME, "ratio"]
	low[key] = $col[FILENAME, "ratio_low"]
	high[key] = $col[FILENAME, "ratio_high"]
	verdict[key] = $col[FILENAME, "verdict"]
	if ($col[FILENAME, "rounds"] > rounds) rounds = $col[FILENAME, "rounds"]
	if (!($1 in known)) programs[++n_programs] = $1
	known[$1]; tools[$2]
	next
}
!$col[FILENAME, "discarded"] {
	lost[$col[FILENAME, "program"] SUBSEP $col[FILENAME, "tool"] SUBSEP $col[FILENAME, "variant"]] += $col[FILENAME, "lost_events"]
}
function dash(v) { return v == "" ? "–" : v }
function seconds(program, tool, what, variant,   key) {
	key = program SUBSEP tool SUBSEP what SUBSEP variant
	return key in median ? sprintf("%.3f", median[key]) : "–"
}
# How many times the plain program's, or why that is not said.
function over(program, tool, what, variant,   key, v) {
	key = program SUBSEP tool SUBSEP what SUBSEP variant
	if (!(key in verdict) || verdict[key] == "base") return ""
	v = verdict[key]
	if (v == "invalid") return "invalid"
	if (v == "not measurable" || ratio[key] == "") return "not measurable here"
	if (low[key] == "") return sprintf("%.2f (%s)", ratio[key], v)
	return sprintf("%.2f (%.2f to %.2f)%s", ratio[key], low[key], high[key], \
		v == "within noise" || v == "unchecked" ? ", " v : "")
}
function row(program, tool, less, variant, traced, times) {
	print "| " program " | " variant " | " seconds(program, tool, "target" less, variant) \
		" | " over(program, tool, "target" less, variant) " | " seconds(program, tool, "end_to_end" less, variant) \
		" | " over(program, tool, "end_to_end" less, variant) " | " traced " | " times " |"
}
# A line for the plain program, one for it once more, then one for each way of probing.
function rows_of(program, table, tool, less,   key, v, first) {
	key = program SUBSEP table
	row(program, tool, less, "plain", dash(published_plain[key]), "")
	row(program, tool, less, "plain-again", "", "")
	first = 1
	for (v = 1; v <= n_variants; v++) {
		if (!((program SUBSEP tool SUBSEP "target" less SUBSEP order[v]) in median)) continue
		row(program, tool, less, order[v], first ? dash(published_traced[key]) : "", first ? dash(published_ratio[key]) : "")
		first = 0
	}
}
function head() {
	print "| program | probes | target s | times (95 %) | end to end s | times (95 %) | published s | times |"
	print "|---|---|--:|--:|--:|--:|--:|--:|"
}
function by(tool) { return tool == "time" ? "/usr/bin/time (10 ms resolution end to end)" : tool }
END {
	n_tools = split("time hyperfine", named, " ")
	print "# Overhead: tables 7.2 and 7.3 of the thesis, measured again"
	print ""
	print "Medians of " rounds " rounds after one discarded, all variants in a random order in each. *Target* is the traced program's own"
	print "wall time, from exec to exit; *end to end* is the whole command with set-up and tear-down. *Times* is the median of the"
	print "rounds' ratios, the traced program's time over the plain one's in the same round, with its bootstrap 95 % interval."
	print "*plain-again* is the plain program once more: where its interval does not hold 1, all of its group is *invalid*, and"
	print "no ratio is shown. *Within noise*: the interval holds 1 or meets plain-again's. *Not measurable here*: one end of the"
	print "interval is more than 1.5 times the other. *thesis*, *emulated*, *springboard* and *inline* are"
	print "`--probe`, *nop* is springboard with `--stub=nop`. Every program is built with `-gcflags=-l`."
	if (rounds < 5) print "\n**Fewer than five rounds: a trial, not a result.**"
	for (t = 1; t <= n_tools; t++) {
		if (!(named[t] in tools)) continue
		print "\n## Table 7.2 by " by(named[t]) "\n"
		head()
		for (i = 1; i <= n_programs; i++) rows_of(programs[i], "7.2", named[t], "")
	}
	for (t = 1; t <= n_tools; t++) {
		if (!(named[t] in tools) || !("oto" in known)) continue
		print "\n## Table 7.3 by " by(named[t]) ": oto without the 5 s of waiting for sound\n"
		head()
		rows_of("oto", "7.3", named[t], "_less_waiting")
	}
	print "\n## Events\n\n| program | strategy | events | lost in all rounds |\n|---|---|--:|--:|"
	tool = "time" in tools ? "time" : "hyperfine"
	for (i = 1; i <= n_programs; i++)
		for (v = 1; v <= n_variants; v++) {
			key = programs[i] SUBSEP tool SUBSEP "events" SUBSEP order[v]
			if (!(key in median)) continue
			missing = lost[programs[i] SUBSEP tool SUBSEP order[v]] + 0
			any += missing
			print "| " programs[i] " | " order[v] " | " median[key] " | " missing " |"
		}
	if (any) print "\n**Events were lost: to record all of them would have taken longer.**"
	print "\nPublished figures: tables 7.2 and 7.3 of the thesis (Ubuntu 22.04, kernel 6.5, 4 CPUs at 3.4 GHz, Go 1.22.0);"
	print "those of ants are from its author's published run logs. greet-2s repeats greet as often as the plain program"
	print "manages in two seconds: a ratio of two runs of 15 ms is noise. Environment and raw rows lie beside this file."
}
