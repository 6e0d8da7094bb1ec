# Shares of self time, in percent: functions that are probed (first file), `gotrace report -F csv` (second) of a trace with states,
# and the profile (third, of profile.awk). A sample counts for the innermost probed function of its stack, as time in functions that
# are not probed is self time of their caller in a trace; samples with none (garbage collector, scheduler) are left out. Time counts
# in which the goroutine ran or was in a system call, which is what a profile may see; corrected it is without what the probes took.
# Functions with less than 0.05 % in all three are left out.
#
# Go's tracebacks, and so its profiles, leave out what the compiler made of a defer statement: that is its function's there.
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
	if (!(name in probed)) next
	own = field[column["run_ns"]] + field[column["syscall_ns"]]
	own_left = own - field[column["probe_ns"]]
	if (owner(name) in probed)
		name = owner(name)
	self[name] += own
	left[name] += own_left
	uncertainty[name] += field[column["uncertainty_ns"]]
	calls[name] += field[column["calls"]]
	all_self += own
	all_left += own_left
	next
}
{
	weight = $1
	sub(/^[0-9]+ /, "")
	n = split($0, frame, ";")
	for (i = 1; i <= n && !(frame[i] in probed); i++)
		;
	if (i <= n) {
		sampled[frame[i]] += weight
		all_samples += weight
	}
}
function share(part, all) { return all > 0 ? 100 * part / all : 0 }
END {
	for (name in probed) {
		p = share(sampled[name], all_samples); m = share(self[name], all_self); c = share(left[name], all_left)
		if (p >= 0.05 || m >= 0.05 || c >= 0.05)
			printf "%s,%s,%s,%s,%.2f,%.2f,%.2f,%d,%.0f,%d\n", program, round, variant, name, p, m, c,
				left[name] < uncertainty[name], calls[name], sampled[name]
	}
}
