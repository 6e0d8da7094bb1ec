#!/bin/sh
# Fuzzes the trace reader, all reports and exports of events and of samples, the rules of pairing and all who use them, summaries, the parsers of Go
# binaries, plans of damaged ones, symbols and DWARF of ELF files, perf maps, indexes of stores and the reader of inline stubs'
# rings, all at once, each for SECONDS (60), beginning with the corpora of fixtures/fuzz. What is found stays in $O/fuzz/found.
#   ci/fuzz.sh [SECONDS]
#   ci/fuzz.sh replay       runs each input of the corpora once, with the objects of the sanitizer build (make SAN=1 replays)
# KEEP=1 afterwards stores what the corpora have grown to, made as small as they reach as far.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-60}
O=${O:-build}
work=$O/fuzz/corpus found=$O/fuzz/found
export GOTRACE_TEST_BINARIES=${GOTRACE_TEST_BINARIES:-$O/binaries}
if [ "$seconds" = replay ]; then built='SAN=1 replays'; else built='FUZZ=1 fuzzers'; fi
# shellcheck disable=SC2086 # two words
make --no-print-directory -s "-j$(nproc)" O="$O" $built || exit 1
mkdir -p "$work" "$found"

# name  program  longest input  folders of seeds beside the corpus
list='pairing model/pairing_fuzz 2000
gate keep/gate_fuzz 2000
summary model/summary_fuzz 2000
reader trace/reader_fuzz 16384 fixtures/malformed-traces fixtures/traces fixtures/formats
gobin binary/gobin_fuzz 193
plan plan/plan_fuzz 123
ehframe binary/ehframe_fuzz 1024
elf_symbols symbols/elf_symbols_fuzz 3072
inlines symbols/inlines_fuzz 8192
names symbols/name_list_fuzz 1024
store agent/store_fuzz 400
rings rings/rings_fuzz 16384 fixtures/rings
outputs cli/outputs_fuzz 386
samples cli/samples_fuzz 600'

# shellcheck source=totals.sh
. ci/totals.sh
# run NAME PROGRAM LENGTH [SEEDS...]: fuzzes, or replays.
run() {
	if [ "$seconds" = replay ]; then
		# shellcheck disable=SC2086 # a list of folders
		timeout 600 "$O/san/${2%_fuzz}_replay" "$3" "$work/$1" $4
	else
		# shellcheck disable=SC2086 # a list of folders
		"$O/fuzz/$2" -max_len="$3" -max_total_time="$seconds" -timeout=60 -print_final_stats=1 \
			-artifact_prefix="$found/$1-" "$work/$1" $4
	fi
}
pids=
while read -r name program length seeds; do
	rm -rf "${work:?}/$name"
	mkdir -p "$work/$name"
	tar -xzf "fixtures/fuzz/$name.tar.gz" -C "$work/$name" || exit 1
	run "$name" "$program" "$length" "$seeds" >"$found/$name.log" 2>&1 &
	pids="$pids $name:$!"
done <<EOF
$list
EOF

for job in $pids; do
	name=${job%%:*}
	if wait "${job#*:}"; then
		ok "$name: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\).*/\1 runs in \2 s, nothing found/p; s/^[0-9]* inputs$/&, nothing found/p' "$found/$name.log")"
	else
		grep -v -E 'NEW|REDUCE|pulse|RELOAD|^INFO|Uses:' "$found/$name.log" >"$found/$name.short"
		not_ok "$name: found something" "$found/$name.short"
	fi
done

if [ "${KEEP:-}" = 1 ] && [ "$failed" = 0 ]; then
	while read -r name program length seeds; do
		rm -rf "${work:?}/small" && mkdir "$work/small"
		# shellcheck disable=SC2086
		"$O/fuzz/$program" -merge=1 -max_len="$length" "$work/small" "$work/$name" $seeds >/dev/null 2>&1 || exit 1
		tar -C "$work/small" --sort=name --owner=0 --group=0 --mtime=@0 -cf - . | gzip -9n >"fixtures/fuzz/$name.tar.gz"
		echo "fixtures/fuzz/$name.tar.gz: $(find "$work/small" -type f | wc -l) inputs"
	done <<EOF
$list
EOF
fi
totals
