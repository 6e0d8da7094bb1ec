# SPDX-License-Identifier: BSD-2-Clause
# awk -F, -f errors.awk raw.csv: lines KIND,SIZE,WHAT,VARIANT,ROUND,VALUE for stats compare. Of calls, errors are against the untraced run of
# the same round: what probes inside a call add is in the program's own readings, too.

function line(r, what, v) { if (v != "") printf "%s,%s,%s,%s,%s,%.6f\n", kind[r], size[r], what, variant[r], round[r], v }
function relative(v, truth) { return v == "" ? "" : 100 * v / truth }
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
	if (variant[n] == "untraced") untraced[kind[n], size[n], round[n]] = own[n]
}
END {
	for (r = 1; r <= n; r++) {
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
