#!/bin/bash
# The rows of run.sh for a framed function on a kernel of Debian's in a VM, where programs may perform RETs. Emulated: only how the
# rows compare means something.
#
#   experiments/probe-cost/vm.sh [KERNEL]      newest; RUNS=6, QUICK=1, GO=, SEED=, GOTRACE=build/gotrace, O=build
#
# Writes results/probe-cost/<run-id>-KERNEL/ as run.sh does; environment.txt is the host's, vm_kernel and doctor.txt the VM's. All
# rounds are of one boot, so there is no going on with a run that was interrupted.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare probe-cost 6
[ -z "${RESUME:-}" ] || cannot "a run in a VM cannot be gone on with"
kernel=${1:-newest}
mkdir -p "${O:-$top/build}/vm" "$scratch/payload"
vm=$(cd "${O:-$top/build}/vm" && pwd)
build_stats "$scratch"
(cd "$here/loop" && CGO_ENABLED=0 go build -o "$scratch/payload/loop" .)
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$here/floor.c" -o "$scratch/payload/floor" -lbpf -pthread
seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
variants='plain plain-again thesis thesis-again emulated emulated-step springboard-jump springboard-nop'
kinds='nop5 jump push ret'
# What the VM runs, line by line, in orders drawn from the seed.
for round in $(seq 0 "$rounds"); do
	# shellcheck disable=SC2086 # lists of words
	{
		"$stats" order "$seed" "$round framed,1" $variants | sed "s/^/framed $round /"
		"$stats" order "$seed" "$round floor,1" $kinds | sed "s/^/floor $round /"
	}
done >"$scratch/payload/runs"
cat >"$scratch/payload/run" <<'EOF'
#!/bin/bash
cd /tmp || exit 1
uname -srm >kernel && gotrace doctor >doctor
row() { # FUNCTION ROUND VARIANT
	local tracer=() events=0 lost=0 calls=3000 variant=${3%-again}
	case $variant in
	plain) calls=500000 ;;
	emulated-step) tracer=(--probe=emulated --rets=step) ;;
	springboard-*) tracer=(--probe=springboard --stub="${variant#*-}") ;;
	*) tracer=(--probe="$variant") ;;
	esac
	rm -f row trace
	if [ "$1" = floor ]; then
		/payload/floor "$variant" 3000 1 >row || exit 1
	else
		[ "$variant" = plain ] || tracer=(gotrace record --max-cost=off -o trace "${tracer[@]}" --no-states -f main.framed --)
		"${tracer[@]}" /payload/loop -function framed -calls "$calls" -out row 2>log || { cat log; exit 1; }
	fi
	if [ -e trace ]; then
		events=$(gotrace info trace | awk '$1 == "end.events" { print $2 }')
		lost=$(gotrace info trace | awk '$1 == "end.lost_events" { print $2 }')
	fi
	echo "row $1,1,$2,$(($2 == 0)),$3,$(cat row),$events,$lost"
}
while read -r function round variant; do row "$function" "$round" "$variant" </dev/null; done </payload/runs
sed 's/^/doctor /' doctor
sed 's/^/kernel /' kernel
EOF
chmod 755 "$scratch/payload/run"
image=$("$top/ci/vm/kernel.sh" "$vm/kernels" "$kernel")
"$top/ci/vm/initramfs.sh" "$scratch/base.cpio" "$GOTRACE"
"$top/ci/vm/initramfs.sh" --folder "$scratch/payload" "$scratch/payload.cpio" /payload
cat "$scratch/base.cpio" "$scratch/payload.cpio" >"$scratch/all.cpio"
begin_run "$kernel"
fix go_of_programs "$(go env GOVERSION)"
fix seed "$seed"
fix rounds "$rounds after 1 discarded"
fix variants "$variants"
status=0
"$top/ci/vm/boot.sh" "$image" "$scratch/all.cpio" "$vm/probe-cost" "${SECONDS_MAX:-900}" || status=$?
[ "$status" = 0 ] || { tail -n 20 "$vm/probe-cost.log" >&2; exit 1; }
tr -d '\r' <"$vm/probe-cost.log" >"$scratch/log"
{
	echo function,threads,round,discarded,variant,calls,wall_ns,cpu_ns,events,lost_events
	sed -n 's/^row //p' "$scratch/log"
} >"$out/raw.csv"
[ "$(wc -l <"$out/raw.csv")" = "$(($(wc -l <"$scratch/payload/runs") + 1))" ] || cannot "the VM left not all rows: $vm/probe-cost.log"
sed -n 's/^doctor //p' "$scratch/log" >"$out/doctor.txt"
note vm_kernel "$(sed -n 's/^kernel //p' "$scratch/log")"
note vm_accelerator "$(cat "$vm"/accel.* 2>/dev/null | tail -n 1)"
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
