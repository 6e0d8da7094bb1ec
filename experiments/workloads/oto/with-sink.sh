#!/bin/sh
# Runs a command with sound going nowhere, but in real time: a private
# PulseAudio with a null sink, reached through ALSA's default device. An ALSA
# null device would not do, it takes samples as fast as they come.
#
#   oto/with-sink.sh COMMAND [ARG...]
#
# Changes nothing outside a temporary folder and leaves nothing running.
# The exit status is the command's own; 125 when the sink cannot be started.
set -eu
[ $# -gt 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
for tool in pulseaudio pactl; do
	command -v "$tool" >/dev/null || {
		echo "with-sink.sh: $tool is missing; run: ci/deps.sh experiment" >&2
		exit 125
	}
done

dir=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-sink.XXXXXX")
server=
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
chmod 755 "$dir" # the command may run as another user
socket=$dir/socket

HOME=$dir XDG_RUNTIME_DIR=$dir XDG_CONFIG_HOME=$dir pulseaudio -n --daemonize=no --use-pid-file=no \
	--exit-idle-time=-1 --disallow-exit -L module-null-sink \
	-L "module-native-protocol-unix auth-anonymous=1 socket=$socket" >"$dir/log" 2>&1 &
server=$!

cat >"$dir/asound.conf" <<EOF
</usr/share/alsa/alsa.conf>
pcm.!default { type pulse server "unix:$socket" }
ctl.!default { type pulse server "unix:$socket" }
EOF
export ALSA_CONFIG_PATH="$dir/asound.conf" PULSE_SERVER="unix:$socket" PULSE_COOKIE="$dir/cookie"

tries=0
until HOME=$dir pactl info >/dev/null 2>&1; do
	tries=$((tries + 1))
	if [ "$tries" = 50 ] || ! kill -0 "$server" 2>/dev/null; then
		echo "with-sink.sh: PulseAudio does not start:" >&2
		tail -n 5 "$dir/log" >&2
		exit 125
	fi
	sleep 0.1
done

status=0
"$@" || status=$?
exit "$status"
