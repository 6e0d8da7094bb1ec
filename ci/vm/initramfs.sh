#!/bin/bash
# Makes the part of the VM's file system that every run shares: busybox, the
# commands the tests use with their shared libraries, users, and init.
#
#   initramfs.sh OUT.cpio GOTRACE [TEST...]      GOTRACE becomes /usr/local/bin/gotrace,
#                                                BUILD/test/LAYER/TEST /usr/local/lib/test/LAYER/TEST
#   initramfs.sh --folder DIR OUT.cpio AT      DIR becomes AT there, an absolute path
#
# Uncompressed: unpacking under emulation costs more than reading it does, and
# the kernel takes one archive behind the other.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root" # it becomes /

pack() { # OUT FIND_OPTION CPIO_OPTION; both follow symbolic links or neither
	# shellcheck disable=SC2086 # may be empty
	(cd "$root" && find $2 . -print0 | sort -z | cpio --quiet --null -o $3 -H newc -R 0:0) >"$1.new"
	mv "$1.new" "$1"
}
if [ "$1" = --folder ]; then
	mkdir -p "$root$(dirname "$4")"
	ln -s "$(realpath "$2")" "$root$4"
	pack "$3" -L -L
	exit
fi

# What the tests call, and bash; everything else is busybox.
commands='bash awk basename cat chmod chown cmp comm cp cut date diff dirname env expr find flock getconf getent grep head
	id install ls mkdir mkfifo mktemp mv od pgrep pkill prlimit ps readlink realpath rm sed seq setpriv setsid sleep sort
	stat tail tee timeout touch tr true uname uniq unshare wc xargs nproc'
busybox=$(command -v busybox) || { echo "initramfs.sh: busybox is missing; run: ci/deps.sh matrix" >&2; exit 1; }

add() { # FILE TARGET: with the libraries it names, where it names them
	local lib
	install -D -m 755 "$(realpath "$1")" "$root$2"
	# shellcheck disable=SC2013 # paths without blanks
	for lib in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
		[ -e "$root$lib" ] || install -D -m 755 "$(realpath "$lib")" "$root$lib"
	done
}
mkdir -p "$root"/{bin,dev,etc,proc,root,sys,tmp,usr/bin,payload,usr/local/bin}
for name in $("$busybox" --list); do ln -sf /bin/busybox "$root/bin/$name"; done
rm -f "$root/bin/busybox"
install -m 755 "$busybox" "$root/bin/busybox"
for name in $commands; do
	path=$(type -P "$name") || { echo "initramfs.sh: $name is missing" >&2; exit 1; }
	rm -f "$root/bin/$name"
	add "$path" "/bin/$name"
done
# Where they are installed: what tests ask of gotrace's files, what gives one capabilities, another tracer, what an
# experiment measures with, and sound that goes nowhere.
for name in protoc sqlite3 setcap strace hyperfine pulseaudio pactl; do
	if path=$(type -P "$name"); then add "$path" "/bin/$name"; fi
done
[ ! -x /usr/bin/time ] || add /usr/bin/time /usr/bin/time
for path in /usr/lib/pulse*/modules/{libprotocol-native,module-null-sink,module-native-protocol-unix}.so \
	/usr/lib/*/alsa-lib/libasound_module_{conf,ctl,pcm}_pulse.so; do
	if [ -e "$path" ]; then add "$path" "$path"; fi
done
if [ -d /usr/share/alsa ]; then
	mkdir -p "$root/usr/share"
	cp -rL /usr/share/alsa "$root/usr/share/"
fi
ln -s /bin/env "$root/usr/bin/env"
add "$2" /usr/local/bin/gotrace
for test in "${@:3}"; do add "$test" "/usr/local/lib/test/${test##*/test/}"; done
install -m 755 "$here/go" "$root/usr/local/bin/go"
install -m 755 "$here/init" "$root/init"
printf '%s\n' 'root:x:0:0:root:/root:/bin/bash' 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false' >"$root/etc/passwd"
printf '%s\n' 'root:x:0:' 'nogroup:x:65534:' >"$root/etc/group"
echo 'PRETTY_NAME="busybox in a VM"' >"$root/etc/os-release"
printf '%s\n' 'passwd: files' 'group: files' >"$root/etc/nsswitch.conf"
pack "$1" "" ""
