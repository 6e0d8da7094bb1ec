# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # top is set by who sources this, versions is for them
# Programs of each Go version whose sites are counted. Sourced by run.sh of springboard-coverage and inline-coverage.

prepare() { # EXPERIMENT [VERSION...]: begins the run; sets versions and work
	local name=$1
	shift
	GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
	[ -x "$GOTRACE" ] || { echo "$name: $GOTRACE is missing; run: make" >&2; exit 1; }
	# shellcheck source=../../ci/toolchain.sh
	. "$top/ci/toolchain.sh"
	# shellcheck source-path=SCRIPTDIR source=../provenance.sh
	. "$top/experiments/provenance.sh"
	read -ra versions <<<"${*:-${GO:-${QUICK:+1.22.0 1.27.4}}}"
	[ ${#versions[@]} -gt 0 ] || mapfile -t versions < <(grep -v '^#' "$top/ci/go-versions")
	may_measure "$name"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	export GOFLAGS="-buildvcs=false -trimpath"
	begin_run
	note go_of_programs "${versions[*]}"
}
build_web() { (cd "$top/experiments/springboard-coverage/web" && go build -o "$work/web" .); }
