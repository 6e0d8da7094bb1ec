# SPDX-License-Identifier: BSD-2-Clause
# awk -F, -f errors.awk raw.csv: lines KIND,SIZE,WHAT,VARIANT,ROUND,VALUE for stats compare. Of calls, errors are against the untraced run of
# the same round: what probes inside a call add is in the program's own readings, too. Errors of own are against what the same work takes
# untraced in the same run. The correction is of sums, so an equal part of what it takes out is taken from each call. Older rows have no such columns.

function line(r, what, v) { if (v != "") printf "%s,%s,%s,%s,%s,%.6f\n", kind[r], size[r], what, variant[r], round[r], v }
function relative(v, truth) { return v == "" ? "" : 100 * v / truth }
function column(name) { return name in at ? $(at[name]) : "" }
# Raw and corrected errors of an own time, or of a total.
function errors(r, what, v, taken, truth) {
	line(r, what " raw", v - truth)
	line(r, what " raw %", relative(v - truth, truth))
	if (taken == "") return
	line(r, what, v - taken - truth)
	line(r, what " %", relative(v - taken - truth, truth))
}
function minus(v, truth) { return v == "" ? "" : v - truth }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$(at["discarded"]) == 1 { next }
{
	n++
	kind[n] = $(at["kind"]); size[n] = $(at["size"]); variant[n] = $(at["variant"]); round[n] = $(at["round"])
	inside[n] = $(at["inside_ns"]); outside[n] = $(at["outside_ns"]); own[n] = $(at["mean_truth_ns"])
	error[n] = $(at["raw_error_ns"]); p5[n] = $(at["raw_error_p5_ns"]); p95[n] = $(at["raw_error_p95_ns"])
	raw[n] = $(at["mean_raw_ns"]); corrected[n] = $(at["mean_corrected_ns"]); sure[n] = $(at["uncertainty_ns"])
	clock[n] = $(at["clock_ns"])
	alone[n] = column("own_ns"); whole[n] = column("whole_ns"); total[n] = column("total_middle_ns"); self[n] = column("self_middle_ns"); mean[n] = column("self_mean_ns")
	total_taken[n] = column("total_taken_ns"); self_taken[n] = column("self_taken_ns"); self_sure[n] = column("self_uncertainty_ns")
	if (variant[n] == "untraced") untraced[kind[n], size[n], round[n]] = own[n]
}
END {
	for (r = 1; r <= n; r++) {
		if (kind[r] ~ /^own-/) {
			line(r, "own", alone[r])
			line(r, "whole", whole[r])
			errors(r, "total", total[r], variant[r] ~ /^untraced/ ? "" : total_taken[r], whole[r])
			if (self[r] != "") errors(r, "self", self[r], self_taken[r], alone[r])
			if (self_taken[r] != "") line(r, "self mean", mean[r] - self_taken[r] - alone[r])
			line(r, "self sure", self_sure[r])
			continue
		}
		line(r, "truth", inside[r])
		line(r, "clock", clock[r])
		line(r, "call", outside[r] - inside[r])
		truth = own[r]
		if (kind[r] == "calls") {
			if (!((kind[r], size[r], round[r]) in untraced)) continue
			truth = untraced[kind[r], size[r], round[r]]
			line(r, "untraced mean", truth)
			if (variant[r] != "untraced") line(r, "added", own[r] - truth)
		}
		if (raw[r] == "") continue
		line(r, "single", error[r])
		line(r, "single %", relative(error[r], inside[r]))
		line(r, "p5", p5[r])
		line(r, "p95", p95[r])
		line(r, "raw", minus(raw[r], truth))
		line(r, "raw %", relative(minus(raw[r], truth), truth))
		line(r, "corrected", minus(corrected[r], truth))
		line(r, "corrected %", relative(minus(corrected[r], truth), truth))
		line(r, "sure", sure[r])
	}
}
