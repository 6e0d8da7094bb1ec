# paper/thesis.csv, summary.csv, raw.csv -> the thesis's tables 7.2 and 7.3 and its figures of ants as Markdown, beside ours.
BEGIN { FS = ","; n_variants = split("thesis thesis-links emulated springboard nop inline", order, " ") }
FNR == 1 { for (i = 1; i <= NF; i++) col[FILENAME, $i] = i; file++; next }
file == 1 {
	if ($3 !~ /^wall/) { of_ants[$3] = $4 ($7 == "" ? "" : " " $7); next }
	key = $1 SUBSEP ($2 == "logs" ? "7.2" : $2)
	published_traced[key] = $4; published_plain[key] = $5; published_ratio[key] = $6
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
	known[$1]
	next
}
!$col[FILENAME, "discarded"] {
	name = $col[FILENAME, "program"]
	lost[(name == "oto" && selection == "" ? "oto-main" : name) SUBSEP $col[FILENAME, "tool"] SUBSEP $col[FILENAME, "variant"]] += $col[FILENAME, "lost_events"]
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
function two(program, tool, what, variant) {
	return seconds(program, tool, what, variant) " | " over(program, tool, what, variant) " | "
}
function row(program, tool, whats, variant, traced, times,   w, n, i, cells) {
	n = split(whats, w, " ")
	for (i = 1; i <= n; i++) {
		cells = cells two(program, tool, w[i], variant)
		if (i == 1) cells = cells over(program, "hyperfine", w[i], variant) " | "
	}
	print "| " program " | " variant " | " cells traced " | " times " |"
}
# A line for the plain program, one for it once more, then one for each way of probing.
function rows_of(program, table, tool, whats,   key, v, first, what) {
	key = program SUBSEP table
	row(program, tool, whats, "plain", dash(published_plain[key]), "")
	row(program, tool, whats, "plain-again", "", "")
	first = 1
	what = whats
	sub(/ .*/, "", what)
	for (v = 1; v <= n_variants; v++) {
		if (!((program SUBSEP tool SUBSEP what SUBSEP order[v]) in median)) continue
		row(program, tool, whats, order[v], first ? dash(published_traced[key]) : "", first ? dash(published_ratio[key]) : "")
		first = 0
	}
}
function head(names,   n, i, w, line, below) {
	n = split(names, w, ",")
	line = "| program | probes |"
	below = "|---|---|"
	for (i = 1; i <= n; i++) {
		line = line " " w[i] " s | times (95 %) |" (i == 1 ? " by hyperfine |" : "")
		below = below "--:|--:|" (i == 1 ? "--:|" : "")
	}
	print line " published s | times |"
	print below "--:|--:|"
}
# A cell of what is known of ants: the median, by how much it is divided.
function of(tool, what, variant, divisor, format,   key) {
	key = "ants" SUBSEP tool SUBSEP what SUBSEP variant
	return key in median ? sprintf(format, median[key] / divisor) : "–"
}
function ants(tool,   v) {
	print "\n## ants, by /usr/bin/time: what a profile takes\n"
	print "| probes | functions | sites | attach s | detach s | make the profile s | profile MB | trace MB | end to end s | by hyperfine |"
	print "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
	print "| published | " of_ants["functions"] " | " of_ants["BPF programs"] " BPF programs | – | – | – | " of_ants["profile"] " | – | " \
		of_ants["end to end"] ", " of_ants["of it profiling"] " of it profiling | |"
	for (v = 1; v <= n_variants; v++) {
		if (!(("ants" SUBSEP tool SUBSEP "sites" SUBSEP order[v]) in median)) continue
		print "| " order[v] " | " of(tool, "functions", order[v], 1, "%d") " | " of(tool, "sites", order[v], 1, "%d") " | " \
			of(tool, "attach_s", order[v], 1, "%.3f") " | " of(tool, "detach_s", order[v], 1, "%.3f") " | " \
			of(tool, "processing_s", order[v], 1, "%.3f") " | " of(tool, "profile_bytes", order[v], 1e6, "%.2f") " | " \
			of(tool, "trace_bytes", order[v], 1e6, "%.2f") " | " of(tool, "end_to_end", order[v], 1, "%.3f") " | " \
			of("hyperfine", "end_to_end", order[v], 1, "%.3f") " |"
	}
}
# A program of the thesis that this run has not, and so is to be measured.
function not_yet(program, table, columns,   i, line) {
	if (program in known) return
	line = "| " program " | to be measured |"
	for (i = 1; i <= columns; i++) line = line " |"
	print line " " dash(published_traced[program, table]) " | " dash(published_ratio[program, table]) " |"
}
END {
	print "# Overhead: tables 7.2 and 7.3 of the thesis, measured again"
	print ""
	print "Medians of " rounds " rounds after one discarded, all variants in a random order in each. *Target* is the traced program's own"
	print "wall time, from exec to exit; *end to end* is the whole command with set-up and tear-down. *Times* is the median of the"
	print "rounds' ratios, the traced program's time over the plain one's in the same round, with its bootstrap 95 % interval."
	print "*plain-again* is the plain program once more: where its interval does not hold 1, all of its group is *invalid*, and"
	print "no ratio is shown. *Within noise*: the interval holds 1 or meets plain-again's. *Not measurable here*: one end of the"
	print "interval is more than 1.5 times the other. *thesis*, *emulated*, *springboard* and *inline* are"
	print "`--probe`, *nop* is springboard with `--stub=nop`, *thesis-links* is thesis with a link a site (`--attach=perf`), as the thesis"
	print "attached. Every program is built with `-gcflags=-l`. Of greet package main is traced, of oto what the thesis traced, main and"
	print "github.com/ebitengine/oto/v3; *oto-main* is oto with package main alone."
	print ""
	print "Times are by `time`, as the thesis measured (10 ms resolution end to end). *By hyperfine* are the ratios of runs in the same"
	print "rounds that hyperfine timed, one at a time: a second clock, to the microsecond, and no statistics of its own."
	if (rounds < 5) print "\n**Fewer than five rounds: a trial, not a result.**"
	print "\n## Table 7.2 by /usr/bin/time\n"
	head("target,end to end")
	for (i = 1; i <= n_programs; i++) rows_of(programs[i], "7.2", "time", "target end_to_end")
	if ("oto-main" in known) not_yet("oto", "7.2", 5)
	if ("oto" in known || "oto-main" in known) {
		print "\n## Table 7.3 by /usr/bin/time: oto without waiting for sound\n"
		print "The thesis subtracts 5 s from both times. Here it is the processor time of the program, its probes included, as the kernel"
		print "counts it: what is left when all waiting is left out.\n"
		head("processor")
		for (i = 1; i <= n_programs; i++)
			if (programs[i] ~ /^oto/) rows_of(programs[i], "7.3", "time", "target_cpu")
		not_yet("oto", "7.3", 3)
	}
	if ("ants" in known) ants("time")
	print "\n## Events\n\n| program | strategy | events | lost in all rounds |\n|---|---|--:|--:|"
	tool = "time"
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
	print "those of ants are one run's, in its author's logs (paper/thesis.csv names the file). greet-2s repeats greet as often as the plain program"
	print "manages in two seconds: a ratio of two runs of 15 ms is noise. Environment and raw rows lie beside this file."
}
