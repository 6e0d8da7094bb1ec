# Go versions for the scripts that need a certain one; sourced.
# shellcheck shell=bash
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
packaged=/usr/lib/go- # where Debian's golang-1.N-go puts 1.N
path_before=$PATH

# newest_go: prints the newest release that the module proxy knows.
newest_go() { (cd / && GOTOOLCHAIN=local go list -m -f '{{.Version}}' go@latest); }

# use_go VERSION: makes `go` that version: the installed one, the module proxy's, or where that
# has none a Debian package's. Says so and returns 1 where there is none of them.
use_go() {
	local minor
	minor=$(echo "$1" | cut -d . -f 1,2)
	export GOTOOLCHAIN="go$1" PATH="$path_before"
	[ "$(go env GOVERSION 2>/dev/null)" != "go$1" ] || return 0
	if [ "$(GOTOOLCHAIN=local "$packaged$minor/bin/go" env GOVERSION 2>/dev/null)" = "go$1" ]; then
		export GOTOOLCHAIN=local PATH="$packaged$minor/bin:$PATH"
		return 0
	fi
	echo "no toolchain go$1: the module proxy has none, and Debian's golang-$minor-go is not installed or another" >&2
	return 1
}
