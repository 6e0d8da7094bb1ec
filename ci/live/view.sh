#!/bin/bash
# gotrace view: whose file the page is, who opens it, and what is said where nobody can.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# Who called sudo may read it, also where the tree is in a folder of root.
trace=$LIVE/view.trace
install -m 644 "$TOP/fixtures/traces/panics.emulated.gotrace" "$trace"
unset DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR SUDO_UID SUDO_GID

# A browser that says who it is and what it was given.
browser() {
	mkdir -m 777 bin seen
	cat >bin/xdg-open <<END
#!/bin/sh
{ id -u; stat -c '%a %u' "\$1"; echo "\$1"; } >$PWD/seen/new
mv $PWD/seen/new $PWD/seen/opened
END
	chmod 755 bin/xdg-open
}

page_is() { # FILE MODE UID
	head -n 1 "$1" | grep -q '<!doctype html>' || fail "no page in '$1'"
	[ "$(stat -c '%a %u' "$1")" = "$2 $3" ] || fail "$(stat -c '%a %u %n' "$1"), not $2 $3"
	rm -f "$1"
}

no_display() {
	browser
	PATH=$PWD/bin:$PATH gt view "$trace" >out
	[ ! -e seen/opened ] || fail "a browser was started"
	page_is "$(cat out)" 600 "$(id -u)"
}
check "without a display the page's name is printed" no_display

display() {
	browser
	DISPLAY=:9 PATH=$PWD/bin:$PATH gt view "$trace" >out
	wait_for 60 test -e seen/opened
	[ "$(sed -n 3p seen/opened)" = "$(cat out)" ] || fail "another file was opened"
	page_is "$(cat out)" 600 "$(id -u)"
}
check "where there is one a browser shows it" display

runtime() {
	mkdir -m 700 run
	XDG_RUNTIME_DIR=$PWD/run gt view "$trace" >out
	[ "$(dirname "$(cat out)")" = "$PWD/run" ] || fail "$(cat out)"
	page_is "$(cat out)" 600 "$(id -u)"
}
check "the page is in XDG_RUNTIME_DIR" runtime

sudo_user() {
	browser
	uid=$(id -u nobody)
	DISPLAY=:9 PATH=$PWD/bin:$PATH SUDO_UID=$uid SUDO_GID=$(id -g nobody) XDG_RUNTIME_DIR=$PWD gt view "$trace" >out
	wait_for 60 test -e seen/opened
	[ "$(sed -n 1p seen/opened)" = "$uid" ] || fail "opened by user $(sed -n 1p seen/opened)"
	[ "$(sed -n 2p seen/opened)" = "600 $uid" ] || fail "$(sed -n 2p seen/opened)"
	page_is "$(cat out)" 600 "$uid"
}
check "under sudo file and browser are the invoking user's" sudo_user

no_browser() {
	mkdir empty
	DISPLAY=:9 PATH=$PWD/empty "$GOTRACE" view "$trace" >out 2>err
	expect_grep 'no browser could be started' err
	page_is "$(cat out)" 600 "$(id -u)"
}
check "without a browser the name is printed, and why" no_browser

bad_input() {
	mkdir run
	XDG_RUNTIME_DIR=$PWD/run expect_status 1 gt view /nowhere/at.all 2>err
	expect_grep 'no such file' err
	[ -z "$(ls run)" ] || fail "a file was left: $(ls run)"
	expect_status 2 gt view a b c 2>err
}
check "no trace, no page" bad_input

two() {
	gt view "$trace" "$TOP/fixtures/traces/panics.thesis.gotrace" >out
	grep -q '"was":{' "$(cat out)" || fail "no comparison"
	page_is "$(cat out)" 600 "$(id -u)"
}
check "of two traces, what changed" two

two_in_part() {
	gt view --focus=main.main "$trace" "$TOP/fixtures/traces/panics.thesis.gotrace" >out
	grep -q '"was":{' "$(cat out)" || fail "no comparison"
	page_is "$(cat out)" 600 "$(id -u)"
}
check "of a part of two traces" two_in_part

# The page itself is tried in export/html and make test-page.
samples() {
	gt view "$TOP/fixtures/samples/labelled.gotrace" >out
	grep -q '"mode":"samples"' "$(cat out)" || fail "the page is not of samples"
	page_is "$(cat out)" 600 "$(id -u)"
	gt view "$TOP/fixtures/samples/labelled.gotrace" "$TOP/fixtures/samples/cgochurn.gotrace" >out
	grep -q '"was":{' "$(cat out)" || fail "no comparison"
	page_is "$(cat out)" 600 "$(id -u)"
}
check "of samples" samples
done_testing
