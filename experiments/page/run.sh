#!/bin/sh
# How large a page is, how long it takes to write, to open and to move, at 100,000 paths and a million.
#   experiments/page/run.sh
# RUNS=5 repetitions after one discarded. The made-up traces are experiments/throughput's, kept in
# $O/page (build/page). Rows go to results/page/RUN-ID/; nothing is overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
runs=${RUNS:-5} build=${O:-build}
gotrace=${GOTRACE:-$build/gotrace}
GOTRACE=$gotrace
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure page
work=$build/page
mkdir -p "$work" results/page
for tool in node "${CHROMIUM:-chromium}"; do
	command -v "$tool" >/dev/null || { echo "page: $tool is missing; run: ci/deps.sh page" >&2; exit 1; }
done
PLAYWRIGHT=$(ci/page/npm.sh playwright-core "$build")
export PLAYWRIGHT
make -s O="$build" "$build/libgotrace.a"
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. \
	experiments/throughput/generate.c "$build/libgotrace.a" -lzstd -lz -lm -o "$work/generate"

begin_run
note browser "$("${CHROMIUM:-chromium}" --version 2>/dev/null), headless, software rendering, window 1440x900"
note node "$(node --version)"
note runs "$runs after one discarded"
rows=$out/rows.csv sizes=$out/sizes.csv
echo "case,run,what,wall_ms,cpu_ms,frames" >"$rows"
echo "case,run,paths,page_bytes,trace_bytes,export_cpu_s,export_peak_kib" >"$sizes"

# Four goroutines walk the whole tree: thirty events a path.
for paths in 100000 1000000; do
	trace=$work/$paths.gotrace page=$work/$paths.html
	[ -f "$trace" ] || { "$work/generate" "$trace.new" $((paths * 30)) 300 4 "$paths" && mv "$trace.new" "$trace"; }
	for run in $(seq 1 "$runs"); do
		/usr/bin/time -f '%U %S %M' -o "$work/time" "$gotrace" export --format=html -o "$page" "$trace"
		read -r user system kib <"$work/time"
		n=$(grep -o '"tree":{"n":[0-9]*' "$page" | cut -d: -f3)
		echo "$paths,$run,$((n - 1)),$(stat -c %s "$page"),$(stat -c %s "$trace"),$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }'),$kib" >>"$sizes"
	done
	node experiments/page/measure.mjs "$paths" "$page" "$runs" >>"$rows"
done
end_run

# Medians of each case.
awk -F, 'NR > 1 { k = $1 "," $3; n[k]++; w[k, n[k]] = $4; c[k, n[k]] = $5; if (n[k] == 1) order[++m] = k }
	function median(a, k, len,   i, j, t, b) {
		for (i = 1; i <= len; i++) b[i] = a[k, i] + 0
		for (i = 1; i <= len; i++) for (j = i + 1; j <= len; j++) if (b[j] < b[i]) { t = b[i]; b[i] = b[j]; b[j] = t }
		return b[int((len + 1) / 2)]
	}
	END { for (i = 1; i <= m; i++) { split(order[i], x, ",")
		printf "%8d paths  %-14s %7.0f ms by the clock, %7.0f ms of the page'"'"'s processor time\n", x[1], x[2], median(w, order[i], n[order[i]]), median(c, order[i], n[order[i]]) } }' "$rows" >"$out/summary.txt"
awk -F, 'NR > 1 && !seen[$1]++ { printf "%8d paths  page of %.1f MB, written in %.1f s of processor time, peak %.0f MiB\n", $3, $4 / 1e6, $6, $7 / 1024 }' "$sizes" >>"$out/summary.txt"
cat "$out/summary.txt"
echo "rows: $rows"
