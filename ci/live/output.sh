#!/bin/bash
# Files that gotrace writes where several users may: whose rights, whose file, which links.
# serial: changes fs.protected_symlinks of the machine
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
program=$LIVE/programs/default/plain
install -m 755 "$GOTRACE" "$LIVE/gotrace-public"
links=/proc/sys/fs/protected_symlinks
links_were=$(cat $links)
trap 'echo "$links_were" >$links' EXIT
echo 1 >$links # as systemd sets it everywhere

me=nobody other=daemon
as() { # USER COMMAND...
	local user=$1
	shift
	setpriv --reuid="$(id -u "$user")" --regid="$(id -g "$user")" --clear-groups "$@"
}
# What sudo leaves behind of the invoking user.
like_sudo() { env SUDO_UID="$(id -u $me)" SUDO_GID="$(id -g $me)" SUDO_USER=$me "$@"; }

# A trace that all may read, a folder of each user's, and one like /tmp.
places() {
	cp "$LIVE/output.trace" trace && chmod 644 trace
	mkdir -m 755 mine theirs && chown $me mine && chown $other theirs
	mkdir -m 1777 shared
	echo precious >mine/file && chown $me mine/file
	mkdir -m 700 roots && echo precious >roots/file
}
gt record -o "$LIVE/output.trace" -- "$program" >/dev/null || exit 1

# export_as HOW -o FILE: `me` exports, as themselves or with sudo.
export_as() {
	local how=$1
	shift
	$how timeout 60 "$LIVE/gotrace-public" export -F folded --weight=calls "$@" trace
}
by_me() { as $me "$@"; }

others_link() { # HOW: another user laid a link in a sticky folder to a file of mine
	places
	as $other ln -s "$PWD/mine/file" shared/x
	expect_status 1 export_as "$1" -o shared/x 2>err
	expect_grep 'shared/x: cannot be written: permission denied' err
	[ "$(cat mine/file)" = precious ] || fail "the file was replaced through another user's link"
}
check "export follows no link of another user's in a sticky folder" others_link by_me
check "... nor under sudo" others_link like_sudo

roots_file() { # another user's link to what only root may write
	places
	as $other ln -s "$PWD/roots/file" shared/x
	expect_status 1 export_as like_sudo -o shared/x 2>err
	expect_status 1 export_as like_sudo -o roots/file 2>err2
	expect_status 1 export_as like_sudo -o roots/new 2>err3
	expect_grep 'permission denied' err2
	expect_grep 'permission denied' err3
	[ "$(cat roots/file)" = precious ] || fail "root's file was replaced"
	[ "$(ls -A roots)" = file ] || fail "left in root's folder: $(ls -A roots)"
}
check "under sudo export writes nothing that the invoking user may not" roots_file

whose() {
	places
	umask 022
	export_as like_sudo -o mine/new
	[ "$(stat -c '%U %a' mine/new)" = "$me 644" ] || fail "mine/new: $(stat -c '%U %a' mine/new)"
	export_as like_sudo -o mine/file
	[ "$(stat -c '%U' mine/file)" = $me ] || fail "mine/file is $(stat -c %U mine/file)'s"
	grep -q 'main.outer' mine/file || fail "mine/file was not written"
}
check "under sudo what export writes is the invoking user's" whose

own_link() {
	places
	as $me ln -s "$PWD/mine/file" shared/x
	export_as by_me -o shared/x
	[ -L shared/x ] || fail "the link was replaced"
	grep -q 'main.outer' mine/file || fail "the file behind the link was not written"
}
check "export follows one's own link" own_link

nowhere() {
	places
	as $me ln -s "$PWD/mine/none" mine/link
	expect_status 1 export_as by_me -o mine/link 2>err
	expect_grep 'a link to a file that does not exist' err
	[ -L mine/link ] && [ ! -e mine/none ] || fail "something was written"
}
check "a link that leads nowhere is refused" nowhere

others_file() { # in a sticky folder a file of another user's stays
	places
	as $other sh -c 'echo precious >shared/x; chmod 666 shared/x'
	expect_status 1 export_as "$1" -o shared/x 2>err
	[ "$(cat shared/x)" = precious ] || fail "another user's file was replaced"
	[ "$(ls -A shared)" = x ] || fail "left behind: $(ls -A shared)"
}
check "export replaces no file of another user's in a sticky folder" others_file by_me
check "... nor under sudo" others_file like_sudo

record_and_view() {
	places
	as $other ln -s "$PWD/roots/new" shared/x
	as $other ln -s "$PWD/mine/file" shared/y
	expect_status 125 like_sudo timeout 60 "$GOTRACE" record -o shared/x -- "$program" >out 2>err
	expect_status 125 like_sudo timeout 60 "$GOTRACE" record -o shared/y -- "$program" >out 2>err
	[ ! -e roots/new ] && [ "$(cat mine/file)" = precious ] || fail "record wrote through a link"
	page=$(like_sudo "$LIVE/gotrace-public" view trace)
	[ "$(stat -c '%U %a' "$page")" = "$me 600" ] || fail "$page: $(stat -c '%U %a' "$page")"
	rm -f "$page"
}
check "record writes through no link, view's page is the invoking user's" record_and_view

done_testing
