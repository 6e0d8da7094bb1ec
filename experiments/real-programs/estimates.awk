# Of shares.csv: how far the estimates of a round are from the profile for the five functions that have most in it, in points.
#
#   awk -v what=lines ...     "PROGRAM:VARIANT,ESTIMATE,ROUND,LARGEST" for stats compare; nothing of runs without estimates
#   awk -v what=covered ...   "PROGRAM:VARIANT ROWS COVERED FIRST ROUNDS": of how many of these rows the stated error, and what chance
#                             makes of so few samples, covers the profile's share; in how many rounds the first function is right
function abs(x) { return x < 0 ? -x : x }
BEGIN { FS = ","; split("better samples events measured", estimate, " ") }
FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
!("by_events_pct" in at) { next }
{
	key = $at["program"] ":" $at["variant"] "," $at["round"]
	if (!(key in n)) keys[++n_keys] = key
	rows[key, ++n[key]] = $0
	all[key] += $at["samples"]
}
function error_of(which) {
	return abs($at[which == "better" ? "corrected_pct" : which == "measured" ? "measured_pct" : "by_" which "_pct"] - $at["profile_pct"])
}
# The rows of a round, most in the profile first, one after the other in $0.
function take_largest(key,   i, best, most) {
	most = -1
	for (i = 1; i <= n[key]; i++) {
		$0 = rows[key, i]
		if (!((key, i) in taken) && $at["profile_pct"] > most) { most = $at["profile_pct"]; best = i }
	}
	if (most < 0) return 0
	taken[key, best] = 1
	$0 = rows[key, best]
	return 1
}
function first_of(key, what,   i, best, most) {
	most = -1
	for (i = 1; i <= n[key]; i++) {
		$0 = rows[key, i]
		if ($at[what] > most) { most = $at[what]; best = $at["function"] }
	}
	return best
}
END {
	for (k = 1; k <= n_keys; k++) {
		key = keys[k]
		split(key, part, ",")
		delete largest
		first[part[1]] += first_of(key, "profile_pct") == first_of(key, "corrected_pct")
		rounds[part[1]]++
		for (i = 1; i <= 5 && take_largest(key); i++) {
			for (e in estimate)
				if (error_of(estimate[e]) > largest[estimate[e]]) largest[estimate[e]] = error_of(estimate[e])
			p = $at["profile_pct"]
			count[part[1]]++
			covered[part[1]] += error_of("better") <= $at["uncertainty_pct"] + 2 * sqrt(p * (100 - p) / all[key])
		}
		if (what == "lines")
			for (e in estimate) print part[1] "," estimate[e] "," part[2] "," largest[estimate[e]] + 0.01
	}
	if (what == "covered")
		for (p in count) print p, count[p], covered[p], first[p], rounds[p]
}
