#!/bin/bash
# The rows of run.sh for a framed function on a kernel of Debian's in a VM, where programs may
# perform RETs. Emulated: only how the rows compare means something.
#
#   experiments/probe-cost/vm.sh [KERNEL]      newest; ROUNDS=6, GOTRACE=build/gotrace, O=build
#
# Writes results/probe-cost/<run-id>-KERNEL/: rows.csv, environment.txt, doctor.txt, summary.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
kernel=${1:-newest} rounds=${ROUNDS:-6}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
[ -x "$GOTRACE" ] || { echo "probe-cost: $GOTRACE is missing; run: make" >&2; exit 1; }
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
mkdir -p "${O:-$top/build}/vm"
vm=$(cd "${O:-$top/build}/vm" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/payload"
(cd "$here/loop" && CGO_ENABLED=0 go build -o "$work/payload/loop" .)
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$here/floor.c" -o "$work/payload/floor" -lbpf -pthread
cat >"$work/payload/run" <<EOF
#!/bin/bash
rounds=$rounds
EOF
cat >>"$work/payload/run" <<'EOF'
cd /tmp || exit 1
uname -srm >kernel && gotrace doctor >doctor
calls_of() { case $1 in plain) echo 500000 ;; *) echo 3000 ;; esac; }
row() { # ROUND VARIANT OPTION...
	local round=$1 variant=$2 tracer=() events=0 lost=0
	shift 2
	[ $# = 0 ] || tracer=(gotrace record -o trace "$@" -f main.framed --)
	rm -f row trace
	"${tracer[@]}" /payload/loop -function framed -calls "$(calls_of "$variant")" -out row 2>log || { cat log; exit 1; }
	if [ $# != 0 ]; then
		events=$(gotrace info trace | awk '$1 == "end.events" { print $2 }')
		lost=$(gotrace info trace | awk '$1 == "end.lost_events" { print $2 }')
	fi
	echo "row $round,$variant,framed,1,$(cat row),$events,$lost"
}
for round in $(seq "$rounds"); do
	row "$round" plain
	row "$round" thesis --probe=thesis
	row "$round" emulated --probe=emulated
	row "$round" emulated-step --probe=emulated --rets=step
	row "$round" springboard-jump --probe=springboard --stub=jump
	row "$round" springboard-nop --probe=springboard --stub=nop
	for kind in nop5 jump push ret; do echo "row $round,floor,$kind,1,$(/payload/floor $kind 3000 1),0,0"; done
done
sed 's/^/doctor /' doctor
sed 's/^/kernel /' kernel
EOF
chmod 755 "$work/payload/run"
image=$("$top/ci/vm/kernel.sh" "$vm/kernels" "$kernel")
"$top/ci/vm/initramfs.sh" "$work/base.cpio" "$GOTRACE"
"$top/ci/vm/initramfs.sh" --folder "$work/payload" "$work/payload.cpio" /payload
cat "$work/base.cpio" "$work/payload.cpio" >"$work/all.cpio"
status=0
"$top/ci/vm/boot.sh" "$image" "$work/all.cpio" "$vm/probe-cost" "${SECONDS_MAX:-900}" || status=$?
[ "$status" = 0 ] || { tail -n 20 "$vm/probe-cost.log" >&2; exit 1; }

out=$top/results/probe-cost/$(date -u +%Y%m%dT%H%M%SZ)-$(git -C "$top" rev-parse --short HEAD)-$kernel
mkdir -p "$top/results/probe-cost"
mkdir "$out"
{
	echo "round,variant,function,threads,calls,wall_ns,cpu_ns,events,lost_events"
	sed -n 's/^row //p' "$vm/probe-cost.log"
} | tr -d '\r' >"$out/rows.csv"
sed -n 's/^doctor //p' "$vm/probe-cost.log" | tr -d '\r' >"$out/doctor.txt"
{
	echo "date $(date -u +%Y-%m-%dT%H:%M:%SZ)"
	echo "git_commit $(git -C "$top" rev-parse HEAD)$(git -C "$top" diff --quiet HEAD -- bpf core/attach core/binary core/plan core/trace experiments/probe-cost || echo -dirty)"
	sed -n 's/^kernel /kernel /p' "$vm/probe-cost.log" | tr -d '\r'
	echo "accelerator $(cat "$vm"/accel.* 2>/dev/null | tail -n 1)"
	echo "rounds $rounds"
} >"$out/environment.txt"
awk -f "$here/summary.awk" "$out/rows.csv" >"$out/summary.md"
cat "$out/summary.md"
