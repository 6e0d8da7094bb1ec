#!/bin/bash
# Boots a kernel with an initramfs and waits for its end:
#
#   boot.sh VMLINUZ INITRAMFS OUT SECONDS [KERNEL_OPTION...]
#
# OUT.console is what the kernel said, OUT.log what the VM's tests said. Status 0:
# the tests ran to their end and their status was 0; 1: they failed; 2: the kernel
# hung, died or complained, or time was up, with the reason in one line and the
# end of the console. $VM_ACCEL: kvm or tcg; else KVM is tried once a boot of this
# machine and remembered beside OUT.
set -uo pipefail
[ $# -ge 4 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
kernel=$1 initramfs=$2 out=$3 seconds=$4
shift 4
memory=$(($(stat -c %s "$initramfs") * 3 / 1048576 + 1536)) # MiB: the file, what is unpacked, work

# Behind `timeout` in this process group, so that Ctrl-C ends it; a signal to this script does as well.
vm=
trap '[ -z "$vm" ] || kill "$vm"; exit 143' HUP INT TERM
qemu() { # ACCEL SECONDS OPTIONS
	timeout --foreground -k 5 "$2" qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none -nic none \
		-machine q35 -accel "$1" -cpu "${VM_CPU:-max}" -smp "${VM_CPUS:-2}" -m "$memory" \
		-kernel "$kernel" -initrd "$initramfs" -serial "file:$out.console" -serial "file:$out.log" \
		-append "console=ttyS0 quiet panic=-1 oops=panic panic_on_warn=1 softlockup_panic=1 watchdog_thresh=30 \
hung_task_panic=1 rcupdate.rcu_cpu_stall_timeout=60 rcupdate.rcu_exp_cpu_stall_timeout=60000 nokaslr mitigations=off tsc=reliable$frequency $3" &
	vm=$!
	wait "$vm"
}

# A VM that is itself nested may have a /dev/kvm that boots nothing.
accel() {
	local known
	known=$(dirname "$out")/accel.$(cat /proc/sys/kernel/random/boot_id)
	if [ -n "${VM_ACCEL:-}" ]; then
		echo "$VM_ACCEL"
	elif [ -s "$known" ]; then
		cat "$known"
	else
		if [ -w /dev/kvm ]; then
			qemu kvm 15 "gotrace.try" >/dev/null 2>&1
			if grep -q '^vm: verdict' "$out.log" 2>/dev/null; then echo kvm; else echo tcg; fi
		else
			echo tcg
		fi | tee "$known"
	fi
}
rm -f "$out.console" "$out.log"
frequency=
accel=$(accel)
if [ "$accel" = tcg ]; then
	# The emulated counter is this machine's. A guest that has to wait for a processor while it
	# measures how fast it runs gets it wrong, and its clock runs up to a hundred times too fast.
	khz=$(dmesg 2>/dev/null | sed -n 's/.*tsc: Detected \([0-9]*\)\.\([0-9]\{3\}\) MHz.*/\1\2/p' | tail -n 1)
	frequency=${khz:+ tsc_early_khz=$khz}
	# With a thread for each processor QEMU 10 runs stale code now and then, when one processor
	# writes an instruction to be stepped beside one that another steps (ci/vm/README.md).
	accel=tcg,thread=single
	# QEMU 7.2 loses flags now and then, so that programs and the kernel crash; 10.0 does not.
	version=$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
	[ "${version:-0}" -ge 10 ] || echo "boot.sh: QEMU $version may crash at random; 10 is known to be good" >&2
fi
rm -f "$out.console" "$out.log"
touch "$out.console" "$out.log"
started=$SECONDS
qemu "$accel" "$seconds" "$*" 2>"$out.qemu"
status=$?

complaint=$(grep -m 1 -aE 'Kernel panic|Oops:|BUG:|general protection fault|detected (expedited )?stall|soft lockup|hung_task: |blocked for more than|WARNING: |KASAN' "$out.console")
verdict=$(sed -n 's/^vm: verdict \([0-9]*\).*/\1/p' "$out.log" | tail -n 1)
if [ -n "$complaint" ]; then
	reason="the kernel complained: $complaint"
elif { [ "$status" = 124 ] || [ "$status" = 137 ]; } && [ $((SECONDS - started)) -ge "$seconds" ]; then # 137: its -k
	reason="not done after $seconds s"
elif [ -z "$verdict" ]; then
	reason="the VM ended without a verdict, qemu's status $status: $(tail -n 1 "$out.qemu")"
else
	[ "$verdict" = 0 ]
	exit
fi
echo "vm: $reason"
tail -n 40 "$out.console" | sed 's/^/#   /'
exit 2
