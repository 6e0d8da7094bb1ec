# raw.csv -> summary.csv: medians of the runs that count, ratios to the plain program.
# Two times everywhere: target (exec to exit) and end to end (with set-up and tear-down).
BEGIN { FS = OFS = "," }
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] == 1 { next }
{
	key = $col["program"] FS $col["variant"] FS $col["tool"]
	if (!(key in n)) order[++keys] = key
	i = ++n[key]
	whole[key, i] = $col["end_to_end_s"]
	own[key, i] = $col["target_s"]
	events[key, i] = $col["events"]
	bytes[key, i] = $col["trace_bytes"]
	lost[key] += $col["lost_events"]
}
function sorted(values, key, out,   i, j, v) {
	for (i = 1; i <= n[key]; i++) {
		v = values[key, i] + 0
		for (j = i; j > 1 && out[j - 1] > v; j--) out[j] = out[j - 1]
		out[j] = v
	}
	return n[key]
}
function median(values, key,   out, m) {
	m = sorted(values, key, out)
	return m % 2 ? out[(m + 1) / 2] : (out[m / 2] + out[m / 2 + 1]) / 2
}
function spread(values, key,   out, m) { # least and greatest
	m = sorted(values, key, out)
	return sprintf("%.6f,%.6f", out[1], out[m])
}
function ratio(traced, plain) { return plain > 0 ? sprintf("%.4f", traced / plain) : "" }
END {
	print "program", "variant", "tool", "runs", "target_median_s", "target_min_s", "target_max_s", \
		"end_to_end_median_s", "end_to_end_min_s", "end_to_end_max_s", \
		"target_ratio", "end_to_end_ratio", "events_median", "lost_events", "trace_bytes_median"
	for (k = 1; k <= keys; k++) {
		key = order[k]
		split(key, part, FS)
		plain = part[1] FS "plain" FS part[3]
		print key, n[key], sprintf("%.6f", median(own, key)), spread(own, key), \
			sprintf("%.6f", median(whole, key)), spread(whole, key), \
			ratio(median(own, key), median(own, plain)), ratio(median(whole, key), median(whole, plain)), \
			median(events, key), lost[key] + 0, median(bytes, key)
	}
}
