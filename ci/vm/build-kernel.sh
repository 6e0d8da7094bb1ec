#!/bin/bash
# Builds a 6.12 whose pid filter of uprobe_multi links is per thread, as it was in 6.6.0 to 6.6.34,
# 6.7, 6.8 and 6.9.0 to 6.9.4, of which Debian keeps none: its own source with the check of
# commit 46ba0e49b642 ("bpf: fix multi-uprobe PID filtering logic") taken back.
#
#   build-kernel.sh DIR      makes DIR/vmlinuz and DIR/vmlinuz.sha256
#
# Small: no internet, no disks, no modules, no type information (but sockets: libbpf finds out by a
# socket filter whether there is global data). One job ($JOBS), niced: some minutes
# of processor time. Needs ci/deps.sh kernel.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
# shellcheck disable=SC2034 # debian.sh uses them
dir=$(cd "$1" && pwd) suite=trixie kernel=6.12-perthread
for tool in flex bison bc xz; do
	command -v "$tool" >/dev/null || { echo "build-kernel.sh: $tool is missing; run: ci/deps.sh kernel" >&2; exit 1; }
done
archive=archives/linux-source-6.12.tar.xz
if ! (cd "$dir" && sha256sum --status -c source.sha256 2>/dev/null); then
	# shellcheck source-path=SCRIPTDIR source=debian.sh
	. "$here/debian.sh"
	unpack linux-source-6.12 '*/linux-source-6.12.tar.xz'
	(cd "$dir" && sha256sum "$archive" >source.sha256)
fi
source=$dir/linux-source-6.12
rm -rf "$source"
tar -C "$dir" -xf "$dir/$archive"
cd "$source"

# The filter, and the task it compares with: before the fix any thread's number named that thread.
sed -i 's/if (link->task && !same_thread_group(current, link->task))/if (link->task \&\& current != link->task)/
	s/get_pid_task(find_vpid(pid), PIDTYPE_TGID)/get_pid_task(find_vpid(pid), PIDTYPE_PID)/' kernel/trace/bpf_trace.c
[ "$(grep -c 'current != link->task)\|find_vpid(pid), PIDTYPE_PID)' kernel/trace/bpf_trace.c)" = 2 ] ||
	{ echo "build-kernel.sh: bpf_trace.c is not what was expected" >&2; exit 1; }

make -s tinyconfig
# What the VM, Go and the tests need of a kernel.
yes='64BIT PRINTK TTY SERIAL_8250 SERIAL_8250_CONSOLE BLK_DEV_INITRD BINFMT_ELF BINFMT_SCRIPT PROC_FS
	PROC_SYSCTL SYSFS DEVTMPFS TMPFS SHMEM DEBUG_FS FILE_LOCKING INOTIFY_USER FHANDLE AIO ADVISE_SYSCALLS MEMBARRIER
	MULTIUSER FUTEX EPOLL SIGNALFD TIMERFD EVENTFD POSIX_TIMERS HIGH_RES_TIMERS NO_HZ_IDLE SMP PCI ACPI RTC_CLASS
	NAMESPACES PID_NS ELF_CORE COREDUMP KALLSYMS PERF_EVENTS FTRACE UPROBE_EVENTS BPF_SYSCALL BPF_JIT BPF_EVENTS
	NET UNIX DEBUG_KERNEL SOFTLOCKUP_DETECTOR DETECT_HUNG_TASK PREEMPT_VOLUNTARY UNIX98_PTYS MEMFD_CREATE RSEQ CROSS_MEMORY_ATTACH'
no='CC_OPTIMIZE_FOR_SIZE CPU_MITIGATIONS DEBUG_INFO SLUB_TINY VT DRM MODULES WERROR'
for name in $yes; do scripts/config -e "$name"; done
for name in $no; do scripts/config -d "$name"; done
make -s olddefconfig
for name in BPF_EVENTS UPROBE_EVENTS NET BPF_JIT SMP SERIAL_8250_CONSOLE ACPI BLK_DEV_INITRD; do
	grep -q "^CONFIG_$name=y" .config || { echo "build-kernel.sh: the configuration has no $name" >&2; exit 1; }
done
nice make -s -j"${JOBS:-1}" LOCALVERSION=-perthread bzImage
mv arch/x86/boot/bzImage "$dir/vmlinuz"
cd "$dir"
sha256sum vmlinuz >vmlinuz.sha256
rm -rf "$source"
