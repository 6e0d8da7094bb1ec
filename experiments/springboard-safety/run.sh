#!/bin/bash
# Whether springboard ever harms the program it changes: the tests of tests.sh with every Go
# version, round after round.
#
#   sudo experiments/springboard-safety/run.sh [SECONDS]     7200
#
# QUICK=1             a minute, the newest version only
# GO="1.22.0 1.27.4"  these versions only (ci/go-versions has all of them)
# BUILT=DIR           keeps the built programs there, for the next run
# ONLY=REGEX          tests by their names
# KINDS=REGEX         and by what they are run with
# GOTRACE=            the command to test, build/gotrace
# RESULTS=            where to put the results, results/springboard-safety
#
# Every run writes a folder of its own: rows.csv (a row a test), measures.csv (a row a measured
# value), environment.txt, failures/; summary.md is derived from them. A round tests, and so none is discarded.
set -u
# Ignored signals (behind `&`, nohup) would be ignored by what is tested, too.
if [ "${SAFETY_SIGNALS:-}" != default ]; then
	SAFETY_SIGNALS=default exec env --default-signal=HUP,INT,QUIT,TERM bash "$0" "$@"
fi
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
TOP=$top
seconds=${1:-${QUICK:+60}}
seconds=${seconds:-7200}
# Not say: that is of ci/live/lib.sh.
tell() { echo "springboard-safety: $*" >&2; }
prepare springboard-safety
LIVE=$scratch
export LIVE GOTRACE TOP
built=${BUILT:-$LIVE/built}
versions=${GO:-$(tac "$TOP/ci/go-versions" | if [ -n "${QUICK:-}" ]; then head -n 1; else cat; fi)}
# shellcheck source=../../ci/live/lib.sh
. "$TOP/ci/live/lib.sh"
LIVE_TIMEOUT=300
programs=$built strike=$LIVE/strike meddle=$LIVE/meddle
# shellcheck source=tests.sh
. "$here/tests.sh"
RECORD=(-m 256M) # a machine with other work to do loses nothing all the same
"${CC:-cc}" -O2 -D_GNU_SOURCE -o "$strike" "$here/strike.c" || cannot "strike.c cannot be built; run: ci/deps.sh build"
"${CC:-cc}" -O2 -D_GNU_SOURCE -I"$TOP/core" -o "$meddle" "$here/meddle.c" || cannot "meddle.c cannot be built; run: ci/deps.sh build"

build() ( # VERSION
	local to=$built/$1
	[ ! -e "$to/complete" ] || return 0
	mkdir -p "$to"
	use_go "$1" 2>"$to/build.log" && "$TOP/fixtures/programs/build.sh" "$to" hazards callbacks reexec >"$to/build.log" 2>&1 &&
		(cd "$here/server" && go build -o "$to/server" main.go) >>"$to/build.log" 2>&1 &&
		cp "$(go env GOROOT)/bin/gofmt" "$to/gofmt" && go env GOROOT >"$to/goroot" && touch "$to/complete"
	[ -e "$to/complete" ] || { tell "go$1: cannot be built: $(tail -n 1 "$to/build.log")"; return 1; }
)

# ---- one test, one row

start=$SECONDS n=0 failed=0
quote() { tr '\n",' " ';" <<<"$1" | cut -c 1-200; }
# test GO STUB NAME COMMAND...
try() {
	local go=$1 stub=$2 name=$3 dir=$LIVE/t status began=$EPOCHREALTIME verdict=ok detail='' events lost stubs
	shift 3
	if [ $((SECONDS - start)) -ge "$seconds" ] || ! [[ $name =~ ${ONLY:-} && $stub =~ ${KINDS:-} ]]; then return 0; fi
	n=$((n + 1))
	rm -rf "$dir"
	mkdir -p "$dir"
	(
		set -e
		cd "$dir"
		"$@"
	) >"$dir/.log" 2>&1 </dev/null
	status=$?
	if [ $status = $SKIP_STATUS ]; then
		verdict=skipped detail=$(tail -n 1 "$dir/.log")
	elif [ $status != 0 ]; then
		verdict=failed detail=$(tail -n 1 "$dir/.log")
		failed=$((failed + 1))
		mkdir -p "$out/failures"
		{ echo "go$go $stub $name: $*"; cat "$dir/.log"; [ ! -e "$dir/err" ] || sed 's/^/err: /' "$dir/err"; } | head -c 65536 >"$out/failures/$n"
		tell "FAILED: go$go $stub $name: $detail"
	fi
	"$GOTRACE" info "$dir/trace" >"$dir/told" 2>/dev/null
	read -r events lost stubs < <(awk '$1 ~ /^end\.(events|lost_events|stubs)$/ { v[$1] = $2 }
		END { print v["end.events"] + 0, v["end.lost_events"] + 0, v["end.stubs"] + 0 }' "$dir/told")
	echo "$n,$EPOCHSECONDS,$go,$stub,\"$name\",$verdict,$(awk -v a="$began" -v z="$EPOCHREALTIME" 'BEGIN { printf "%.2f", z - a }'),${events:-0},${lost:-0},${stubs:-0},\"$(quote "$detail")\"" >>"$out/rows.csv"
}
measure() { # GO HOW WHAT VALUE
	echo "$EPOCHSECONDS,$1,$2,$3,$4" >>"$out/measures.csv"
}

# how COMMAND...: untraced, by emulated, or by a stub kind.
how() {
	local h=$1
	shift
	case $h in
	untraced) timeout -k 5 300 "$@" ;;
	emulated) gt record -o trace --probe=emulated "${RECORD[@]}" -- "$@" ;;
	*) springboard "$h" "$@" ;;
	esac
}

