#!/bin/bash
# The thesis's own collector on the thesis's own programs, beside gotrace on the same programs.
#
#   sudo ORIGINAL=DIR experiments/thesis-original/run.sh
#
# ORIGINAL=DIR  holds two clones: perun (github.com/gzvvyx/perun, branch gotrace-prototype) and go-playground
#               (github.com/gzvvyx/go-playground), at the commits below. Nothing in them changes.
# RUNS=5        rounds that count; one more goes before them and is discarded
# QUICK=1       one round, on any machine
# WORKLOADS=    of: greet oto ants
# VARIANTS=     besides untraced, of: original thesis inline
# GO=1.22.0     the Go that builds the programs; the collector has struct g of that version
# WORK= RESUME= SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/thesis-original/<run-id>/: raw.csv (never edited), calls.csv, environment.txt, and derived from them
# summary.csv, summary.md.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
GO=${GO:-1.22.0}

perun_commit=8c7d88e2debff627f29ba9a579f37638b375e896
programs_commit=77924363df00e5933a762cdcd3ce53dd5e984ba7
original=$(realpath -m "${ORIGINAL:-none}")
is_at() { [ "$(git -c safe.directory='*' -C "$1" rev-parse HEAD 2>/dev/null)" = "$2" ]; } # FOLDER COMMIT
for clone in "perun $perun_commit" "go-playground $programs_commit"; do
	is_at "$original/${clone% *}" "${clone#* }" || {
		echo "thesis-original: ORIGINAL=${ORIGINAL:-} has no clone ${clone% *} at ${clone#* }; experiments/thesis-original/README.md has the commands" >&2
		exit 1
	}
done
# Sound needs somewhere to go: all of this runs inside a private sink then.
if [[ " ${WORKLOADS:-oto} " == *" oto "* ]] && [ -z "${ORIGINAL_SINK:-}" ]; then
	ORIGINAL_SINK=1 exec "$top/experiments/workloads/oto/with-sink.sh" "$here/run.sh"
fi
prepare thesis-original 5
programs=$(chosen program 'greet oto ants' "${WORKLOADS:-greet oto ants}")
variants=$(chosen variant 'original thesis inline' "${VARIANTS:-original thesis inline}")
for tool in bpftool clang python3; do command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin; done
for tool in bpftool clang python3; do command -v "$tool" >/dev/null || cannot "$tool is missing; run: ci/deps.sh original"; done
keep_builds

# ---- their collector, from a copy, because it writes into its own folder
cp -r "$original/perun" "$scratch/perun"
venv=$work/venv
if [ ! -e "$venv/complete" ]; then
	echo "thesis-original: the Python packages of the collector are being installed" >&2
	# Their versions are those of the thesis where a Python of today has them. angr (1 GB) is Perun's, and the collector does not use it.
	{ python3 -m venv "$venv" && "$venv/bin/pip" install -q --no-deps perun-toolsuite==0.21.8 &&
		"$venv/bin/pip" install -q 'numpy<2' 'pandas<2.3' Jinja2==3.1.3 pyelftools distorm3 click termcolor GitPython psutil \
			ruamel.yaml scipy statsmodels scikit-learn python-magic Faker tabulate networkx bokeh 'holoviews<1.19' progressbar2 \
			matplotlib plotly; } >"$scratch/pip" 2>&1 || cannot "the collector's Python packages do not install: $(tail -n 1 "$scratch/pip")"
	touch "$venv/complete"
fi
original_py() { PYTHONPATH=$scratch/perun "$venv/bin/python" "$here/original.py" "$@"; }

# The collector raises RLIMIT_MEMLOCK and ends where it may not, as in a container. No kernel since 5.11 asks for it.
shim=
if ! (ulimit -l unlimited) 2>/dev/null; then
	shim=$scratch/memlock.so
	"${CC:-gcc}" -O2 -Wall -Wextra -Werror -shared -fPIC -o "$shim" "$here/memlock.c"
fi

