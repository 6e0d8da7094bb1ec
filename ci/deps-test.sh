# Tests of ci/deps.sh, with commands that only look like the system's; sourced by scripts-test.sh.
# shellcheck shell=bash disable=SC2154,SC2015 # work is that script's

# Packages are installed once another package manager has let go of its lock.
# It holds the lock until ci/deps.sh says that it waits, or to its end.
lock_is_waited_for() { # HELD: until-said, to-the-end or not; SECONDS-WAITED LOCK
	local name
	mkdir -p "$work/system"
	for name in apt-cache dpkg-query tee; do printf '#!/bin/sh\n' >"$work/system/$name"; done
	echo 'echo Package: clang' >>"$work/system/apt-cache"
	printf '#!/bin/sh\necho 0\n' >"$work/system/id"
	cat >"$work/system/apt-get" <<-END
		#!/bin/sh
		[ -z "\$BROKEN" ] || { echo "E: \$BROKEN" >&2; exit 100; }
		case " \$* " in *' update '*) lock=$work/lists.lock ;; *) lock=$work/dpkg.lock ;; esac
		flock -n "\$lock" echo "\$*" >>"$work/got" && exit
		echo "E: Could not get lock \$lock. It is held by process 1 (apt-get)" >&2
		exit 100
	END
	chmod +x "$work"/system/*
	rm -f "$work/got" "$work/system/held" "$work/system/ended"
	: >"$work/said"
	if [ "$1" != not ]; then
		# shellcheck disable=SC2016 # the holder's
		flock "$work/$3.lock" sh -c 'touch "$1/system/held"
			for _ in $(seq 1200); do
				[ ! -e "$1/system/ended" ] || exit 0
				[ "$2" = to-the-end ] || ! grep -q waiting "$1/said" || exit 0
				sleep 0.05
			done' sh "$work" "$1" &
		until [ -e "$work/system/held" ]; do sleep 0.05; done
	fi
	local status=0
	PATH=$work/system:$PATH DEPS_WAIT=$2 ci/deps.sh fresh >"$work/out" 2>"$work/said" || status=$?
	touch "$work/system/ended"
	wait
	return $status
}
locks() {
	local lock
	for lock in lists dpkg; do
		lock_is_waited_for until-said 60 $lock || fail "$lock: $(cat "$work/said")"
		echo 'ci/deps.sh: waiting for another package manager, up to 60 seconds' | diff - "$work/said" || fail "$lock: not said, once"
		grep -q 'update$' "$work/got" && grep -q 'install debootstrap ' "$work/got" || fail "$lock: $(cat "$work/got")"
		! lock_is_waited_for to-the-end 1 $lock || fail "$lock: it does not end"
		grep -q "Could not get lock .*/$lock.lock" "$work/said" || fail "$lock: not said why: $(cat "$work/said")"
	done
	! BROKEN='Unable to fetch' lock_is_waited_for not 20 none && grep -qx 'E: Unable to fetch' "$work/said" || fail "another error: $(cat "$work/said")"
	! grep waiting "$work/said" || fail "another error is waited for"
}
# With NODEPS=1 nothing is installed, and a header that is missing is named with its package, in one line before make's own.
headers() {
	ci/deps.sh --check build test >"$work/said" 2>&1 && [ ! -s "$work/said" ] || fail "of this machine, which has built it: $(cat "$work/said")"
	! CC='gcc -nostdinc' ci/deps.sh --check test 2>"$work/said" || fail "without any header"
	echo 'ci/deps.sh: missing: cmocka.h (libcmocka-dev); run: ci/deps.sh test' | diff - "$work/said" || fail "not said of tests"
	! make --no-print-directory NODEPS=1 O="$work/bare" CC='gcc -nostdinc' "$work/bare/obj/core/report/text_test.o" >"$work/said" 2>&1 || fail "it builds"
	[ "$(wc -l <"$work/said")" = 2 ] && grep -q '^ci/deps.sh: missing: bpf/libbpf.h (libbpf-dev), .*, linux/bpf.h (linux-libc-dev); run: ci/deps.sh build$' "$work/said" ||
		fail "not said by make: $(cat "$work/said")"
	mkdir "$work/none" && ln -s "$(command -v gcc)" "$(command -v sed)" "$(command -v paste)" "$work/none"
	! PATH=$work/none /bin/sh ci/deps.sh --check build 2>"$work/said" || fail "without clang"
	grep -q 'clang (clang)' "$work/said" || fail "not said of clang: $(cat "$work/said")"
}
try "without NODEPS's packages it is said which, in one line" headers
if command -v flock >/dev/null; then try "packages are installed when another package manager is done" locks
else skip "packages are installed when another package manager is done" 'no flock'; fi
