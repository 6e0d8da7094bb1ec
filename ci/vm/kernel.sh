#!/bin/bash
# Prints the path of a kernel to boot, after downloading it if need be:
#
#   kernel.sh CACHE KERNEL
#   kernel.sh --list USE        the names of ci/kernels with that use
#
# KERNEL: a name of ci/kernels, with -full after it or not; or the path of a vmlinuz.
# Packages are fetched by apt into CACHE (debian.sh). What is cached is checked against
# its recorded sum before each use; REFRESH=1 looks for a newer one.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
list=$here/../kernels
if [ "$1" = --list ]; then
	awk -v use="$2" '!/^#/ { for (i = 3; i <= NF; i++) if ($i == use) print $1 }' "$list"
	exit
fi
mkdir -p "$1"
cache=$(cd "$1" && pwd)
kernel=${2%-full}
die() { echo "kernel.sh: $*" >&2; exit 1; }

suites=$(awk '!/^#/ && $2 != "-" && $1 !~ /-full$/ { print $1, $2 }' "$list")
names="$(echo "$suites" | cut -d ' ' -f 1 | tr '\n' ' ')or the path of a vmlinuz"
if [[ $kernel == */* ]]; then
	[ -f "$kernel" ] || die "$kernel: no such file; KERNEL is one of $names"
	realpath "$kernel"
	exit
fi
suite=$(echo "$suites" | awk -v name="$kernel" '$1 == name { print $2 }')
[ -n "$suite" ] || die "no kernel is called '$kernel'; KERNEL is one of $names"

dir=$cache/$suite
mkdir -p "$dir"
exec 9>"$dir/lock" && flock 9 # 6.12 and 6.12-full are one, and may be asked for at once
image=$dir/vmlinuz
if [ "${REFRESH:-}" != 1 ] && [ -s "$image.sha256" ] && (cd "$dir" && sha256sum --quiet -c vmlinuz.sha256) >&2; then
	echo "$image"
	exit
fi

if [ "$suite" = built ]; then
	"$here/build-kernel.sh" "$dir" >&2 || die "$kernel cannot be built"
	echo "$image"
	exit
fi
# shellcheck source-path=SCRIPTDIR source=debian.sh
. "$here/debian.sh"
rm -f "$dir/archives/"vmlinuz*
package=$(depends linux-image-cloud-amd64 'linux-image-[0-9].*')
[ -n "$package" ] || die "linux-image-cloud-amd64 of $suite names no kernel"
unpack "$package" "*/vmlinuz*"
if ! ls "$dir/archives/"vmlinuz* >/dev/null 2>&1; then # newer ones keep the file in a package of its own
	package=$(depends "$package" 'linux-binary-.*')
	[ -n "$package" ] || die "the kernel package of $suite holds no vmlinuz"
	unpack "$package" "*/vmlinuz*"
fi
mv "$dir/archives/"vmlinuz* "$image" || die "$package holds no vmlinuz"
(cd "$dir" && sha256sum vmlinuz >vmlinuz.sha256)
echo "kernel.sh: $kernel is $package" >&2
echo "$image"
