#!/bin/bash
# As whom the command runs, whose the trace is, and what is said without rights.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
identity=$LIVE/programs/default/identity
nobody_uid=$(id -u nobody) nobody_gid=$(id -g nobody)

as_nobody() { setpriv --reuid="$nobody_uid" --regid="$nobody_gid" --clear-groups "$@"; }

own_folder() { mkdir -p mine && chown "$nobody_uid:$nobody_gid" mine && cd mine; }

# Copies what a normal user must be able to run to where one can.
public_gotrace() { install -m 755 "$GOTRACE" "$LIVE/gotrace-public"; echo "$LIVE/gotrace-public"; }

unprivileged() {
	local gotrace
	gotrace=$(public_gotrace)
	own_folder
	expect_status 125 as_nobody "$gotrace" record -o trace -- "$identity" >../out 2>../err
	[ ! -s ../out ] || fail "the command ran"
	[ "$(wc -l <../err)" = 1 ] || { cat ../err; fail "not one line"; }
	expect_grep 'CAP_|root|sudo' ../err
}
check "without privileges: one line, status 125" unprivileged

plan_unprivileged() {
	local gotrace
	gotrace=$(public_gotrace)
	as_nobody "$gotrace" plan --list "$identity" >planned
	expect_grep 'main\.describe' planned
}
check "plan needs no privileges" plan_unprivileged

# What sudo leaves behind of the invoking user.
like_sudo() {
	env SUDO_UID="$nobody_uid" SUDO_GID="$nobody_gid" SUDO_USER=nobody "$@"
}
under_sudo() {
	own_folder
	like_sudo timeout 60 "$GOTRACE" record --max-cost=off -o trace -- "$identity" >../printed 2>../err
	expect_grep "^uid $nobody_uid gid $nobody_gid " ../printed
	expect_grep "USER=nobody" ../printed
	expect_grep "HOME=$(getent passwd nobody | cut -d: -f6) " ../printed
	[ "$(stat -c '%u %a' trace)" = "$nobody_uid 600" ] || fail "trace: $(stat -c '%u %a' trace)"
	gt report trace --format=csv >../report.csv
	compare_counts ../printed ../report.csv
}
check "under sudo the command and the trace are the invoking user's" under_sudo

under_sudo_root() {
	own_folder
	like_sudo timeout 60 "$GOTRACE" record --user root -o trace -- "$identity" >../printed
	expect_grep '^uid 0 gid 0 ' ../printed
	[ "$(stat -c '%u %a' trace)" = "$nobody_uid 600" ] || fail "trace: $(stat -c '%u %a' trace)"
}
check "--user root under sudo: the command is root's, the trace the caller's" under_sudo_root

user_option() {
	gt record --user nobody -o trace -- "$identity" >printed
	expect_grep "^uid $nobody_uid gid $nobody_gid " printed
	[ "$(stat -c '%u %a' trace)" = "0 600" ] || fail "trace: $(stat -c '%u %a' trace)"
}
check "--user nobody: the command is theirs, the trace the caller's" user_option

not_their_file() { # the trace is opened with the rights of the invoking user
	mkdir -m 700 rootonly
	expect_status 125 like_sudo timeout 60 "$GOTRACE" record -o rootonly/trace -- "$identity" >out 2>err
	[ ! -s out ] || fail "the command ran"
	[ ! -e rootonly/trace ] || fail "the trace was written where the user may not"
	expect_grep 'permission denied' err
}
check "under sudo no trace where the invoking user may not write" not_their_file

