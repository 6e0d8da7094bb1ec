# Joins the hits of sites (first file) with `gotrace plan --explain` (second): a row for each that
# traps. A site that takes no trap is called "a call" there.
BEGIN { FS = "\t" }
FNR == NR { hits[$1, $2] = $3; next }
/^[^ ]/ { function_name = $0; next }
/^  / {
	split($0, word, / +/)
	if (!((function_name, word[2]) in hits) || !match($0, /(two|one) traps?\*? +/))
		next
	n = hits[function_name, word[2]]
	traps = substr($0, RSTART, 3) == "two" ? 2 : 1
	why = substr($0, RSTART + RLENGTH)
	gsub(/,/, ";", why)
	printf "%s,%s,%s,%d,%d,%.1f,%s\n", program, function_name, word[2], n, traps,
		n * (traps == 2 ? step : emulated) / 1e6, why
}
