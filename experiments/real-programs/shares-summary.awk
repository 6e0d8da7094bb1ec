# Of shares-median.awk's lines, sorted by program, variant and corrected share: for the ten functions with most
# corrected self time, how far measured and corrected shares are from the profile's, in points, and
# how alike the orders are (Spearman's rank correlation over functions with 0.5 % in either).
function abs(x) { return x < 0 ? -x : x }
function rank_of(v, r, n,   i, k, less, same) {
	for (i = 1; i <= n; i++) {
		less = same = 0
		for (k = 1; k <= n; k++) {
			less += v[k] > v[i]
			same += v[k] == v[i]
		}
		r[i] = less + (same + 1) / 2
	}
}
function correlation(a, b, n,   ra, rb, i, sa, sb, saa, sbb, sab) {
	rank_of(a, ra, n); rank_of(b, rb, n)
	for (i = 1; i <= n; i++) {
		sa += ra[i]; sb += rb[i]; saa += ra[i] ^ 2; sbb += rb[i] ^ 2; sab += ra[i] * rb[i]
	}
	return n > 2 && saa * n > sa ^ 2 && sbb * n > sb ^ 2 ? (sab * n - sa * sb) / sqrt((saa * n - sa ^ 2) * (sbb * n - sb ^ 2)) : 0
}
function finish() {
	if (!key)
		return
	split(key, k, ",")
	printf "| %s | %s | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %d |\n", k[1], k[2], top_m / tops, top_c / tops,
		most_m, most_c, correlation(profile, measured, n), correlation(profile, corrected, n), unsures
}
{
	if ($1 "," $2 != key) {
		finish()
		key = $1 "," $2
		rows = n = tops = top_m = top_c = most_m = most_c = unsures = 0
		delete profile; delete measured; delete corrected
	}
	if (++rows <= 10) {
		tops++
		top_m += abs($5 - $4); top_c += abs($6 - $4)
		unsures += $7
		if (rows <= 5 && !$7) {
			if (abs($5 - $4) > most_m) most_m = abs($5 - $4)
			if (abs($6 - $4) > most_c) most_c = abs($6 - $4)
		}
	}
	if ($4 >= 0.5 || $6 >= 0.5) {
		n++
		profile[n] = $4; measured[n] = $5; corrected[n] = $6
	}
}
END { finish() }
