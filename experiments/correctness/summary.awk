# cells.csv as a Markdown table: a row a situation, a column a tool.
BEGIN { FS = "," }
FNR > 1 {
	gsub(/"/, "")
	# Only the last field may hold what separates fields, and it does not.
	if (!($1 in seen)) { seen[$1]; row[++rows] = $1 }
	if (!($3 in column)) { column[$3] = ++columns; tool[columns] = $3 }
	text[$1, $3] = $4 ($5 == "" ? "" : ": " $5)
	total[$3]++
	if ($4 == "exact") exact[$3]++
}
END {
	line = "| situation |"
	rule = "|---|"
	for (c = 1; c <= columns; c++) {
		name = tool[c]
		gsub(/_/, " ", name)
		line = line " " name " |"
		rule = rule "---|"
	}
	print line
	print rule
	for (r = 1; r <= rows; r++) {
		line = "| " row[r] " |"
		for (c = 1; c <= columns; c++) line = line " " text[row[r], tool[c]] " |"
		print line
	}
	line = "| **exact** |"
	for (c = 1; c <= columns; c++) line = line " " exact[tool[c]] + 0 " of " total[tool[c]] " |"
	print line
}
