#!/bin/bash
# How much of what the thesis counted as stack growth was growth: prologues that were stopped, by what the
# runtime did about them, counted by gotrace and without it.
#
#   sudo experiments/prologue-stops/run.sh
#
# RUNS=20       rounds that count; one more goes before them and is discarded
# QUICK=1       one round, on any machine
# WORKLOADS=    of greet oto ants gofumpt misspell
# GO=           Go versions to build them with, "1.22.0" and the newest of ci/go-versions
# RESUME=FOLDER goes on with a run that was interrupted
# GOTRACE=build/gotrace, O=build, RESULTS=results/prologue-stops
#
# Each run writes a folder of its own: raw.csv (never edited), environment.txt, summary.md.
set -eu
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
build=$(realpath -m "${O:-$top/build}")
read -ra versions <<<"${GO:-1.22.0 $(tail -n 1 "$top/ci/go-versions")}"

usual='greet oto ants gofumpt misspell'
# Sound needs somewhere to go: all of this runs inside a private sink then.
if [[ " ${WORKLOADS:-$usual} " == *" oto "* ]] && [ -z "${STOPS_SINK:-}" ]; then
	STOPS_SINK=1 exec "$top/experiments/workloads/oto/with-sink.sh" "$here/run.sh"
fi
prepare prologue-stops 20
work=$scratch
programs=$(chosen program "$usual" "${WORKLOADS:-$usual}")
read -ra programs <<<"$programs"
run_failed() { tail -n 20 "$scratch/log" >&2; exit 1; }
[ -w /sys/kernel/tracing/uprobe_events ] || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || true
[ -w /sys/kernel/tracing/uprobe_events ] || cannot "/sys/kernel/tracing has no uprobe_events: without it nothing counts independently"
for tool in readelf "${CC:-gcc}"; do command -v "$tool" >/dev/null || cannot "$tool is missing; run: ci/deps.sh build test"; done
# shellcheck source-path=SCRIPTDIR source=counter.sh
. "$here/counter.sh"
trap 'counter_ends; rm -rf "$scratch"' EXIT
# shellcheck source-path=SCRIPTDIR source=../real-programs/programs.sh
. "$top/experiments/real-programs/programs.sh"
GOFUMPT=v0.6.0 # the last that go1.22.0 builds

build_stops() {
	[ -e "$build/libgotrace.a" ] || make -s O="$build" "$build/libgotrace.a"
	"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/core" -I"$top" \
		"$here/stops.c" "$build/libgotrace.a" -lzstd -lz -o "$scratch/stops"
}
# The programs of a Go version into $scratch/VERSION/bin, and what the two real ones read: the same for all versions.
build_programs() { # VERSION
	use_go "$1"
	work=$scratch/$1
	mkdir -p "$work/bin"
	cp -r "$scratch/nethttp" "$work/nethttp" # no link: neither program follows one
	export GOBIN=$work/bin
	for p in "${programs[@]}"; do
		case $p in
		gofumpt) go install "mvdan.cc/gofumpt@$GOFUMPT" ;;
		misspell) go install "github.com/client9/misspell/cmd/misspell@$MISSPELL" ;;
		*) "$top/experiments/workloads/build.sh" "$work/bin" "$p" >/dev/null ;;
		esac
	done
	# What the thesis would trace, "ADDRESS SIZE" each.
	for p in "${programs[@]}"; do
		set_program "$p"
		"$GOTRACE" plan -F json --probe=thesis "${modules[@]}" "${target[0]}" | awk -F'[":,]+ *' '
			/^ *"runtime_sites"/ { exit }
			/^      "vaddr"/ { at = $3 }
			/^      "size_bytes"/ { size = $3 }
			/^      "fate": "probed"/ { print at, size }' | sort -n >"$work/$p.selected"
		[ -s "$work/$p.selected" ] || cannot "$p: no function is selected"
	done
}
# Sets target and modules, as the thesis selected for greet and oto; real programs by the default.
set_program() { # PROGRAM
	case $1 in
	greet | oto) target=("$work/bin/$1.noinline") modules=(-p main) ;;
	ants) target=("$work/bin/ants.noinline") modules=(-p main -p github.com/panjf2000/ants/v2) ;;
	*) "command_$1" "$scratch/out" ;;
	esac
}

# The values of a row: measure_rounds calls it for each.
measure() { # PROGRAM,GO VARIANT
	local program=${1%,*} command traced=,,,,,,,,,,,, lost classes
	work=$scratch/${1#*,}
	use_go "${1#*,}" || cannot "no Go ${1#*,}"
	set_program "$program"
	command=("${target[@]}")
	rm -f "$scratch/trace"
	case $2 in
	thesis) command=("$GOTRACE" record -o "$scratch/trace" --probe=thesis "${modules[@]}" -- "${target[@]}") ;;
	default) command=("$GOTRACE" record -o "$scratch/trace" "${modules[@]}" -- "${target[@]}") ;;
	esac
	counted "${target[0]}" "${command[@]}" >/dev/null 2>"$scratch/log" || run_failed
	if [ "$2" != untraced ]; then
		lost=$("$GOTRACE" info "$scratch/trace" | awk '$1 == "end.lost_events" { print $2 }')
		traced=$("$scratch/stops" "$scratch/trace") || cannot "the trace cannot be read"
		traced=${lost:?},$(echo "$traced" | awk -F, '
			{ count[$1, $2] = $3; ns[$2] += $4 }
			END {
				n = split("growth yield gc declined", class, " ")
				for (i = 1; i <= n; i++) printf "%s,", count["traced", class[i]]
				for (i = 1; i <= n; i++) printf "%.0f,", ns[class[i]]
				for (i = 1; i <= n; i++) printf "%s%s", count["others", class[i]], i < n ? "," : "\n"
			}')
	fi
	classes=$(awk -f "$here/classify.awk" "$scratch/symbols" "$work/$program.selected" "$scratch/events") || cannot "events of $1 cannot be read"
	echo "$command_ns,$missed,$classes,$traced"
}

# What a run reads decides how long the thesis's strategy takes: the smaller files. programs.sh has all of it there.
rm -r "$scratch/nethttp"
mkdir "$scratch/nethttp" "$scratch/out"
cp "$(go env GOROOT)"/src/net/http/*.go "$scratch/nethttp"
rm -f "$scratch"/nethttp/*_test.go "$scratch"/nethttp/{h2_bundle,server,transport}.go
build_stops
for version in "${versions[@]}"; do build_programs "$version"; done

begin_run ""
build_stats "$scratch"
fix input "$(cd "$scratch/nethttp" && cat ./*.go | sha256sum | cut -c 1-16), net/http without tests, h2_bundle.go, server.go, transport.go"
fix real_programs "gofumpt $GOFUMPT, misspell $MISSPELL"
measure_rounds untraced 'untraced thesis default' "$(for v in "${versions[@]}"; do printf "%s,$v " "${programs[@]}"; done)" program,go \
	command_ns,missed,growth,yield,gc,declined,own_growth,own_yield,own_gc,own_declined,shrinks,lost_events,trace_growth,trace_yield,trace_gc,trace_declined,growth_ns,yield_ns,gc_ns,declined_ns,others_growth,others_yield,others_gc,others_declined
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $out"
