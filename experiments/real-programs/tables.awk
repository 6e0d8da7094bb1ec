# summary.csv, raw.csv -> Markdown: what tracing costs each program, and what gotrace says of it. Behind ratios.awk.
BEGIN { FS = ","; n_variants = split("untraced untraced-again inline inline-no-states springboard springboard+states emulated emulated+states thesis thesis+states", order, " ") }
FILENAME == ARGV[1] {
	if (remember() != "" && !($1 in known)) { known[$1]; programs[++n_programs] = $1 }
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] { next }
{
	k = $col["program"] SUBSEP $col["variant"]
	output = $col["output"] " " $col["status"]
	if ($col["variant"] == "untraced") expected[$col["program"], $col["round"]] = output
	said[k, ++runs[k]] = output; round_of[k, runs[k]] = $col["round"]
	told[k, runs[k]] = $col["told"]; wall[k, runs[k]] = $col["target_s"]
	lost[$col["program"] ", " $col["variant"]] += $col["lost_events"]
	missing[k] += $col["lost_events"]
}
# Whether each run said what the untraced one of its round said.
function same(program, variant,   k, i, differ) {
	k = program SUBSEP variant
	for (i = 1; i <= runs[k]; i++)
		differ += said[k, i] != expected[program, round_of[k, i]]
	return differ ? "**no, " differ " of " runs[k] "**" : "yes"
}
# What the run of the median wall time was told to have cost.
function sentence(program, variant,   k, i, j, v, text) {
	k = program SUBSEP variant
	for (i = 1; i <= runs[k]; i++) {
		less = 0
		for (j = 1; j <= runs[k]; j++)
			less += wall[k, j] + 0 < wall[k, i] + 0 || (wall[k, j] + 0 == wall[k, i] + 0 && j < i)
		if (less == int((runs[k] - 1) / 2)) text = told[k, i]
	}
	gsub(/;/, ",", text)
	return text
}
function key(program, what, variant) { return program SUBSEP what SUBSEP variant }
function named(variant) { return variant == "inline" ? "inline (default)" : variant }
function count(program, what, variant) { return variant ~ /^untraced/ ? "" : middle(key(program, what, variant), "%.0f", 1) }
END {
	head("Real programs, traced", "untraced")
	print "\nWall and processor time are the program's own, *end to end* is `gotrace record` from start to end; of a server wall is what its"
	print "requests took. *inline* is the default of `gotrace record`, states of goroutines included; the others are without states but"
	print "for those named so. Events: written by stubs alone, by an *emulated* trap, by a stub's slow path (*jump*, full rings among"
	print "them), by single *steps* (two traps).\n"
	print "| program | probes | wall s | times untraced | end to end, times | processor time, times | events | by stub | emulated | jump | step | lost in all rounds | output and status as untraced |"
	print "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
	for (i = 1; i <= n_programs; i++)
		for (v = 1; v <= n_variants; v++) {
			p = programs[i]; o = order[v]
			if (!(key(p, "target_s", o) in median_of)) continue
			print "| " p " | " named(o) " | " spread(key(p, "target_s", o), "%.2f", 1) " | " times(key(p, "target_s", o)) " | " \
				times(key(p, "end_to_end_s", o)) " | " times(key(p, "target_cpu_s", o)) " | " count(p, "events", o) " | " \
				count(p, "inline", o) " | " count(p, "emulated", o) " | " count(p, "jump", o) " | " count(p, "step", o) " | " \
				(o ~ /^untraced/ ? "" : sprintf("%.0f", missing[p SUBSEP o])) " | " same(p, o) " |"
		}
	tail()
	print "\n## What gotrace says of it\n"
	print "The sentence of `gotrace report` on overhead, of the run with the median wall time.\n"
	print "| program | probes | wall, times untraced | processor time, times | told |\n|---|---|--:|--:|---|"
	for (i = 1; i <= n_programs; i++)
		for (v = 3; v <= n_variants; v++)
			if (key(programs[i], "target_s", order[v]) in median_of)
				print "| " programs[i] " | " named(order[v]) " | " times(key(programs[i], "target_s", order[v])) " | " \
					times(key(programs[i], "target_cpu_s", order[v])) " | " sentence(programs[i], order[v]) " |"
}
