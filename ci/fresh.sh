#!/bin/bash
# Tries the README's two commands on a machine made from nothing: a debootstrapped minbase
# system with git, make and ca-certificates only. Debian 12 runs `make demo` and `make test`
# (live tests included: /proc, /sys and /dev are those of the host); a second release builds
# and runs the unit tests.
#
#   ci/fresh.sh [SUITE...]        default: bookworm trixie noble (Ubuntu 24.04); one whose mirror cannot be reached is skipped
#   FRESH_DIR=DIR                 where the systems go (default build/fresh); kept for a look after a failure
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "ci/fresh.sh: root is needed (debootstrap, chroot)" >&2; exit 1; }
[ $# -gt 0 ] || set -- bookworm trixie noble
dir=$(realpath -m "${FRESH_DIR:-build/fresh}")
mkdir -p "$dir"
tree=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || echo "ci/fresh.sh: note: only what is committed is tried"

mounted=
unmount_all() {
	# shellcheck disable=SC2086 # a list of paths
	[ -z "$mounted" ] || umount -l $mounted || true
	mounted=
}
trap unmount_all EXIT

# in_root ROOT COMMAND: with nothing of the host's environment but the network's settings.
in_root() {
	local root=$1; shift
	chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		LANG=C.UTF-8 GOFLAGS= ${GOPROXY:+GOPROXY=$GOPROXY} ${GOSUMDB:+GOSUMDB=$GOSUMDB} sh -c "$*"
}

# source_of SUITE: what debootstrap needs besides its name, a word each: mirror, script, options.
source_of() {
	case "$1" in
	noble) printf '%s\n' http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy \
		--components=main,universe --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg ;;
	*) printf '%s\n' http://deb.debian.org/debian /usr/share/debootstrap/scripts/sid ;;
	esac
}

make_root() {
	local suite=$1 root=$2 from
	mapfile -t from < <(source_of "$suite")
	if [ ! -e "$root/.made" ]; then
		rm -rf "$root"
		debootstrap --variant=minbase --include=git,make,ca-certificates "${from[@]:2}" "$suite" "$root" "${from[@]:0:2}" \
			>"$dir/$suite.debootstrap.log" || { tail -n 20 "$dir/$suite.debootstrap.log"; return 1; }
		touch "$root/.made"
	fi
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	# A certificate authority that this network adds must be known inside as well.
	cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
	for p in proc sys dev; do
		mount --rbind "/$p" "$root/$p"
		mount --make-rslave "$root/$p"
		mounted="$root/$p $mounted"
	done
	rm -rf "$root/root/gotrace"
	git clone -q . "$root/root/gotrace"
	git -C "$root/root/gotrace" checkout -q "$tree"
}

failed=0 ran=0
run() { # SUITE TITLE ROOT COMMAND
	local suite=$1 title=$2 root=$3 start=$SECONDS log
	ran=$((ran + 1))
	log="$dir/$suite.${title// /-}.log"
	if in_root "$root" "cd /root/gotrace && $4" >"$log" 2>&1; then
		echo "ok      $suite: $title, $((SECONDS - start)) s"
	else
		echo "FAILED  $suite: $title, $((SECONDS - start)) s, log: $log"
		tail -n 30 "$log"
		failed=1
	fi
}

# reached SUITE: its mirror answers.
reached() {
	local from
	mapfile -t from < <(source_of "$1")
	[ -e "$dir/$1/.made" ] || curl -sfIL -m 30 "${from[0]}/dists/$1/Release" >"$dir/$1.release" 2>&1
}

for suite; do
	if ! reached "$suite"; then
		echo "skipped $suite: its mirror cannot be reached"
		continue
	fi
	root="$dir/$suite"
	make_root "$suite" "$root"
	if [ "$suite" = bookworm ]; then
		run "$suite" 'make demo' "$root" 'make demo'
		run "$suite" 'make test' "$root" 'make test'
	else
		run "$suite" 'make' "$root" 'make'
		run "$suite" 'make unit' "$root" 'make unit'
	fi
	unmount_all
done
[ "$ran" -gt 0 ] && exit "$failed"
