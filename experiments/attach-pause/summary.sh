#!/bin/bash
# summary.sh ROWS.csv ENVIRONMENT: medians, as Markdown.
set -eu
median() { # FILTER COLUMN
	awk -F, "$1 { print \$$2 }" "$rows" | sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
largest() { awk -F, "$1 { print \$$2 }" "$rows" | sort -g | tail -n 1; }
ms() { awk -v ns="${1:-0}" 'BEGIN { printf "%.1f", ns / 1e6 }'; }
rows=$1
echo "# A running process gets inline stubs"
echo
sed 's/^/- /' "$2"
echo
echo "All threads stopped, ms; median and largest of the rounds."
echo
echo "| goroutines | sites | jumps in | largest | jumps out | largest |"
echo "|--:|--:|--:|--:|--:|--:|"
for n in $(awk -F, '$1 == "pause" { print $2 }' "$rows" | sort -gu); do
	f="\$1 == \"pause\" && \$2 == $n"
	echo "| $n | $(median "$f" 5) | $(ms "$(median "$f" 7)") | $(ms "$(largest "$f" 7)") | $(ms "$(median "$f" 8)") | $(ms "$(largest "$f" 8)") |"
done
echo
echo "Requests a second through a NATS server, default selection; the share is of each round's untraced rate."
echo
echo "| probes | requests a second, median | share of untraced | events, median | lost |"
echo "|---|--:|--:|--:|--:|"
for p in none emulated inline; do
	f="\$1 == \"nats\" && \$4 == \"$p\""
	share=$(awk -F, -v p=$p '$1 == "nats" && $4 == "none" { base[$3] = $10 } $1 == "nats" && $4 == p { print 100 * $10 / base[$3] }' "$rows" |
		sort -g | awk '{ v[NR] = $1 } END { printf "%.1f %%", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }')
	echo "| $p | $(median "$f" 10) | $share | $(median "$f" 11) | $(largest "$f" 12) |"
done
