# Shared by the live tests; sourced. A test is a function run by `check` in a
# subshell and a new folder with `set -e`: it passes when it returns 0. Its
# output is shown when it does not, and its file `err` where it printed nothing.
# shellcheck shell=bash
set -u
: "${LIVE:?run these through ci/live.sh}" "${GOTRACE:?}" "${TOP:?}"
tests=0 failures=0
# Ways of probing, as ci/regress/probes has them: all, and those that a running process takes. With LIVE_ALL=1 (ci/nightly.sh)
# every topic tries all of them. Few topics do without it, and none in a VM.
every_strategy=$(sed -n 's/^\([a-z][^ ]*\) --probe=\1\( .*\)\{0,1\}$/\1/p' "$TOP/ci/regress/probes")
every_pid_strategy=$(sed -n '/# launched/!s/^\([a-z][^ ]*\) --probe=\1\( .*\)\{0,1\}$/\1/p' "$TOP/ci/regress/probes")
strategies=inline pid_strategies='inline emulated'
case ${LIVE_ALL:+all}${LIVE_SLOW:+slow}$(basename "$0" .sh) in
all* | counts | situations | attach | links) strategies=$every_strategy pid_strategies=$every_pid_strategy ;;
esac
[ -n "$every_strategy" ] && [ -n "$every_pid_strategy" ] || { echo "not ok - no way of probing in ci/regress/probes"; exit 1; }
# A process that runs is given inline stubs or nothing. In a VM that is emulated their clock is not known to be good.
case ${LIVE_SLOW:-}$(basename "$0" .sh) in
1attach | 1deaths | 1doctor | 1flight | 1privileges | 1signals | 1surroundings | 1top) export GOTRACE_CLOCK_UNCHECKED=1 ;;
esac
SKIP_STATUS=77
go_minor=$(go version | sed -n 's/.* go1\.\([0-9]*\).*/\1/p') # before a topic sets GOROOT

# check NAME COMMAND [ARG...]
check() {
	local name=$1 dir status reason log
	shift
	[[ $name =~ ${LIVE_ONLY:-} ]] || return 0
	tests=$((tests + 1))
	dir=$LIVE/t/$(basename "$0" .sh).$tests
	mkdir -p "$dir"
	(
		set -e
		trap 'jobs -rp | xargs -r kill 2>/dev/null || true' EXIT # of a test that fails, say
		cd "$dir"
		"$@"
	) >"$dir/.log" 2>&1 </dev/null
	status=$?
	if [ $status = 0 ]; then
		echo "ok $tests - $name"
	elif [ $status = $SKIP_STATUS ]; then
		reason=$(tail -n 1 "$dir/.log")
		echo "ok $tests - $name # SKIP $reason"
	else
		echo "not ok $tests - $name"
		log=$dir/.log
		[ -s "$log" ] || [ ! -s "$dir/err" ] || log=$dir/err
		{ tail -n 30 "$log"; echo "status $status"; } | sed 's/^/#   /'
		failures=$((failures + 1))
	fi
}

# Inside a test: ends it.
skip() { echo "$1"; exit $SKIP_STATUS; }
fail() { echo "FAILED: $*"; exit 1; }

done_testing() { echo "1..$tests"; [ "$failures" = 0 ]; exit; }

# needs_namespace COMMAND...: skips the test where COMMAND, which makes a namespace of its own, cannot do it, and says why. In a
# chroot whose root is no mount point, say, unshare cannot make mounts private.
needs_namespace() {
	local why
	why=$("$@" 2>&1 >/dev/null) || skip "no namespace can be made here: ${why##*$'\n'}"
}
# without_btf COMMAND...: on a kernel that has no type information, as far as COMMAND sees. As an array, for other shells.
# It makes /sys private alone, which a chroot allows, too.
# shellcheck disable=SC2016 # expanded by the inner shell
without_btf=(unshare --mount --propagation unchanged sh -c
	'mount --make-rprivate /sys && mount -t tmpfs none /sys/kernel/btf || exit 1; exec "$@"' sh)
without_btf() { "${without_btf[@]}" "$@"; }
needs_hidden_btf() {
	[ -d /sys/kernel/btf ] || skip "this kernel has no type information"
	needs_namespace without_btf true
}

# gt ARG...: gotrace, but never for ever.
gt() { timeout -k 5 "${LIVE_TIMEOUT:-300}" "$GOTRACE" "$@"; }

# with_two_capabilities COMMAND...: as nobody, with CAP_BPF and CAP_PERFMON and no more.
with_two_capabilities() {
	setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --inh-caps=-all,+cap_38,+cap_39 \
		--ambient-caps=-all,+cap_38,+cap_39 --bounding-set=-all,+cap_38,+cap_39 "$@"
}

# expect_status N COMMAND...: runs it, its status must be N.
expect_status() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || fail "status $got, not $want: $*"
}

# expect_grep PATTERN FILE
expect_grep() {
	grep -Eqi -- "$1" "$2" || { echo "--- $2:"; cat "$2"; fail "nothing matches '$1'"; }
}

# by_pprof N: a pattern of that whole number as `go tool pprof` prints it. Before Go 1.25 its tables of tags say 1390.0.
by_pprof() { echo "$1(\.0+)?"; }

# paths TRACE: "SELF_SAMPLES PATH" for each path of a trace of samples, which ends at a comma in the name of a type.
paths() {
	gt report "$1" --by=path --format=csv -n 0 |
		awk -F, 'NR > 1 && $(NF - 1) > 0 { sub(/^"/, "", $1); print $(NF - 1), $1 }'
}
# count PATTERN: samples of paths, from stdin, that match.
count() { awk -v p="$1" '$2 ~ p { n += $1 } END { print n + 0 }'; }

