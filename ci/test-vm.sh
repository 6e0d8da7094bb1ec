#!/bin/bash
# Unit tests, recorded traces replayed, live tests and an experiment as root in a VM, once for each kernel.
#
#   ci/test-vm.sh [KERNEL...]     names of ci/kernels, or the path of a vmlinuz; default: those
#                                 that have the use test-vm there
#
# $GOTRACE: the command to test (build/gotrace). $TESTS: unit tests ($O/test/*/*_test). $O: where
# downloads, programs and logs are kept (build), as $O/vm/test-KERNEL.log and .console. $TOPICS: what of
# ci/vm/topics; $ONLY: a regular expression of the live tests' names; default: all of them, with full preemption
# those that count. $SECONDS_TOPICS: when to begin no more topics; those not run are named, and are no
# failures. $SECONDS_MAX: when to give up a VM (3600), which is one. $VMS: how many VMs at once (1). $OVERHEAD:
# the programs of experiment-overhead (greet ants).
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
here=$top/ci/vm
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
mkdir -p "${O:-$top/build}/vm"
vm=$(cd "${O:-$top/build}/vm" && pwd)
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
# shellcheck source=times.sh
. "$top/ci/times.sh"
[ $# -gt 0 ] || mapfile -t kernels < <("$here/kernel.sh" --list test-vm)
[ $# = 0 ] || kernels=("$@")
overhead=${OVERHEAD:-greet ants}
counting_topics='doctor counts situations attach user'
# topics_of KERNEL: sets topics, in the order of ci/vm/topics, and must, those that run however late it is.
topics_of() {
	# shellcheck disable=SC2016 # it is awk's
	local read_list='/^#/ || !NF { next } { here = $3 == "" || kernel ~ "^(" $3 ")$" }'
	topics=$(awk -v kernel="$1" "$read_list"' here { printf "%s ", $1; next } { last = last $1 " " } END { printf "%s", last }' "$here/topics")
	must=$(awk -v kernel="$1" "$read_list"' here && $2 == "must" { printf "%s ", $1 }' "$here/topics")
	local topic
	for topic in "$top"/ci/live/*.sh; do
		topic=$(basename "$topic" .sh)
		[ "$topic" = lib ] || [[ " $topics" == *" $topic "* ]] || topics+="$topic "
	done
	[ "${1%-full}" = "$1" ] || topics=$counting_topics
	topics=${TOPICS:-$topics}
}
[ -x "$GOTRACE" ] || { echo "test-vm.sh: $GOTRACE is missing; run make first" >&2; exit 1; }
read -r -a tests <<<"${TESTS:-$(echo "${O:-$top/build}"/test/*/*_test)}"
read -r -a tests <<<"${tests[*]//*\/pprof_test/}" # asks Go's pprof, and there is no Go
[ -x "${tests[0]}" ] || { echo "test-vm.sh: ${tests[0]} is missing; run make unit first" >&2; exit 1; }
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin

# What the VM runs is built here, and only when its source or the toolchain changed.
programs() {
	local stamp workloads
	# shellcheck disable=SC2086 # a list of words
	workloads=$(printf '%s\n' ants $overhead | sed 's/-.*//' | sort -u | tr '\n' ' ') # ants is for live tests, too
	stamp=$(cd "$top" && { go version; echo "$workloads"; find ci/vm/initramfs.sh ci/test-vm.sh ci/programs.sh fixtures/programs fixtures/binaries experiments/workloads \
		experiments/springboard-safety/{strike,meddle}.c -type f -print0 |
		sort -z | xargs -0 sha256sum; } | sha256sum)
	[ "$stamp" != "$(cat "$vm/programs.stamp" 2>/dev/null)" ] || return 0
	rm -rf "$vm/built" "$vm/programs.cpio" "$vm/programs.stamp"
	# shellcheck disable=SC2086 # a list of words
	"$top/ci/programs.sh" "$vm/built" $workloads &&
		"$top/fixtures/binaries/build.sh" "${O:-$top/build}/binaries" && cp -a "${O:-$top/build}/binaries" "$vm/built/" &&
		"${CC:-cc}" -O2 -D_GNU_SOURCE -static -o "$vm/built/strike" "$top/experiments/springboard-safety/strike.c" &&
		"${CC:-cc}" -O2 -D_GNU_SOURCE -static -I"$top/core" -o "$vm/built/meddle" "$top/experiments/springboard-safety/meddle.c" || return
	# There is no Go in the VM; ci/vm/go shows these.
	mkdir -p "$vm/built/goroot/bin" && cp "$(go env GOROOT)"/bin/go{,fmt} "$vm/built/goroot/bin/" || return
	for binary in "$vm"/built/programs/{default,noinline}/*; do
		go tool nm "$binary" >"$binary.nm" || return
	done
	"$here/initramfs.sh" --folder "$vm/built" "$vm/programs.cpio" /payload/built &&
		echo "$stamp" >"$vm/programs.stamp"
}
scripts() { # OUT.cpio: with topics and must
	local root=$1.d
	rm -rf "$root"
	mkdir -p "$root/top/experiments" "$root/top/core/export/sqlite" "$root/top/paper"
	cp "$top/core/export/sqlite/SQLITE.md" "$root/top/core/export/sqlite/" # its queries are tried
	cp "$here/run" "$root/run"
	cp -r "$top/ci" "$top/fixtures" "$root/top/"
	cp "$top/paper/thesis.csv" "$root/top/paper/"
	cp -r "$top"/experiments/{springboard-safety,overhead,stats,workloads,*.sh,*.awk} "$root/top/experiments/"
	# A trial's times say nothing: it does not wait three minutes for links to be released.
	mkdir -p "$root/top/experiments/attach-scale" && echo 'links_released() { :; }' >"$root/top/experiments/attach-scale/released.sh" || return
	cp "$here/workloads" "$root/top/experiments/workloads/build.sh"
	# busybox's shell takes its own awk and realpath, whatever there is in PATH.
	find "$root/top/experiments" -name '*.sh' -exec sed -i '1s,^#!/bin/sh$,#!/bin/bash,' {} +
	# What the experiment would compile there, for ci/vm/cc.
	mkdir "$root/compiled"
	# shellcheck source=../experiments/rounds.sh
	(. "$top/experiments/rounds.sh" && build_stats "$root/compiled") || return
	"${CC:-cc}" -O2 -o "$root/compiled/wall" "$top/experiments/overhead/wall.c" || return
	printf 'choice_topics=%q\nchoice_must=%q\nchoice_only=%q\nchoice_seconds=%q\nchoice_overhead=%q\nchoice_all=%q\n' \
		"$topics" "$must" "${ONLY:-}" "${SECONDS_TOPICS:-}" "$overhead" "${LIVE_ALL:-}" >"$root/top/choice"
	"$here/initramfs.sh" --folder "$root" "$1" /payload || return
	rm -rf "$root"
}
# unexpected KERNEL LOG: the skipped tests that ci/vm/skips does not list.
unexpected() {
	grep -a '^ok .* # SKIP ' "$2" | awk -v kernel="$1" '
		FNR == NR { if (!/^#/ && NF && (kernel ~ "^(" $1 ")$")) { sub(/^[^ ]+ +/, ""); listed[++n] = $0 } next }
		{ reason = $0; sub(/^.* # SKIP /, "", reason); for (i = 1; i <= n; i++) if (reason ~ "^(" listed[i] ")$") next; print }' "$here/skips" -
}
# The experiment whose rows are in a log, if they are, is derived here, and whole.
experiment() { # LOG OUT
	grep -qa '^vm: tar ' "$1" || return 0
	rm -rf "$2"
	mkdir -p "$2"
	sed -n 's/^vm: tar //p' "$1" | base64 -d | tar -C "$2" -xz
	# shellcheck disable=SC2086 # a list of words
	"$top/ci/overhead-shape.sh" "$2" $overhead
}
# topic_times NAME LOG: seconds of each topic, by the VM's clock.
topic_times() {
	sed -n 's/^vm: took \([^ ]*\) \([0-9]*\) s, \([0-9]*\) tests$/\1 \2 \3/p' "$2" | while read -r topic seconds tests; do
		time_row "$1/$topic" "$seconds" "$tests"
	done
}
# one KERNEL: boots it and says what came of it; the last line is that of totals.
one() {
	local name out option=() topics must start image status line p f s boot
	start=$(date +%s) name=$(basename "$1")
	out=$vm/test-$name
	[ "${1%-full}" = "$1" ] || option=(preempt=full)
	topics_of "$name"
	printf '\n== kernel %s\n' "$1"
	image=$("$here/kernel.sh" "$vm/kernels" "$1") || { not_ok "kernel $1: there is none"; totals; return; }
	scripts "$out.scripts.cpio" || { not_ok "kernel $1: what runs in the VM cannot be made"; totals; return; }
	cat "$vm/base.cpio" "$out.scripts.cpio" "$vm/programs.cpio" >"$out.cpio"
	"$here/boot.sh" "$image" "$out.cpio" "$out" "${SECONDS_MAX:-3600}" "${option[@]}" >"$out.verdict" &
	boot=$!
	trap 'kill "$boot"; exit 143' INT TERM
	wait "$boot"
	status=$?
	trap - INT TERM
	rm -f "$out.cpio" "$out.scripts.cpio"
	grep -vaE '^ok [0-9]+ - ([^#]|#[^ ])*$|^1\.\.|^[0-9]+ passed|^vm: (tar|not run:|took) ' "$out.log" # what passed is in the log
	cat "$out.verdict"

	read -r p f s < <(closing_lines "$out.log" | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
	add "$p" "$f" "$s"
	if [ $status != 0 ] && [ "$f" = 0 ]; then
		not_ok "kernel $1: the tests ended with status $status"
	elif [ "$p$f" = 00 ]; then
		not_ok "kernel $1: nothing could be tested there"
	fi
	while IFS= read -r line; do not_ok "kernel $1: ci/vm/skips does not list this: $line"; done < <(unexpected "$name" "$out.log")
	experiment "$out.log" "$out.overhead" >"$out.shape" 2>&1
	cat "$out.shape"
	read -r p f s < <(closing_lines "$out.shape" | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
	add "$p" "$f" "$s"
	topic_times "$name" "$out.log"
	echo "-- kernel $1: $passed passed, $failed failed, $skipped skipped, $(($(date +%s) - start)) s ($out.log, .console)"
	line=$(sed -n 's/^vm: not run: //p' "$out.log" | tr '\n' ' ')
	[ -z "$line" ] || echo "-- kernel $1: not run, later than ${SECONDS_TOPICS:-} s: ${line% }"
	totals
}
programs >"$vm/programs.log" 2>&1 || { cat "$vm/programs.log"; echo "test-vm.sh: the programs cannot be built"; exit 1; }
"$here/initramfs.sh" "$vm/base.cpio" "$GOTRACE" "${tests[@]}" || exit 1

running=()
trap 'kill "${running[@]}" 2>/dev/null; exit 143' INT TERM
# What the oldest said, when it has ended; its numbers are added, its last line is not shown.
report_of() { # NAME
	wait "${running[0]}"
	add_script "$vm/test-$1.report" $?
	sed '$d' "$vm/test-$1.report"
	running=("${running[@]:1}")
}
waiting=()
for kernel in "${kernels[@]}"; do
	name=$(basename "$kernel")
	one "$kernel" >"$vm/test-$name.report" 2>&1 &
	running+=($!) waiting+=("$name")
	[ ${#running[@]} -lt "${VMS:-1}" ] || { report_of "${waiting[0]}"; waiting=("${waiting[@]:1}"); }
done
for name in "${waiting[@]}"; do report_of "$name"; done
totals
