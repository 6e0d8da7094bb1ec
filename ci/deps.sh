#!/bin/sh
# Installs what the Makefile's targets need, grouped by target. Asks nothing,
# does nothing when everything is there. Debian 12 and 13, Ubuntu 24.04.
#
#   ci/deps.sh [GROUP...]   build, test and go, or of: build | test | go | paper | pdf | experiment | correctness | original | peers | fresh | matrix | page | kernel | tools
#   ci/deps.sh --check GROUP...   installs nothing: says what the compiler ($CC) misses of build or test, a line each; status 1 then
#
# DEPS_WAIT=300   seconds to wait at most for another package manager
set -eu

packages_of() {
	case "$1" in
	build) # the gotrace command and its libraries; zstd packs what experiments leave (experiments/provenance.sh)
		echo gcc clang llvm make pkg-config libbpf-dev libelf-dev libdw-dev \
			libcapstone-dev libiberty-dev zlib1g-dev liblzma-dev libzstd-dev zstd libprotobuf-c-dev \
			protobuf-c-compiler libsqlite3-dev libjansson-dev libcurl4-openssl-dev libmicrohttpd-dev linux-libc-dev ;;
	test) # unit tests, sanitizers, format; gccgo (225 MB) and upx (3 MB) make programs that are refused (live/kinds.sh)
		echo libcmocka-dev libdebuginfod-dev valgrind binutils procps zstd python3 sudo libcap2-bin strace btrfs-progs sqlite3 curl "$(clang_rt)" "$(clang_format)" \
			"$(gccgo)" "$(upx)" ;;
	go) # a Go toolchain, only when there is none
		command -v go >/dev/null 2>&1 || [ -x /usr/local/go/bin/go ] ||
			echo golang-go ca-certificates
		echo git ca-certificates ;;
	paper) # make paper and check-paper: plots, with the font they have
		echo python3 gnuplot-nox fonts-dejavu-core ;;
	pdf) # make paper-pdf (340 MB)
		echo pandoc texlive-latex-recommended lmodern librsvg2-bin ;;
	experiment) # make experiment-*
		echo hyperfine time gnuplot-nox libasound2-dev libasound2-plugins \
			alsa-utils pulseaudio pulseaudio-utils pkg-config "$(perf)" ;;
	correctness) # experiments/correctness: other tracers; what is in Go comes by way of go install
		echo bpftrace binutils "$(perf)" ;;
	original) # experiments/thesis-original: what builds the thesis's collector
		echo bpftool clang libbpf-dev libelf-dev zlib1g-dev make gcc pkg-config python3 python3-venv git ;;
	peers) # experiments/peers: the same questions to other tools; Delve comes by way of go install
		echo uftrace bpftrace gcc libc6-dev binutils "$(perf)" ;;
	matrix) # make test-vm, test-go and regress
		echo qemu-system-x86 seabios busybox-static cpio debian-archive-keyring gcc libc6-dev \
			binutils procps util-linux libcap2-bin strace git ca-certificates ;;
	tools) # make test-perfetto, test-perun and test-consumers: programs that open exports, from PyPI and crates.io
		echo python3 python3-venv curl ca-certificates git gcc libc6-dev $(cargo_packages) ;;
	kernel) # ci/vm/build-kernel.sh
		echo gcc libc6-dev make flex bison bc libelf-dev xz-utils perl kmod cpio debian-archive-keyring ;;
	page) # make test-page, figures and experiment-page: the page in a real browser
		echo chromium-headless-shell curl ca-certificates fonts-dejavu-core time pngquant optipng "$(command -v node >/dev/null 2>&1 || echo nodejs)" ;;
	fresh) # ci/fresh.sh: a machine made from nothing
		echo debootstrap curl ubuntu-archive-keyring ;;
	*)	echo "ci/deps.sh: unknown group '$1'" >&2; exit 2 ;;
	esac
}

