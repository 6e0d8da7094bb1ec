# Shares of self time as measured and as corrected, beside those of Go's profile: as shares.awk, of
# the same three files. Functions whose corrected self time is less than what the correction may be
# off are marked.
function spelled(name) { # as gotrace does: type arguments are [...]
	if (match(name, /\[.*\]/))
		name = substr(name, 1, RSTART - 1) "[...]" substr(name, RSTART + RLENGTH)
	return name
}
FILENAME == ARGV[1] { probed[$0] = 1; next }
FILENAME == ARGV[2] {
	n = split($0, field, ",")
	if (FNR == 1) {
		for (i = 1; i <= n; i++)
			column[field[i]] = i
		next
	}
	name = field[column["function"]]
	gsub(/"/, "", name)
	if (name in probed) {
		self[name] = field[column["self_ns"]]
		corrected[name] = field[column["self_corrected_ns"]]
		unsure[name] = corrected[name] < field[column["uncertainty_ns"]] + 0
		calls[name] = field[column["calls"]]
		all_self += self[name]
		all_corrected += corrected[name]
	}
	next
}
/^Samples:/ { part = 1; next }
/^Locations/ { part = 2; next }
/^Mappings/ { part = 3; next }
part == 1 && $2 ~ /:$/ { weight[++samples] = $1; stack[samples] = substr($0, index($0, ":") + 1); next }
part == 2 {
	# outer frames of what is inlined follow on lines of their own: the last is the function that exists
	if ($1 ~ /^[0-9]+:$/) { id = $1 + 0; location[id] = spelled($4) }
	else location[id] = spelled($1)
}
END {
	for (s = 1; s <= samples; s++) {
		n = split(stack[s], frame, " ")
		for (i = 1; i <= n && !(location[frame[i]] in probed); i++)
			;
		if (i <= n) {
			sampled[location[frame[i]]] += weight[s]
			all_samples += weight[s]
		}
	}
	for (name in probed)
		if ((name in self) || (name in sampled))
			printf "%s,%s,%s,%.2f,%.2f,%.2f,%d,%d,%d\n", program, variant, name,
				all_samples ? 100 * sampled[name] / all_samples : 0, all_self ? 100 * self[name] / all_self : 0,
				all_corrected ? 100 * corrected[name] / all_corrected : 0, unsure[name], calls[name], sampled[name]
}