packages_of() { # PROGRAM; the thesis's selection: of greet main, of the others main and the library
	case $1 in
	greet) echo main ;;
	oto) echo main github.com/ebitengine/oto/v3 ;;
	ants) echo main github.com/panjf2000/ants/v2 ;;
	esac
}
source_of() { case $1 in greet) echo greet.go ;; oto) echo main.go ;; ants) echo main.go ;; esac; } # oto's folder has a main twice
build_program() {
	cp -r "$original/go-playground/$1" "$scratch/$1.src"
	(cd "$scratch/$1.src" && [ -e go.mod ] || go mod init "$1" >/dev/null 2>&1
		cd "$scratch/$1.src" && GOFLAGS=-mod=mod go build -o "$work/bin/$1" "$(source_of "$1")") || cannot "$1 does not build"
}
# Their Makefile expects bpftool and libbpf as submodules; the system's stand for them.
build_collector() {
	local build=$scratch/perun/perun/collect/gotrace/bpf_build libbpf
	libbpf=$(pkg-config --variable=libdir libbpf)/libbpf.a
	# shellcheck disable=SC2046 # a list of words
	original_py generate "$work/bin/$1" "$scratch/$1.map" $(packages_of "$1") >"$scratch/$1.plan" || cannot "the collector finds no functions of $1"
	make -C "$build" BPFTOOL="$(command -v bpftool)" LIBBPF_OBJ="$libbpf" >"$scratch/make" 2>&1 ||
		cannot "the collector does not build: $(tail -n 3 "$scratch/make")"
	mkdir -p "$scratch/collector.$1"
	cp "$build/gotrace" "$scratch/collector.$1/gotrace"
}
for p in $programs; do
	build_program "$p"
	case " $variants " in *" original "*) build_collector "$p" ;; esac
done
"${CC:-gcc}" -O2 -Wall -o "$scratch/wall" "$top/experiments/overhead/wall.c"

# ---- how
info() { awk -v k="$1" '$1 == k { print $2; found = 1; exit } END { exit !found }' "$scratch/info" || cannot "the trace has no $1"; }
# until SECONDS COMMAND...
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.05; done
}
# The collector writes when its buffer is full and when it ends, and reads the ring at least every 10 ms. It has read
# everything when it sleeps and its file does not grow.
settled() {
	local before after
	before=$(stat -c %s output.txt)
	sleep 1
	after=$(stat -c %s output.txt)
	[ "$before" = "$after" ] && grep -q '^State:.*S' "/proc/$collector/status"
}
run_target() { "$scratch/wall" "$scratch/own" "$work/bin/$1" >/dev/null 2>"$scratch/stderr" || cannot "$1 failed: $(tail -n 1 "$scratch/stderr")"; }
# The values of a row. The collector does not count what it loses.
measure() { # PROGRAM VARIANT ROUND ROW
	local functions=0 sites=0 events=0 lost=0 calls=0 mismatches= wall cpu
	rm -f "$scratch"/{own,trace,info}
	case $2 in
	untraced) run_target "$1" ;;
	original)
		cd "$scratch/collector.$1"
		rm -f output.txt
		LD_PRELOAD=$shim ./gotrace >out 2>err &
		collector=$!
		if ! until_true 900 test -e output.txt; then cannot "the collector does not attach: $(tail -n 1 err)"; fi
		run_target "$1"
		until_true 300 settled || cannot "the collector does not come to rest"
		kill -INT "$collector"
		wait "$collector" || cannot "the collector ended with status $?: $(tail -n 1 err)"
		read -r functions sites <"$scratch/$1.plan"
		events=$(wc -l <output.txt)
		lost=
		read -r calls mismatches < <(original_py pair output.txt "$scratch/$1.map" "$1,$2,$3" "$out/calls.csv") ;;
	*)
		# shellcheck disable=SC2046 # a list of words
		"$GOTRACE" record -q --max-cost=off --no-states --probe="$2" $(printf -- '-p %s ' $(packages_of "$1")) -o "$scratch/trace" -- "$work/bin/$1" >/dev/null 2>"$scratch/stderr" ||
			cannot "$1, $2: $(tail -n 1 "$scratch/stderr")"
		"$GOTRACE" info "$scratch/trace" >"$scratch/info"
		functions=$(info plan.probed) && sites=$(info sites) && events=$(info end.events) && lost=$(info end.lost_events)
		calls=$("$GOTRACE" report --by=function --format=csv -n 0 "$scratch/trace" | tee "$scratch/report.csv" | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')
		awk -F, -v head="$1,$2,$3" 'NR > 1 { print head "," $1 "," $2 }' "$scratch/report.csv" >>"$out/calls.csv" ;;
	esac
	if [ -e "$scratch/own" ]; then read -r wall cpu <"$scratch/own"; else wall=$(info end.target_wall_ns) cpu=$(info end.target_cpu_ns); fi
	echo "$wall,$cpu,$functions,$sites,$events,$lost,$calls,$mismatches"
}

begin_run
fix go_of_programs "$(go env GOVERSION)"
fix perun "$perun_commit"
fix go_playground "$programs_commit"
fix bpftool "$(bpftool version | head -n 1)"
fix libbpf "$(pkg-config --modversion libbpf)"
fix clang "$(clang --version | head -n 1)"
fix memlock "$([ -z "$shim" ] && echo 'raised by the collector' || echo 'may not be raised here; a library answers for the kernel')"
build_stats "$scratch"
[ -s "$out/calls.csv" ] || echo "program,variant,round,function,calls" >"$out/calls.csv"
measure_rounds untraced "untraced $variants" "$programs" program wall_ns,cpu_ns,functions,sites,events,lost_events,calls,mismatches
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
