#!/bin/bash
# Prints the path of a kernel to boot, after downloading it if need be:
#
#   kernel.sh CACHE KERNEL
#
# KERNEL: 6.1 (Debian 12), 6.12 (Debian 13), newest (Debian unstable), each with
# -full behind it for the same file booted with full preemption; or the path of a
# vmlinuz. Packages are fetched by apt into CACHE from lists of its own, so apt
# checks signatures and checksums and the system's sources and packages stay as
# they are. What is cached is checked against its recorded sum before each use;
# REFRESH=1 looks for a newer one.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
cache=$(cd "$1" && pwd)
kernel=${2%-full}
die() { echo "kernel.sh: $*" >&2; exit 1; }

case "$kernel" in
6.1) suite=bookworm ;;
6.12) suite=trixie ;;
newest) suite=sid ;;
*/*)	[ -f "$kernel" ] || die "$kernel: no such file; KERNEL is one of 6.1, 6.12, newest or the path of a vmlinuz"
	realpath "$kernel"
	exit ;;
*) die "no kernel is called '$kernel'; KERNEL is one of 6.1, 6.12, newest or the path of a vmlinuz" ;;
esac

dir=$cache/$suite
image=$dir/vmlinuz
if [ "${REFRESH:-}" != 1 ] && [ -s "$image.sha256" ] && (cd "$dir" && sha256sum --quiet -c vmlinuz.sha256) >&2; then
	echo "$image"
	exit
fi

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || die "$keyring is missing; run: ci/deps.sh matrix"
mkdir -p "$dir/lists/partial" "$dir/archives/partial"
echo "deb [arch=amd64 signed-by=$keyring] http://deb.debian.org/debian $suite main" >"$dir/sources.list"
options=(-qq -o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null
	-o "Dir::State::lists=$dir/lists" -o "Dir::Cache=$dir" -o Dir::State::status=/dev/null
	-o APT::Sandbox::User=root -o APT::Architecture=amd64 -o APT::Architectures=amd64
	-o Acquire::Languages=none -o Acquire::Retries=3
	-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
# apt-get ends with 0 when it could fetch nothing and has an older list.
apt-get "${options[@]}" -o APT::Update::Error-Mode=any update >&2 ||
	die "no kernel $kernel: $suite's package list cannot be fetched from http://deb.debian.org; KERNEL=path/to/vmlinuz needs no download"

depends() { # PACKAGE PATTERN: the newest dependency of that form
	apt-cache "${options[@]}" depends "$1" | sed -n "s/^ *Depends: \($2\)$/\1/p" | sort -V | tail -n 1
}
unpack() { # PACKAGE
	(cd "$dir/archives" && rm -f ./*.deb && apt-get "${options[@]}" download "$1") >&2 ||
		die "no kernel $kernel: $1 cannot be fetched from http://deb.debian.org"
	dpkg-deb --fsys-tarfile "$dir/archives/"*.deb |
		tar -C "$dir/archives" --transform='s,.*/,,' --wildcards -x '*/vmlinuz*' 2>/dev/null || true
	rm -f "$dir/archives/"*.deb
}
rm -f "$dir/archives/"vmlinuz*
package=$(depends linux-image-cloud-amd64 'linux-image-[0-9].*')
[ -n "$package" ] || die "linux-image-cloud-amd64 of $suite names no kernel"
unpack "$package"
if ! ls "$dir/archives/"vmlinuz* >/dev/null 2>&1; then # newer ones keep the file in a package of its own
	package=$(depends "$package" 'linux-binary-.*')
	[ -n "$package" ] || die "the kernel package of $suite holds no vmlinuz"
	unpack "$package"
fi
mv "$dir/archives/"vmlinuz* "$image" || die "$package holds no vmlinuz"
(cd "$dir" && sha256sum vmlinuz >vmlinuz.sha256)
echo "kernel.sh: $kernel is $package" >&2
echo "$image"
