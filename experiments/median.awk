# SPDX-License-Identifier: BSD-2-Clause
# Medians of few values, and how sure they are. Of the summaries of experiments, before their own program:
#
#   awk "$(cat ../median.awk)"'{ v[++n] = $1 } END { sort(v, n); print median(v, n), interval(v, n, "%.1f") }'

# Sorts v[1..n], in place.
function sort(v, n,   i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
}
# Of v[1..n], which is sorted.
function median(v, n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
# The rank of the lower end of the interval: at most 2.5 % of experiments with n values have so few of them below the
# true median, whatever their distribution (binomial). 0: there is none.
function rank(n,   p, sum, k) {
	p = 0.5 ^ n
	for (k = 0; k <= n; k++) {
		sum += p
		if (sum > 0.025) return k
		p *= (n - k) / (k + 1)
	}
}
# Where the true median is in 95 of 100 experiments, of v[1..n], which is sorted: "LOW to HIGH", each written with format.
function interval(v, n, format,   k) {
	k = rank(n)
	return k < 1 ? "too few rounds" : sprintf(format " to " format, v[k], v[n + 1 - k])
}