# ---- what takes numbers

flag_seen() { # GO HOW: microseconds until a flag set after 20 ms is seen, on one processor
	how "$2" "$hazards" flag 20 >printed 2>err
	grep '^seen' err | while read -r _ name us; do measure "$1" "$2" "flag_us_$name" "$us"; done
	[ "$2" = untraced ] || agrees
}
collected() { # GO HOW
	how "$2" "$hazards" collect 1000 >printed 2>err
	grep '^collections' err | while read -r _ times mean longest pause; do
		measure "$1" "$2" gc_collections "$times"
		measure "$1" "$2" gc_mean_us "$mean"
		measure "$1" "$2" gc_max_us "$longest"
		measure "$1" "$2" gc_pause_max_us "$pause"
	done
	[ "$2" = untraced ] || agrees
}
profiled() { # GO HOW CALLS: share of the program's own CPU samples that are in code it does not know
	how "$2" "$hazards" signals 4 "$3" profile >printed 2>err
	[ "$2" = untraced ] || agrees
	go tool pprof -top -nodecount=100000 -nodefraction=0 "$hazards" profile >top 2>top.err
	# Stubs lie below the text, where the runtime says _System; pprof names such places by their mapping.
	measure "$1" "$2" profile_unknown_pct "$(awk '$6 ~ /ExternalCode/ || ($6 ~ /^\[/ && $6 != "[vdso]") { sub(/%/, "", $2); n += $2 } END { print n + 0 }' top)"
	measure "$1" "$2" profile_samples_ms "$(awk '/Total samples/ { v = $6; sub(/,/, "", v); m = v ~ /ms$/ ? 1 : v ~ /us$/ ? 0.001 : 1000; print v * m }' top)"
}
quit_once() { # GO HOW MS
	local status=0 options=() record=()
	case $2 in
	untraced) ;;
	emulated) record=("$GOTRACE" record -o trace --probe=emulated --) ;;
	*)
		options_of "$2"
		record=("$GOTRACE" record -o trace "${options[@]}" --)
		;;
	esac
	GOTRACEBACK=crash bash -c 'ulimit -c 0; exec "$@"' sh timeout 60 "${record[@]}" "$hazards" quit "$3" 2>traced || status=$?
	[ "$status" = 134 ] || { cat traced; fail "status $status"; }
	if quit_frames traced >judged; then
		measure "$1" "$2" quit_lost 0
	else
		measure "$1" "$2" quit_lost 1
		# Nops make frames go lost: known, and measured here. Nothing else may.
		[ "$2" = nop ] || { cat traced; fail "$(cat judged)"; }
	fi
}

# ---- other people's programs

identical() { # KIND COMMAND...: the same output, all packages traced
	local kind=$1
	shift
	"$@" >plain 2>&1 || fail "it does not run untraced"
	SELECT=(-p all)
	springboard "$kind" "$@" >printed 2>err
	SELECT=()
	stubs_used trace
	cmp plain printed
	[ "$kind" != drop ] || return 0
	gt report trace --by=function --format=csv >report.csv
	awk -F, 'NR > 1 { n += $2; suspect += $11 } END { exit n < 1000 || suspect }' report.csv || fail "few calls, or suspect ones"
}
compiled() { # KIND GOROOT: the compiler, 15,000 functions, writes the same
	local compile=$2/pkg/tool/linux_amd64/compile
	"$compile" -p utf8 -complete -o plain.o "$2/src/unicode/utf8/utf8.go"
	SELECT=(-p all)
	springboard "$1" "$compile" -p utf8 -complete -o traced.o "$2/src/unicode/utf8/utf8.go" 2>err
	SELECT=()
	stubs_used trace
	cmp plain.o traced.o
}