# The sanitizer runtime of the clang that `clang` is; its package name carries the version.
clang_rt() {
	ver=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
	echo "libclang-rt-${ver:-14}-dev"
}

# The version of clang-format that ci/format.sh asks for, where the release has it.
clang_format() { apt-cache show clang-format-14 2>/dev/null | sed -n '1s/^Package: //p'; }

# gccgo and upx, where the release has them; Debian 12 has upx in its backports, see upx_missing.
gccgo() { apt-cache show gccgo 2>/dev/null | sed -n '1s/^Package: //p'; }
upx() { [ "$ID:$VERSION_ID" = debian:12 ] || apt-cache show upx-ucl 2>/dev/null | sed -n '1s/^Package: //p'; }
upx_missing() { [ "$ID:$VERSION_ID" = debian:12 ] && ! installed upx-ucl; }

# perf, where the release has it as a package that goes with any kernel.
perf() { apt-cache show linux-perf 2>/dev/null | sed -n '1s/^Package: //p'; }

# Rust that reads the index of crates.io without git (from 1.68 on): Debian 12 has a newer one for browsers.
cargo_packages() {
	command -v cargo >/dev/null 2>&1 && return
	if apt-cache show cargo-web >/dev/null 2>&1; then echo cargo-web rustc-web; else echo cargo; fi
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"
	elif command -v sudo >/dev/null 2>&1; then sudo "$@"
	else echo "ci/deps.sh: root or sudo is needed to run: $*" >&2; exit 1
	fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# libbpf has uprobe_multi from 1.3; Debian 12 has 1.1 and its backports have a newer one.
libbpf_old() {
	ver=$(dpkg-query -W -f '${Version}' libbpf-dev 2>/dev/null) || return 0
	dpkg --compare-versions "${ver#*:}" lt 1.3
}

# QEMU 7.2 (Debian 12) loses flags when it emulates: VMs of it crash at random (ci/vm/README.md).
qemu_old() {
	[ "$ID:$VERSION_ID" = debian:12 ] || return 1
	ver=$(dpkg-query -W -f '${Version}' qemu-system-x86 2>/dev/null) || return 1
	dpkg --compare-versions "${ver#*:}" lt 10
}

add_backports() {
	[ "$ID:$VERSION_ID" = debian:12 ] || return 0
	grep -rqs bookworm-backports /etc/apt/sources.list /etc/apt/sources.list.d && return 0
	printf '%s\n' 'Types: deb' 'URIs: http://deb.debian.org/debian' \
		'Suites: bookworm-backports' 'Components: main' \
		'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' |
		as_root tee /etc/apt/sources.list.d/gotrace-backports.sources >/dev/null
	updated= # its list is not there yet
}

# What is missing of a group, "HEADER (PACKAGE)" or "COMMAND (PACKAGE)", a line each.
missing_of() { # GROUP
	case "$1" in
	build)
		for command in "${CC:-gcc} gcc" 'clang clang' 'llvm-strip llvm' 'pkg-config pkg-config' 'protoc-c protobuf-c-compiler'; do
			# shellcheck disable=SC2086 # a command may have options
			set -- $command
			command -v "$1" >/dev/null || { [ "$1" = protoc-c ] && command -v protoc >/dev/null; } || echo "$1 (${command##* })"
		done
		headers='bpf/libbpf.h:libbpf-dev gelf.h:libelf-dev elfutils/libdw.h:libdw-dev capstone/capstone.h:libcapstone-dev
			libiberty/demangle.h:libiberty-dev zlib.h:zlib1g-dev lzma.h:liblzma-dev zstd.h:libzstd-dev protobuf-c/protobuf-c.h:libprotobuf-c-dev
			sqlite3.h:libsqlite3-dev jansson.h:libjansson-dev curl/curl.h:libcurl4-openssl-dev microhttpd.h:libmicrohttpd-dev
			linux/bpf.h:linux-libc-dev' ;;
	test) headers='cmocka.h:libcmocka-dev' ;;
	*)	headers= ;;
	esac
	# shellcheck disable=SC2086 # CC and CPPFLAGS are lists of words
	for header in $headers; do
		printf '#if !__has_include(<%s>)\n@%s (%s)\n#endif\n' "${header%:*}" "${header%:*}" "${header#*:}"
	done | ${CC:-gcc} ${CPPFLAGS:-} -I. -std=c11 -E -x c - 2>/dev/null | sed -n 's/^@//p'
}
if [ "${1:-}" = --check ]; then
	shift
	status=0
	for group in "$@"; do
		missing=$(missing_of "$group" | paste -sd, | sed 's/,/, /g')
		[ -z "$missing" ] || echo "ci/deps.sh: missing: $missing; run: ci/deps.sh $group" >&2
		[ -z "$missing" ] || status=1
	done
	exit $status
