# Rows of correction.csv of several runs: one of each function, with the medians of its shares and
# calls; unsure when it was in most runs.
function median(list,   v, n, i, j, t) {
	n = split(list, v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
{
	runs[$3]++
	row[$3] = $0
	for (c = 5; c <= 8; c++)
		all[$3, c] = all[$3, c] " " $c
}
END {
	for (name in row) {
		n = split(row[name], field, ",")
		for (c = 5; c <= 8; c++)
			field[c] = median(all[name, c])
		line = field[1]
		for (c = 2; c <= n; c++)
			line = line OFS field[c]
		print line
	}
}