round() { # GO
	local go=$1 kind h i
	programs=$built/$go hazards=$built/$go/default/hazards
	for kind in jump nop inline drop; do
		try "$go" $kind "8 goroutines, moving stacks, a million calls" exact $kind "$hazards" crowd 8 1000000
		try "$go" $kind "64 goroutines, moving stacks" exact $kind "$hazards" crowd 64 200000
		GODEBUG=asyncpreemptoff=1 try "$go" $kind "64 goroutines, asyncpreemptoff=1" exact $kind "$hazards" crowd 64 100000
		GODEBUG=asyncpreemptoff=0 try "$go" $kind "8 goroutines, asyncpreemptoff=0" exact $kind "$hazards" crowd 8 100000
		GOGC=1 GODEBUG=gcstoptheworld=1 try "$go" $kind "8 goroutines, stop-the-world collections" exact $kind "$hazards" crowd 8 100000
		GOMAXPROCS=8 try "$go" $kind "more processors than there are" exact $kind "$hazards" crowd 32 100000
		try "$go" $kind "signals at 1 kHz and a CPU profile" exact $kind "$hazards" signals 8 300000
		try "$go" $kind "a system call filter that kills" exact $kind "$hazards" seccomp 20000
		try "$go" $kind "PIE" exact $kind "$programs/pie/hazards" crowd 8 100000
		try "$go" $kind "no symbols" exact $kind "$programs/stripped/hazards" crowd 8 100000
		try "$go" $kind "nothing inlined" exact $kind "$programs/noinline/hazards" crowd 8 100000
		[ ! -e "$programs/default/callbacks" ] ||
			try "$go" $kind "cgo callbacks" exact $kind "$programs/default/callbacks"
		try "$go" $kind "all packages, fips140=on" everything $kind
		try "$go" $kind "panics' tracebacks" tracebacks $kind
		try "$go" $kind "descriptors, signals, privileges" same_state $kind
		try "$go" $kind "children" with_children $kind
		try "$go" $kind "a new image unknown to the library" raw_exec $kind
		try "$go" $kind "others' probes before" others_probes before 20000 $kind
		try "$go" $kind "others' probes during" others_probes during 200000 $kind
		try "$go" $kind "gofmt -d, all packages" identical $kind "$built/$go/gofmt" -d "$(cat "$built/$go/goroot")/src/net/http/cookie.go" "$(cat "$built/$go/goroot")/src/net/http/transfer.go"
		try "$go" $kind "the compiler, all packages" compiled $kind "$(cat "$built/$go/goroot")"
		try "$go" $kind "HTTP server, 4000 requests, all packages" identical $kind "$built/$go/server" 4000
	done
	for h in untraced emulated jump nop inline drop; do
		try "$go" $h "flag set beside a loop of leaves, GOMAXPROCS=1" flag_seen "$go" $h
		try "$go" $h "collections beside loops of leaves" collected "$go" $h
		for i in 1 2 3 4 5; do try "$go" $h "SIGQUIT" quit_once "$go" $h $((i * 13 + RANDOM % 10)); done
	done
	try "$go" untraced "profile" profiled "$go" untraced 40000000
	try "$go" emulated "profile" profiled "$go" emulated 30000
	try "$go" jump "profile" profiled "$go" jump 1000000
	try "$go" nop "profile" profiled "$go" nop 1000000
	try "$go" inline "profile" profiled "$go" inline 10000000
	try "$go" all "the same counts" same_counts 3000 emulated springboard thesis inline
	try "$go" jump "it executes itself" executes_itself jump
	try "$go" jump "set-uid" set_uid
	try "$go" jump "not found in its memory map" odd_path
	try "$go" jump "file capability" file_capability
	try "$go" jump "traced already" traced_already
	try "$go" jump "vm.memfd_noexec=2" no_executable_memory_files
	for h in held exec; do
		for i in target group; do
			try "$go" jump "SIGCONT to the $i, $h" goes_on $h $i 18
			try "$go" jump "SIGSTOP, SIGCONT to the $i, $h" goes_on $h $i 19,18
			try "$go" jump "SIGTERM, SIGCONT to the $i, $h" struck 143 $h $i 15,18
		done
		try "$go" jump "SIGINT to the group, $h" struck 130 $h group 2
		try "$go" jump "SIGKILL to the program, $h" struck 137 $h target 9
		try "$go" jump "SIGKILL to gotrace, $h" orphaned $h
	done
	try "$go" jump "SIGKILL to gotrace, running" goes_on_alone
	for i in 1 2 3 4 5; do try "$go" jump "SIGKILL to gotrace, any time" killed_after $((RANDOM * 4)); done
}

begin_run
note go "$(echo "$versions" | tr '\n' ' ')"
"$GOTRACE" doctor | sed 's/^/doctor: /' >>"$out/environment.txt"
echo "row,time_s,go,stub,test,verdict,seconds,events,lost_events,stubs,detail" >"$out/rows.csv"
echo "time_s,go,how,what,value" >"$out/measures.csv"
# Building is no part of the time.
usable=()
for v in $versions; do build "$v" && usable+=("$v"); done
[ ${#usable[@]} -gt 0 ] || cannot "nothing could be built"
start=$SECONDS rounds=0
while [ $((SECONDS - start)) -lt "$seconds" ]; do
	for v in "${usable[@]}"; do round "$v"; done
	rounds=$((rounds + 1))
done
note seconds $((SECONDS - start))
note rounds "$rounds"
end_run
"$here/summary.sh" "$out" >"$out/summary.md" || exit 1
cat "$out/summary.md"
tell "$n tests, $failed failed; rows: $out/rows.csv"
[ "$failed" = 0 ]
