# Shares of self time, in percent: functions that are probed (first file), `gotrace report -F csv` (second) of a trace with states,
# also by samples and by events alone (third and fourth), and the profile (fifth, of profile.awk). A sample counts for the innermost probed function of its stack, as time in functions that
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
FILENAME == ARGV[2] || FILENAME == ARGV[3] || FILENAME == ARGV[4] {
	n = split($0, field, ",")
	if (FNR == 1) {
		delete column
		for (i = 1; i <= n; i++)
			column[field[i]] = i
		next
	}
	name = field[column["function"]]
	gsub(/"/, "", name)
	if (!(name in probed)) next
	call_count = field[column["calls"]]
	own = field[column["run_ns"]] + field[column["syscall_ns"]]
	corrected = field[column["run_corrected_ns"]]
	own_left = (corrected == "" ? field[column["run_ns"]] : corrected) + field[column["syscall_ns"]]
	if (owner(name) in probed)
		name = owner(name)
	if (FILENAME != ARGV[2]) {
		by = FILENAME == ARGV[3] ? "samples" : "events"
		left_by[by, name] += own_left
		all_left_by[by] += own_left
		next
	}
	self[name] += own
	left[name] += own_left
	uncertainty[name] += field[column["uncertainty_ns"]]
	calls[name] += call_count
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
			printf "%s,%s,%s,%s,%.2f,%.2f,%.2f,%d,%.0f,%d,%.2f,%.2f,%.2f\n", program, round, variant, name, p, m, c,
				left[name] < uncertainty[name], calls[name], sampled[name],
				share(left_by["samples", name], all_left_by["samples"]),
				share(left_by["events", name], all_left_by["events"]), share(uncertainty[name], all_left)
	}
}