# stolen: ns of all processors that the hypervisor and interrupts took so far. Linux counts them in no thread.
stolen() { awk -v tick="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f\n", ($7 + $8 + $9) / tick * 1e9 }' /proc/stat; }

# near A B SHARE LEAST: A of A + B is that share, within five standard deviations, and there are enough.
near() {
	awk -v a="$1" -v b="$2" -v p="$3" -v least="$4" 'BEGIN {
		n = a + b
		if (n < least) { print n " samples"; exit 1 }
		off = 5 * sqrt(p * (1 - p) / n)
		print a / n " of " n ", expected " p " +- " off
		exit !(a / n > p - off && a / n < p + off) }' || fail "not the share that it is"
}

# wait_for SECONDS COMMAND...: until the command is true. SECONDS only end a test that hangs: 60 or more, as a busy machine takes long.
wait_for() {
	local tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || fail "waited in vain for: $*"
		sleep 0.05
	done
}

# here NAME: the processes of that name that this test started: their folder is the test's own. Topics run side by side, so a
# name alone may be that of another topic's process.
here() {
	local pid found=1
	for pid in $(pgrep -x "$1"); do
		if [ "/proc/$pid/cwd" -ef . ]; then echo "$pid" && found=0; fi
	done
	return $found
}
none_here() { ! here "$1"; }

# converse ARG...: records $requests with a FIFO as its input, so that it does what it is told when it is
# told; sets recorder.
converse() {
	rm -f in
	touch out err
	mkfifo in
	# shellcheck disable=SC2154 # the topic's
	"$GOTRACE" record "$@" -o trace -- "$requests" <in >>out 2>>err &
	# shellcheck disable=SC2034
	recorder=$!
	exec 3>in
}
say() { # LINE: and waits until it is done
	local before
	before=$(grep -c '^done' out || true)
	echo "$1" >&3
	wait_for 60 eval "[ \$(grep -c ^done out) -gt $before ]"
}

# csv_calls TRACE FUNCTION: how often it was called, 0 when it is not there.
csv_calls() {
	gt report "$1" --by=function --format=csv |
		awk -F, -v f="$2" '$1 == f || $1 == "\"" f "\"" { n = $2 } END { print n + 0 }'
}

# calls_come TRACE FUNCTION [N]: waits until a trace that is being recorded has so many calls (1).
calls_come() {
	wait_for 60 eval "[ \"\$(csv_calls '$1' '$2' 2>/dev/null)\" -ge ${3:-1} ]"
}

# begun JOB: does that gotrace record, with all probes and stubs in place? Its trace is there before. Its first thread waits for three
# descriptors then, and never before (collect_until_end in core/attach/recording.c); 7 is poll.
begun() { [[ $(cat "/proc/$1/syscall" 2>/dev/null) =~ ^7\ 0x[0-9a-f]+\ 0x3\  ]]; }

# page_moved: did `trace` lose an event because the kernel was just moving a goroutine's page?
# It says so then, and the slower the machine the likelier that is: not what exact counts are
# about; such a test goes again, twice at most.
page_moved() {
	gt info trace >told 2>/dev/null && [ "$(awk '$1 == "end.dropped_fault" { print $2 }' told)" -gt 0 ]
}
# held_up: did a thread not get a processor for so long, in the middle of writing an event, that
# others' events were written first? The trace has marked the calls that this touches.
held_up() {
	gt info trace >told 2>/dev/null && [ "$(awk '$1 == "end.ring_late" { n = $2 } END { print n + 0 }' told)" -gt 0 ]
}

# since MINOR WHAT: only with programs built by Go 1.MINOR or newer.
since() {
	[ -n "$go_minor" ] || fail "which Go this is cannot be told"
	[ "$go_minor" -ge "$1" ] || skip "before Go 1.$1 $2"
}

# has_these_names PROGRAM VARIANT: are its functions called what it prints? Instances are added up
# by ci/regress/cell.sh; but for noinline, the symbols tell what is not there.
has_these_names() {
	case "$1 $2" in
	methods\ *) since 21 "instances of a generic function are called otherwise" ;;
	goexit\ noinline) since 22 "a deferred call's wrapper is none of the program's functions" ;;
	esac
}

# symbols_of PROGRAM: what go tool nm says of it, into the file symbols. It is asked once: it takes a second.
symbols_of() {
	local kept
	kept=$LIVE/t/nm${1//\//.}
	mkdir -p "$LIVE/t"
	(
		flock 9
		[ -s "$kept" ] || { go tool nm "$1" >"$kept.new" && mv "$kept.new" "$kept"; }
	) 9>"$kept.lock" && cp "$kept" symbols
}

# compare_counts PRINTED CSV [SYMBOLS]: the program's own counts against the report's. Recordings of it need --max-cost=off: a busy
# machine decides which functions are released.
compare_counts() { "$TOP/fixtures/traces/counts.sh" "$@"; }

# times_of FILE: time_nanos and duration_nanos of a profile.
times_of() {
	zcat "$1" | python3 -c '
import sys
bytes, at, found = sys.stdin.buffer.read(), 0, {}
def number():
    global at
    n = shift = 0
    while True:
        n |= (bytes[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if bytes[at - 1] < 128:
            return n
while at < len(bytes):
    key = number()
    value = number()
    if key & 7 == 2:
        at += value
    else:
        found[key >> 3] = value
print(found[9], found[10])'
}
