# raw.csv of run.sh, gaps.sh or goroutines.sh (kind) -> lines for experiments/stats: CASE,WHAT,VARIANT,ROUND,VALUE.
BEGIN { FS = OFS = "," }
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] { next }
function line(what, variant, value) { printf "%s,%s,%s,%s,%.9f\n", $1, what, variant, $col["round"], value }
{ v = $col["variant"]; traced = v !~ /^untraced/ }
kind == "run" {
	cpu = ($col["target_user_ns"] + $col["target_system_ns"]) / 1e9
	all = cpu + $col["tool_cpu_ns"] / 1e9
	line("cpu", v, cpu)
	line("wall", v, $col["target_wall_ns"] / 1e9)
	line("all", v, all)
	if (!traced) next
	line("tool", v, $col["tool_cpu_ns"] / 1e9)
	line("report", v, $col["report_cpu_ns"] / 1e9)
	line("samples", v, $col["samples"])
	split(v, part, "-")
	line("against_perf_" part[2], part[1], all)
}
# The part of its time that a thread had.
kind == "gaps" {
	line("left", v, 1 - $col["gap_ns"] / ($col["thread_ns"] - $col["large_gap_ns"]))
	line("rate", v, $col["gaps"] / ($col["thread_ns"] / 1e9))
}
# The part of one processor that the program does not use, so that "no time at all" is no base.
kind == "goroutines" {
	line("left", v, 1 - $col["target_cpu_ns"] / $col["wall_ns"])
	if (!traced) next
	line("tool", v, $col["tool_cpu_ns"] / $col["wall_ns"])
	line("begun", v, $col["tool_start_cpu_ns"] / 1e9)
	line("rate", v, $col["snapshots"] / $col["sampled_s"])
	line("part", v, $col["listed"] ? $col["drawn"] / $col["listed"] : 0)
}
