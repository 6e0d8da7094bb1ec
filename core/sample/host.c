// SPDX-License-Identifier: BSD-2-Clause
#include "sample/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/units.h"
#include "sample/sampling.h"
#include "base/clock.h"
#include "base/log.h"

/* ---- which cgroup */

/* Where cgroups are mounted: version 2, or what of version 1 perf events go by. */
static const char *const mounts[] = { "", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/",
				      "/sys/fs/cgroup/perf_event/" };

/* Somebody may have made a folder with such a file elsewhere (include/uapi/linux/magic.h). */
static bool is_cgroup(int dir)
{
	struct statfs st;

	return !faccessat(dir, "cgroup.procs", F_OK, 0) && !fstatfs(dir, &st) &&
	       (st.f_type == CGROUP_SUPER_MAGIC || st.f_type == CGROUP2_SUPER_MAGIC);
}

static int open_cgroup(const char *name)
{
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s%s", mounts[i], name) >= (int)sizeof(path))
			return -ENAMETOOLONG;
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && is_cgroup(fd))
			return fd;
		if (fd < 0 && errno != ENOENT)
			err = -errno;
		if (fd >= 0)
			close(fd);
	}
	return err;
}

/* include/linux/proc_ns.h: PROC_PID_INIT_INO */
#define PIDNS_FIRST 0xEFFFFFFCu

static void tell_outside(void)
{
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != PIDNS_FIRST)
		log_warn("gotrace has no names for processes outside of its PID namespace. Their "
			 "samples are below [" PROCESS_OUTSIDE_NAME
			 "]. For names, run gotrace in the host's PID namespace (docker run "
			 "--pid=host)");
}

int host_open(struct host *h)
{
	tell_outside();
	h->cgroup_fd = h->cgroup ? open_cgroup(h->cgroup) : -1;
	if (!h->cgroup || h->cgroup_fd >= 0)
		return 0;
	log_error("%s: there is no such cgroup: %s; name its folder, or its name below "
		  "/sys/fs/cgroup (/proc/PID/cgroup has it)",
		  h->cgroup, strerror(-h->cgroup_fd));
	return h->cgroup_fd;
}

/* ---- processor time */

/* /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice, in ticks;
 * guest time is in the first two already (proc_stat(5)). */
static uint64_t all_cpu_ns(void)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t t[7] = { 0 };
	int n = f ? fscanf(f,
			   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64,
			   &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6])
		  : 0;

	if (f)
		fclose(f);
	return n == 7 ? (t[0] + t[1] + t[2] + t[5] + t[6]) * (1000000000 / sysconf(_SC_CLK_TCK))
		      : 0;
}

/* cgroup v2's cpu.stat, v1's cpuacct is another hierarchy. */
static uint64_t cgroup_cpu_ns(int dir)
{
	int fd = openat(dir, "cpu.stat", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	uint64_t us;
	bool known = f && fscanf(f, "usage_usec %" SCNu64, &us) == 1;

	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return known ? us * 1000 : 0;
}

static uint64_t used_ns(const struct host *h)
{
	return h->cgroup_fd < 0 ? all_cpu_ns() : cgroup_cpu_ns(h->cgroup_fd);
}

void host_cpu_begins(struct host *h)
{
	h->began_cpu_ns = used_ns(h);
}

uint64_t host_cpu_ns(const struct host *h)
{
	uint64_t now = used_ns(h);

	return now > h->began_cpu_ns ? now - h->began_cpu_ns : 0;
}

/* ---- processes that there are */

static void add_process(struct sampling *s, const char *pid)
{
	uint64_t n;

	if (!parse_decimal(pid, INT_MAX, &n) && n)
		processes_add_running(&s->processes, (uint32_t)n, clock_monotonic_ns());
}

static int add_all(struct sampling *s)
{
	DIR *proc = opendir("/proc");

	if (!proc)
		return -errno;
	for (struct dirent *d; (d = readdir(proc));)
		add_process(s, d->d_name);
	closedir(proc);
	return 0;
}

#define CGROUPS_DEEP 64

/* Those of a cgroup and of all below it. dir is closed. */
static int add_cgroup(struct sampling *s, int dir, unsigned deep)
{
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	DIR *d = fdopendir(dir);
	char line[32];

	if (fd >= 0 && !f)
		close(fd);
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		add_process(s, line);
	}
	if (f)
		fclose(f);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (e->d_type != DT_DIR || *e->d_name == '.' || deep == CGROUPS_DEEP)
			continue;
		int below = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (below >= 0) /* else it has just been removed */
			add_cgroup(s, below, deep + 1);
	}
	if (d)
		closedir(d);
	else
		close(dir);
	return 0;
}

static int add_processes(struct sampling *s)
{
	const struct host *h = &s->host;
	int dir = h->cgroup_fd < 0 ? -1
				   : openat(h->cgroup_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (h->cgroup_fd < 0)
		return add_all(s);
	return dir < 0 ? -errno : add_cgroup(s, dir, 0);
}

/* ---- events */

int host_attach(struct sampling *s)
{
	struct host *h = &s->host;

	/* From here on the kernel reports each process that begins. */
	int err = side_band_open(&s->side, scope_host(h->cgroup_fd), 0);

	if (!err)
		err = add_processes(s);
	if (!err)
		err = cpu_events_open(&s->cpus, &s->events, scope_host(h->cgroup_fd),
				      s->side.n_cpus);
	host_cpu_begins(h);
	return err;
}

void host_attach_again(struct sampling *s)
{
	const struct scope all = scope_host(s->host.cgroup_fd);

	if (!cpu_events_complete(&s->cpus) && !side_band_open(&s->side, all, SIZE_MAX))
		cpu_events_open_again(&s->cpus, &s->events, all);
}

void host_close(struct host *h)
{
	if (h->on && h->cgroup_fd >= 0)
		close(h->cgroup_fd);
}
