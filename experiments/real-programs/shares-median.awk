# Rows of shares.csv -> one of each program, variant and function without the round: medians of its shares and calls over the
# rounds; unsure when it was in most. In a round whose rows leave it out a function had next to nothing.
function middle_of(list, n,   v, i) {
	delete v
	split(list, v, " ")
	for (i = 1; i <= n; i++) v[i] += 0
	sort(v, n)
	return median(v, n)
}
BEGIN { FS = OFS = "," }
FNR == 1 { next }
{
	if (!(($1, $2, $3) in seen)) { seen[$1, $2, $3]; n[$1, $3]++ }
	key = $1 OFS $3 OFS $4
	keys[key] = $1 SUBSEP $3
	for (c = 5; c <= 10; c++) all[key, c] = all[key, c] " " $c
}
END {
	for (key in keys) {
		line = key
		for (c = 5; c <= 10; c++) {
			v = middle_of(all[key, c], n[keys[key]])
			line = line OFS (c == 8 ? v > 0.5 : v)
		}
		print line
	}
}