fi

. /etc/os-release
: "${VERSION_ID:=}" # testing and sid have none
[ $# -gt 0 ] || set -- build test go
command -v apt-get >/dev/null 2>&1 || {
	echo "ci/deps.sh: only Debian and Ubuntu are known here; install by hand: $(packages_of build)" >&2
	exit 1
}
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

# apt-get, once no other package manager holds a lock: of packages, lists or archives. Its own options wait for the first only.
exec 3>&2 # for the line about waiting, where a failure may be silent
apt_get() {
	until said=$(as_root apt-get -qq -o Acquire::Retries=3 "$@" 2>&1 >/dev/null); do
		if [ "$waits" = 0 ] || ! echo "$said" | grep -qE 'Could not get lock|is another process using it|was locked by another process'; then
			echo "$said" >&2
			return 1
		fi
		[ "$waits" != "$DEPS_WAIT" ] || echo "ci/deps.sh: waiting for another package manager, up to $DEPS_WAIT seconds" >&3
		sleep 1
		waits=$((waits - 1))
	done
	[ -z "$said" ] || echo "$said" >&2
}
: "${DEPS_WAIT:=300}"
waits=$DEPS_WAIT

# Package lists are fetched only when something is missing; names may depend on them.
updated=
update() {
	[ -z "$updated" ] || return 0
	updated=1
	apt_get update
}

install_now() {
	[ $# -gt 0 ] || return 0
	apt_get -y --no-install-recommends install "$@"
}

for group in "$@"; do
	missing=
	[ -n "$(apt-cache show clang 2>/dev/null | head -n 1)" ] || update
	for p in $(packages_of "$group"); do
		installed "$p" || missing="$missing $p"
	done
	if [ "$group" = matrix ] && qemu_old; then missing="$missing qemu-system-x86"; fi
	old=
	if [ "$group" = build ] && libbpf_old; then old=1; fi
	upx=
	if [ "$group" = test ] && upx_missing; then upx="upx-ucl/bookworm-backports"; fi
	[ -n "$missing$old$upx" ] || continue
	add_backports
	update
	echo "ci/deps.sh: installing for '$group':$missing $upx"
	backports=
	[ "$ID:$VERSION_ID" != debian:12 ] || backports=bookworm-backports
	if [ -n "$old" ] && [ -n "$backports" ]; then
		install_now "libbpf-dev/$backports" "libbpf1/$backports"
	fi
	# Where a package here already came from backports (libelf, say), what goes with it must too.
	# shellcheck disable=SC2086 # a list of words
	if [ -n "$backports" ] && { [ "$group" = go ] || [ "$group" = matrix ] || ! install_now $missing 2>/dev/null; }; then
		install_now -t "$backports" $missing
	elif [ -z "$backports" ]; then
		install_now $missing
	fi
	# shellcheck disable=SC2086 # none or one
	install_now $upx
	if [ "$group" = build ] && libbpf_old; then
		echo "ci/deps.sh: libbpf-dev is older than 1.3 and no newer one is known for $PRETTY_NAME" >&2
		exit 1
	fi
done
