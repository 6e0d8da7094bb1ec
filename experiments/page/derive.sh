#!/bin/sh
# Makes summary.csv and summary.md of the raw rows of a run.
#   experiments/page/derive.sh FOLDER
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
compare_rows -
{
	echo "# The page: how large, and how fast"
	echo
	table 'page|asked for' 'paths|paths|1|%.0f;page_bytes|page, MB|1e6|%.2f;trace_bytes|trace, MB|1e6|%.1f;export_cpu_s|written in, s of processor time|1|%.2f;export_peak_kib|peak, MiB|1024|%.0f'
	echo
	echo "Each part of the page, in headless Chromium without a graphics processor. *Opened*: from the start of the navigation until the view is"
	echo "drawn. *Step*: the longest wait for its frame, of one move after the other. *Processor*: of the page's main thread, which does all of"
	echo "the page's own work; of steps a mean."
	echo
	echo "| asked for | part | opened, or longest step, ms | processor, ms |"
	echo "|--:|---|--:|--:|"
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		function cell(key) {
			if (low[key] == "") return sprintf("%.1f", median[key])
			return sprintf("%.1f (%.1f to %.1f)", median[key], low[key], high[key])
		}
		$2 ~ /_cpu_ms$/ || $2 ~ /_wall_ms$/ {
			part = $2
			sub(/_(cpu|wall)_ms$/, "", part)
			if (!(part in known)) { known[part]; parts[++n] = part }
			v = $col["variant"]
			if (!(v in sizes)) { sizes[v]; m++; for (i = m; i > 1 && size[i - 1] + 0 > v + 0; i--) size[i] = size[i - 1]; size[i] = v }
			key = v SUBSEP $2
			median[key] = $col["median"]; low[key] = $col["low"]; high[key] = $col["high"]
		}
		END {
			for (s = 1; s <= m; s++)
				for (i = 1; i <= n; i++)
					print "| " size[s] " | " parts[i] " | " cell(size[s] SUBSEP parts[i] "_wall_ms") " | " cell(size[s] SUBSEP parts[i] "_cpu_ms") " |"
		}' "$out/summary.csv"
} >"$out/summary.md"
