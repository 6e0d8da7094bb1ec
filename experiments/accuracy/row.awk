# SPDX-License-Identifier: BSD-2-Clause
# The values of a row of raw.csv:
#
#   awk -v traced=yes -f row.awk TRUTH INFO CALLS.csv REPORT.csv     the last three are empty of an untraced run
#
# TRUTH: of the program truth. The function's own two readings of the clock are in what a tracer sees of it, but only one is
# between them: the truth is INSIDE plus the cost of one. It leaves out what calling and returning take.
#
# The last eight values are of a caller with callees (kind own). Probes inside it are in its own readings, so its truth is what the same work takes
# in a function that is not traced. They are means of the middle half of the calls, as an interrupt is in no truth; self_mean_ns is the report's, of all.

# Sorts v[from..to] in place.
function sort(v, from, to,   i, j, pivot, t) {
	if (from >= to) return
	pivot = v[int((from + to) / 2)]
	i = from; j = to
	while (i <= j) {
		while (v[i] < pivot) i++
		while (v[j] > pivot) j--
		if (i <= j) { t = v[i]; v[i] = v[j]; v[j] = t; i++; j-- }
	}
	sort(v, from, j)
	sort(v, i, to)
}
# The value below which p of 100 of v[1..n] are, which is sorted; the median of an even number is between two.
function at(v, n, p,   k) {
	if (p == 50 && n % 2 == 0) return (v[n / 2] + v[n / 2 + 1]) / 2
	k = int(n * p / 100) + 1
	return v[k > n ? n : k]
}
FILENAME == ARGV[1] && $1 == "clock" { clock = $2; next }
# The mean of the middle half of v[1..n], which it sorts.
function middle(v, n,   i, from, to, s) {
	sort(v, 1, n)
	from = int(n / 4) + 1; to = n - int(n / 4)
	for (i = from; i <= to; i++) s += v[i]
	return s / (to - from + 1)
}
FILENAME == ARGV[1] && NF == 4 { owns[n] = $3 + clock; wholes[n] = $4 + clock } # of the call before it: the first is left out
FILENAME == ARGV[1] { truth[++n] = $1 + clock; outside[n] = $2 - clock; sum += truth[n]; next }
FILENAME == ARGV[2] { if ($1 == "end.lost_events") lost = $2; next }
FNR == 1 { columns = split($0, name, ","); for (i = 1; i <= columns; i++) column[FILENAME, name[i]] = i; next }
{ split($0, field, ",") }
FILENAME == ARGV[3] && field[column[FILENAME, "function"]] == "main.timed" {
	raw[++seen] = field[column[FILENAME, "duration_ns"]] + 0
	selfs[seen] = field[column[FILENAME, "self_ns"]] + 0
	next
}
FILENAME == ARGV[4] { uncertainty += field[column[FILENAME, "uncertainty_ns"]] / n } # of self times: the caller's total has both
FILENAME == ARGV[4] && field[column[FILENAME, "function"]] == "main.timed" {
	counted = field[column[FILENAME, "calls"]]
	mean_raw = field[column[FILENAME, "total_ns"]] / n
	# 0 events were not corrected: the cell is empty
	mean_corrected = field[column[FILENAME, "total_corrected_ns"]]
	mean_corrected = mean_corrected == "" ? "" : mean_corrected / n
	self_corrected = field[column[FILENAME, "self_corrected_ns"]]
	self_mean = field[column[FILENAME, "self_ns"]] / n
	self_taken = self_corrected == "" ? "" : self_mean - self_corrected / n
	self_sure = field[column[FILENAME, "uncertainty_ns"]] / n
}
function cell(v) { return v == "" ? "" : sprintf("%.1f", v) }
END {
	if (n < 2 || (traced == "yes" && (seen != n || counted != n || lost == ""))) {
		printf "%d calls by the program, %d in the trace\n", n, seen >"/dev/stderr"
		exit 1
	}
	for (i = 2; i <= n; i++) { inside[i - 1] = truth[i]; around[i - 1] = outside[i]; r[i - 1] = raw[i]; e[i - 1] = raw[i] - truth[i] }
	m = n - 1
	sort(inside, 1, m); sort(around, 1, m); sort(r, 1, m); sort(e, 1, m)
	for (i = 1; i <= m; i++) selfs[i] = selfs[i + 1]
	printf "%d,%.1f,%.1f,%.1f,%.1f,", m, clock, at(inside, m, 50), at(around, m, 50), sum / n
	if (traced == "yes")
		printf "%.1f,%.1f,%.1f,%.1f,%.1f,%s,%.1f,%d,", at(r, m, 50), at(e, m, 50), at(e, m, 5), at(e, m, 95), mean_raw, cell(mean_corrected), uncertainty, lost
	else
		printf ",,,,,,,,"
	if (!(m in owns))
		print ",,,,,,,"
	else if (traced == "yes")
		printf "%.1f,%.1f,%.1f,%.1f,%.1f,%s,%s,%.1f\n", middle(owns, m), middle(wholes, m), middle(r, m), middle(selfs, m), self_mean,
			cell(mean_corrected == "" ? "" : mean_raw - mean_corrected), cell(self_taken), self_sure
	else
		printf "%.1f,%.1f,%.1f,,,,,\n", middle(owns, m), middle(wholes, m), middle(inside, m)
}
