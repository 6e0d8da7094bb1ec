# raw.csv -> lines for experiments/stats: PROGRAM,TOOL,WHAT,VARIANT,ROUND,VALUE. WHAT: the program's own seconds (target),
# those from the command's start to its end (end_to_end), both without oto's seconds of sound, and events and bytes of the trace.
BEGIN { FS = OFS = ","; waiting_s = 5 }
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] == 1 { next }
function line(what, value) { print $col["program"], $col["tool"], what, $col["variant"], $col["round"], value }
{
	line("target", $col["target_s"])
	line("end_to_end", $col["end_to_end_s"])
	if ($col["program"] == "oto") {
		line("target_less_waiting", $col["target_s"] - waiting_s)
		line("end_to_end_less_waiting", $col["end_to_end_s"] - waiting_s)
	}
	if ($col["variant"] !~ /^plain/) {
		line("events", $col["events"])
		line("trace_bytes", $col["trace_bytes"])
	}
}
