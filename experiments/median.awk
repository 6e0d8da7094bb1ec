# SPDX-License-Identifier: BSD-2-Clause
# Medians of few values. Of the summaries of experiments, before their own program:
#
#   awk "$(cat ../median.awk)"'{ v[++n] = $1 } END { sort(v, n); print median(v, n) }'

# Sorts v[1..n], in place.
function sort(v, n,   i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
}
# Of v[1..n], which is sorted.
function median(v, n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
