#!/bin/bash
# Unit tests, recorded traces replayed and live tests as root in a VM, once for each kernel.
#
#   ci/test-vm.sh [KERNEL...]     names of ci/kernels, or the path of a vmlinuz; default: those
#                                 that have the use test-vm there
#
# $GOTRACE: the command to test (build/gotrace). $TESTS: unit tests ($O/test/*/*_test). $O: where
# downloads, programs and logs are kept (build), as $O/vm/test-KERNEL.log and .console. $TOPICS: files
# of ci/live without .sh, replay for fixtures/traces/replay.sh and unit; $ONLY: a regular expression of
# the live tests' names; default: all of them, with full preemption those that count. $SECONDS_MAX:
# when to give up a VM (3600).
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
here=$top/ci/vm
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
mkdir -p "${O:-$top/build}/vm"
vm=$(cd "${O:-$top/build}/vm" && pwd)
[ $# -gt 0 ] || mapfile -t kernels < <("$here/kernel.sh" --list test-vm)
[ $# = 0 ] || kernels=("$@")
counting_topics='doctor counts situations attach user'
all_topics=unit\ replay
for topic in "$here"/../live/*.sh; do
	topic=$(basename "$topic" .sh)
	[ "$topic" = lib ] || all_topics+=" $topic"
done
[ -x "$GOTRACE" ] || { echo "test-vm.sh: $GOTRACE is missing; run make first" >&2; exit 1; }
read -r -a tests <<<"${TESTS:-$(echo "${O:-$top/build}"/test/*/*_test)}"
read -r -a tests <<<"${tests[*]//*\/pprof_test/}" # asks Go's pprof, and there is no Go
[ -x "${tests[0]}" ] || { echo "test-vm.sh: ${tests[0]} is missing; run make unit first" >&2; exit 1; }
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin

# What the VM runs is built here, and only when its source or the toolchain changed.
programs() {
	local stamp
	stamp=$(cd "$top" && { go version; find ci/vm/initramfs.sh ci/test-vm.sh fixtures/programs fixtures/binaries experiments/workloads \
		experiments/springboard-safety/{strike,meddle}.c -type f -print0 |
		sort -z | xargs -0 sha256sum; } | sha256sum)
	[ "$stamp" != "$(cat "$vm/programs.stamp" 2>/dev/null)" ] || return 0
	rm -rf "$vm/built" "$vm/programs.cpio" "$vm/programs.stamp"
	"$top/fixtures/programs/build.sh" "$vm/built/programs" &&
		"$top/fixtures/binaries/build.sh" "$vm/built/binaries" &&
		"$top/experiments/workloads/build.sh" "$vm/built/workloads" ants &&
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
scripts() { # TOPICS
	local root=$vm/scripts
	rm -rf "$root"
	mkdir -p "$root/top/experiments" "$root/top/core/export/sqlite"
	cp "$top/core/export/sqlite/SQLITE.md" "$root/top/core/export/sqlite/" # its queries are tried
	cp "$here/run" "$root/run"
	cp -r "$top/ci" "$top/fixtures" "$root/top/"
	cp -r "$top/experiments/springboard-safety" "$root/top/experiments/"
	printf 'choice_topics=%q\nchoice_only=%q\n' \
		"$1" "${ONLY:-}" >"$root/top/choice"
	"$here/initramfs.sh" --folder "$root" "$vm/scripts.cpio" /payload
}
programs >"$vm/programs.log" 2>&1 || { cat "$vm/programs.log"; echo "test-vm.sh: the programs cannot be built"; exit 1; }
"$here/initramfs.sh" "$vm/base.cpio" "$GOTRACE" "${tests[@]}" || exit 1

boot=
trap '[ -z "$boot" ] || kill "$boot"; exit 143' INT TERM
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
for kernel in "${kernels[@]}"; do
	start=$(date +%s)
	name=$(basename "$kernel")
	out=$vm/test-$name
	option=() topics=$all_topics
	[ "${kernel%-full}" = "$kernel" ] || option=(preempt=full) topics=$counting_topics
	scripts "${TOPICS:-$topics}" || exit 1
	image=$("$here/kernel.sh" "$vm/kernels" "$kernel") || { not_ok "kernel $kernel: there is none"; continue; }
	cat "$vm/base.cpio" "$vm/scripts.cpio" "$vm/programs.cpio" >"$vm/initramfs.cpio"
	printf '\n== kernel %s\n' "$kernel"
	"$here/boot.sh" "$image" "$vm/initramfs.cpio" "$out" "${SECONDS_MAX:-3600}" "${option[@]}" >"$out.verdict" &
	boot=$!
	wait "$boot"
	status=$? boot=
	grep -vaE '^ok [0-9]+ - ([^#]|#[^ ])*$|^1\.\.|^[0-9]+ passed' "$out.log" # what passed is in the log
	cat "$out.verdict"

	read -r p f s < <(closing_lines "$out.log" | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
	add "$p" "$f" "$s"
	if [ $status != 0 ] && [ "$f" = 0 ]; then
		not_ok "kernel $kernel: the tests ended with status $status"
	elif [ "$p$f" = 00 ]; then
		not_ok "kernel $kernel: nothing could be tested there"
	fi
	echo "-- kernel $kernel: $p passed, $f failed, $s skipped, $(($(date +%s) - start)) s ($out.log, .console)"
done
totals
