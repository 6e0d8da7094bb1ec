# raw.csv -> lines for experiments/stats: PROGRAM,TOOL,WHAT,VARIANT,ROUND,VALUE. WHAT: the program's own seconds (target) and
# processor time (target_cpu), the seconds from the command's start to its end (end_to_end), and what is known of a trace.
BEGIN { FS = OFS = ","; n_traced = split("events trace_bytes functions sites attach_s detach_s processing_s profile_bytes", traced, " ") }
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] == 1 { next }
# Runs that say no selection of oto's packages traced main alone.
function line(what, value) { print ($col["program"] == "oto" && selection == "" ? "oto-main" : $col["program"]), $col["tool"], what, $col["variant"], $col["round"], value }
{
	line("target", $col["target_s"])
	line("end_to_end", $col["end_to_end_s"])
	line("target_cpu", $col["target_cpu_s"])
	if ($col["variant"] !~ /^plain/)
		for (i = 1; i <= n_traced; i++) line(traced[i], $col[traced[i]])
}