# sudo may keep variables (env_keep): whatever they name is made, read and run with the rights of the user who called it.
kept_variables() {
	local secret=$PWD/secret
	mkdir -m 700 secret
	own_folder
	mkdir fake && cp "$identity" fake/identity && cp "$(command -v id)" fake/less && chmod 755 fake/*
	like_sudo PATH="$PWD/fake:$PATH" GOTRACE_RING_IMAGE="$secret/rings" "$GOTRACE" record --max-cost=off --probe=inline -o trace -- identity >../printed 2>../err
	expect_grep "^uid $nobody_uid " ../printed
	expect_grep "$secret/rings: no image of the rings can be written: Permission denied" ../err
	like_sudo GOTRACE_RING_IMAGE="$PWD/rings" "$GOTRACE" record --max-cost=off --probe=inline -o trace -- "$identity" >../printed 2>../err
	[ "$(stat -c %u rings)" = "$nobody_uid" ] || fail "the image of the rings is of user $(stat -c %u rings)"
	echo --user=root >"$secret/options"
	expect_status 2 like_sudo GOTRACE_OPTIONS="@$secret/options" "$GOTRACE" record -o trace -- "$identity" >../printed 2>../err
	expect_grep 'Permission denied' ../err
	expect_status 1 like_sudo TMPDIR="$secret" "$GOTRACE" export -F sqlite -o x.db trace 2>../err
	expect_grep 'Permission denied' ../err
	[ "$(ls "$secret")" = options ] || fail "in root's folder: $(ls "$secret")"
	command -v script >/dev/null || return 0
	like_sudo GOTRACE_PAGER='id -u >pager; cat' script -qec "'$GOTRACE' report trace" /dev/null >../paged
	[ "$(cat pager)" = "$nobody_uid" ] || fail "the pager is of user $(cat pager)"
}
check "variables that sudo keeps" kept_variables

# libdebuginfod keeps files where a variable says, and reads file:// addresses.
kept_servers() {
	local secret=$PWD/secret served=$PWD/served id
	ldconfig -p | grep -q libdebuginfod.so.1 || skip "libdebuginfod is not installed"
	command -v cc >/dev/null && command -v objcopy >/dev/null || skip "needs a C compiler"
	cc -g -O2 -fno-omit-frame-pointer -Wl,--build-id -o native "$TOP/fixtures/native/shares.c" || skip "cc cannot build it"
	id=$(readelf -n native | awk '/Build ID/ { print $3 }')
	mkdir -p "secret/served/buildid/$id" served
	objcopy --only-keep-debug native "secret/served/buildid/$id/debuginfo"
	cp -r secret/served/buildid served
	strip native
	chmod 700 secret
	own_folder
	# Root's folder as the cache, and root's files as those of a server.
	like_sudo DEBUGINFOD_URLS="file://$served" DEBUGINFOD_CACHE_PATH="$secret/cache" "$GOTRACE" sample -F 499 -o trace -- ../native 1 >../out 2>../err
	expect_grep 'was not fetched' ../err
	[ "$(ls "$secret")" = served ] || fail "in root's folder: $(ls "$secret")"
	like_sudo DEBUGINFOD_URLS="file://$secret/served" DEBUGINFOD_CACHE_PATH="$PWD/cache" "$GOTRACE" sample -F 499 -o trace -- ../native 1 >../out 2>../err
	! grep 'was fetched' ../err || fail "root's file was read"
	rm -rf cache
	like_sudo DEBUGINFOD_URLS="file://$served" DEBUGINFOD_CACHE_PATH="$PWD/cache" "$GOTRACE" sample -F 499 -o trace -- ../native 1 >../out 2>../err
	expect_grep 'was fetched' ../err
	[ "$(stat -c %u cache)" = "$nobody_uid" ] || fail "the cache is of user $(stat -c %u cache)"
}
check "servers of debug files that sudo keeps" kept_servers

execute_only() { # its names are not shown to who may only execute it
	install -m 711 "$identity" program
	own_folder
	expect_status 125 like_sudo timeout 60 "$GOTRACE" record -o trace -- ../program >../out 2>../err
	[ ! -s ../out ] || fail "the command ran"
	expect_grep 'program: cannot be opened: permission denied' ../err
	expect_status 0 like_sudo timeout 60 "$GOTRACE" record --user root -o trace -- ../program >../out
	expect_status 1 like_sudo timeout 60 "$GOTRACE" plan --list ../program >../out 2>../err
	[ ! -s ../out ] || fail "plan names its functions"
	expect_grep 'program: permission denied' ../err
	expect_status 125 like_sudo timeout 60 "$GOTRACE" sample -o samples -- ../program >../out 2>../err
	[ ! -s ../out ] || fail "the command ran to be sampled"
	expect_grep 'program: cannot be opened: permission denied' ../err
}
execute_only_running() { # of root's, so the user could not read it as the process has it either
	local target verb
	install -m 711 "$LIVE/programs/default/ticker" program
	own_folder
	../program 600s >../printed &
	target=$!
	for verb in record sample; do
		expect_status 125 like_sudo timeout 60 "$GOTRACE" $verb -d 1 -o $verb.trace --pid $target 2>../err
		expect_grep 'process [0-9]+: .*may not read.* sudo env -u SUDO_UID gotrace' ../err
		[ "$(wc -l <../err)" = 1 ] || { cat ../err; fail "not one line"; }
		[ ! -e $verb.trace ] || fail "there is a trace"
		expect_status 0 gt $verb -d 1 -o "../$verb.trace" --pid $target # root, and nobody called sudo
	done
	kill $target
	# What the user may read is traced, whoever it belongs to.
	chmod 755 ../program
	../program 600s >../printed &
	target=$!
	expect_status 0 like_sudo timeout 60 "$GOTRACE" record -d 1 -o readable --pid $target
	expect_status 0 like_sudo timeout 60 "$GOTRACE" sample -d 1 -o readable --pid $target
	kill $target
}
check "under sudo a binary that the user may only execute is not read" execute_only
check "under sudo a running binary that the user may only execute is not read" execute_only_running

real_sudo() {
	command -v sudo >/dev/null || skip "sudo is not installed"
	# root calls sudo: the invoking user is root, nothing may change.
	sudo -n true || skip "sudo does not work here"
	sudo -n "$GOTRACE" record -o trace -- "$identity" | cat >printed
	expect_grep '^uid 0 ' printed
}
check "real sudo, called by root" real_sudo

real_sudo_of_a_user() { # who may call it: in a private view of /etc, where the rule is
	local gotrace
	command -v sudo >/dev/null || skip "sudo is not installed"
	gotrace=$(public_gotrace)
	mkdir rules
	echo "nobody ALL=(root) NOPASSWD: $gotrace" >rules/nobody
	chmod 440 rules/nobody
	install -m 711 "$identity" program
	own_folder
	needs_namespace unshare --mount mount --bind ../rules /etc/sudoers.d
	in_user() {
		# shellcheck disable=SC2016 # of the inner shell
		unshare --mount sh -c 'mount --bind ../rules /etc/sudoers.d && exec "$@"' - \
			setpriv --reuid="$nobody_uid" --regid="$nobody_gid" --clear-groups sudo -n "$gotrace" "$@"
	}
	expect_status 0 in_user record -o trace -- "$identity" >../printed 2>../err
	expect_grep "^uid $nobody_uid gid $nobody_gid " ../printed
	[ "$(stat -c '%u %a' trace)" = "$nobody_uid 600" ] || fail "trace: $(stat -c '%u %a' trace)"
	expect_status 125 in_user record -o other -- ../program >../out 2>../err
	expect_grep 'program: cannot be opened: permission denied' ../err
	expect_status 1 in_user plan --list ../program >../out 2>../err
	[ ! -s ../out ] || fail "plan names its functions"
}
check "real sudo, called by an ordinary user" real_sudo_of_a_user

# What doctor advises: a gotrace that any user may run.
file_capabilities() {
	local gotrace=$LIVE/gotrace-capable
	command -v setcap >/dev/null || skip "setcap is not installed"
	gt doctor >said
	grep -q '^yes *uprobe_multi' said || skip "without uprobe_multi links CAP_SYS_ADMIN is needed"
	install -m 755 "$GOTRACE" "$gotrace"
	setcap cap_bpf,cap_perfmon+ep "$gotrace" || skip "this file system has no capabilities"
	own_folder
	expect_status 0 as_nobody "$gotrace" record --max-cost=off -o trace -- "$LIVE/programs/default/ticker" 1s >../printed
	gt report trace --format=csv >../report.csv
	compare_counts ../printed ../report.csv
	! gt info trace | grep -q 'ptrace is refused' || fail "the command could not be held at its exec"
}
check "a gotrace with file capabilities, run by an ordinary user" file_capabilities

done_testing
