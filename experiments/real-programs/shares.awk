# Shares of self time, in percent: functions that are probed (first file), `gotrace report -F csv`
# (second) and `go tool pprof -raw` (third). A sample counts for the innermost probed function of
# its stack, as time in functions that are not probed is self time of their caller in a trace;
# samples with none (garbage collector, scheduler) are left out. With -v corrected=1 also the corrected
# shares, and whether they are less than what the correction may be off. With -v states=1 time counts
# in which the goroutine ran or was in a system call, which is what a profile may see; the trace is
# one with states (record --states).
function spelled(name) { # as gotrace does: type arguments are [...]
	if (match(name, /\[.*\]/))
		name = substr(name, 1, RSTART - 1) "[...]" substr(name, RSTART + RLENGTH)
	return name
}
# Go's tracebacks, and so its profiles, leave out what the compiler made of a defer statement: that is
# its function's there.
function owner(name) {
	sub(/\.deferwrap[0-9]+$/, "", name)
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
		own = field[column["self_ns"]]
		own_left = field[column["self_corrected_ns"]]
		if (states) {
			own = field[column["run_ns"]] + field[column["syscall_ns"]]
			own_left = own - field[column["probe_ns"]]
		}
		if (owner(name) in probed)
			name = owner(name)
		self[name] += own
		left[name] += own_left
		uncertainty[name] += field[column["uncertainty_ns"]]
		unsure[name] = left[name] < uncertainty[name]
		calls[name] += field[column["calls"]]
		all_self += own
		all_left += own_left
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
			printf "%s,%s,%s,%.2f,%.2f%s,%d,%d\n", program, variant, name,
				all_samples ? 100 * sampled[name] / all_samples : 0, all_self ? 100 * self[name] / all_self : 0,
				corrected ? sprintf(",%.2f,%d", all_left ? 100 * left[name] / all_left : 0, unsure[name]) : "",
				calls[name], sampled[name]
}
