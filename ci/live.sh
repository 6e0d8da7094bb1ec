#!/bin/bash
# The live tests: real programs traced through the real kernel. Run as root.
#
#   ci/live.sh [TOPIC...]     TOPIC: a file of ci/live without .sh; all of them without one
#
# $GOTRACE is the command to test (build/gotrace). One line a test in the form
# of TAP, then "N passed, N failed, N skipped"; status 1 when one failed.
# LIVE_KEEP=1 keeps the folder with everything the tests made, LIVE_BUILT=DIR has
# the programs built before (DIR/programs, DIR/workloads, DIR/strike, DIR/meddle), LIVE_ONLY=REGEX chooses
# tests by their names. LIVE_ALL=1 tries every way of probing in every topic, otherwise most topics have the default only, and in a VM all.
# LIVE_JOBS=2 topics run at once, but for those with a line "# serial: WHY", which run last and alone.
set -u
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
# Started behind `&` or nohup these are ignored, a shell cannot take that back, and what a
# test sends to gotrace would go nowhere: the test would wait for ever.
if [ "${LIVE_SIGNALS:-}" != default ]; then
	LIVE_SIGNALS=default exec env --default-signal=HUP,INT,QUIT,TERM bash "$0" "$@"
fi
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
export GOTRACE TOP=$top

# shellcheck source=totals.sh
. "$here/totals.sh"
# shellcheck source=times.sh
. "$here/times.sh"

none() { # WHY
	not_ok "live tests: $1"
	totals
	exit
}
skip_all() { # WHY
	[ -z "${LIVE_BUILT:-}" ] || none "$1" # in a VM there is nothing else to run them
	skip 'live tests' "$1"
	totals
	exit
}
[ -x "$GOTRACE" ] || none "$GOTRACE is missing; run make first"
[ "$(id -u)" = 0 ] || skip_all "not root; run: sudo make live"
[ -e /sys/bus/event_source/devices/uprobe ] || skip_all "this kernel has no uprobes"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
PATH=$PATH:/usr/sbin:/sbin # an ordinary user's, kept by sudo, has no setcap
command -v go >/dev/null || skip_all "no Go toolchain; run: ci/deps.sh go"
LIVE_BUILT=${LIVE_BUILT:+$(realpath "$LIVE_BUILT")}

LIVE=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-live.XXXXXX") || exit 1
export LIVE
[ "${LIVE_KEEP:-}" = 1 ] || trap 'rm -rf "$LIVE"' EXIT
chmod 755 "$LIVE"
if [ -n "$LIVE_BUILT" ]; then
	ln -s "$LIVE_BUILT/"* "$LIVE/"
elif ! "$here/programs.sh" "$LIVE" ants >"$LIVE/build.log" 2>&1; then
	sed 's/^/# /' "$LIVE/build.log"
	none "the programs to trace cannot be built"
fi

# run_topic TOPIC: its output is shown when it has ended, its totals are in $LIVE/TOPIC.totals.
run_topic() {
	local topic=$1 start=$SECONDS before status p f s
	children_time
	before=$children_seconds
	env --default-signal=HUP,INT,QUIT,TERM bash "$here/live/$topic.sh" >"$LIVE/$topic.tap" 2>&1 # behind & INT and QUIT are ignored
	status=$?
	f=$(grep -c '^not ok ' "$LIVE/$topic.tap")
	s=$(grep -c '^ok .* # SKIP ' "$LIVE/$topic.tap")
	p=$(($(grep -c '^ok ' "$LIVE/$topic.tap") - s))
	# A topic that breaks off, or tests nothing, has failed.
	if { [ "$status" != 0 ] && [ "$f" = 0 ]; } || [ $((p + f + s)) = 0 ]; then
		echo "not ok - $topic: ended early with status $status" >>"$LIVE/$topic.tap"
		f=$((f + 1))
	fi
	children_time
	time_row "$topic" $((SECONDS - start)) $((p + f + s)) $((children_seconds - before))
	flock "$LIVE" sh -c 'echo "# $1"; cat "$2"' sh "$topic" "$LIVE/$topic.tap"
	echo "$p $f $s" >"$LIVE/$topic.totals"
}
# The longest first: one that begins last runs alone.
longest='counts agent kinds sample attach-inline situations attach sample-reports names advice deaths-native release moments states deaths sample-native links process'
if [ $# = 0 ]; then
	for topic in $longest "$here"/live/*.sh; do
		topic=$(basename "$topic" .sh)
		[ "$topic" = lib ] || [[ " $* " == *" $topic "* ]] || set -- "$@" "$topic"
	done
fi
beside=() alone=()
for topic in "$@"; do
	if grep -q '^# serial: ' "$here/live/$topic.sh" 2>/dev/null; then alone+=("$topic"); else beside+=("$topic"); fi
done
jobs=${LIVE_JOBS:-2}
[ -z "$LIVE_BUILT" ] || jobs=1 # a VM's processors are emulated by one thread
for topic in "${beside[@]}"; do
	[ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
	run_topic "$topic" &
done
wait
for topic in "${alone[@]}"; do run_topic "$topic"; done
for topic in "$@"; do
	if read -r p f s 2>/dev/null <"$LIVE/$topic.totals"; then add "$p" "$f" "$s"; else not_ok "$topic: it did not end"; fi
done
totals
