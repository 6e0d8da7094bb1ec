// SPDX-License-Identifier: BSD-2-Clause
#include "sample/executed_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "sample/maps.h"
#include "base/clock.h"
#include "base/foreign_file.h"
#include "base/log.h"

/* On a busy machine an exec maps its file seconds after it opened it. */
#define KEEP_NS 5000000000ull

/* Programs lie on these. Looking up a path on a network or an automounter may never end. */
static bool is_local(const char *type)
{
	static const char *const types[] = { "ext2",     "ext3",  "ext4",  "xfs",     "btrfs",
					     "f2fs",     "tmpfs", "ramfs", "overlay", "bcachefs",
					     "squashfs", "erofs", "zfs",   "rootfs" };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static size_t mark_all(int fd)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char text[2 * PATH_MAX];
	struct mntent m;
	size_t n = 0;

	while (mounts && getmntent_r(mounts, &m, text, sizeof(text)))
		if (is_local(m.mnt_type))
			n += !fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC,
					    AT_FDCWD, m.mnt_dir);
	if (mounts)
		endmntent(mounts);
	return n;
}

void executed_files_open(struct executed_files *e)
{
	int fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK,
			       O_RDONLY | O_CLOEXEC | O_LARGEFILE | O_NOATIME);

	*e = (struct executed_files){ 0 };
	if (fd >= 0 && mark_all(fd)) {
		e->on = true;
		e->fd = fd;
		return;
	}
	log_debug("no descriptors of executed files: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void forget(struct executed_files *e, size_t at)
{
	close(e->at[at].fd);
	e->at[at] = e->at[--e->n];
}

static size_t oldest(const struct executed_files *e)
{
	size_t at = 0;

	for (size_t i = 1; i < e->n; i++)
		if (e->at[i].seen_ns < e->at[at].seen_ns)
			at = i;
	return at;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Takes fd over. */
static void put(struct executed_files *e, int fd, uint32_t pid, uint64_t now_ns)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > FOREIGN_BINARY_BYTES) {
		close(fd);
		return;
	}
	for (size_t i = 0; i < e->n; i++) {
		if (!same_file(&e->at[i].st, &st))
			continue;
		e->at[i].seen_ns = now_ns;
		e->at[i].pid = pid;
		close(fd);
		return;
	}
	if (e->n == EXECUTED_FILES_MAX)
		forget(e, oldest(e));
	e->at[e->n++] = (struct executed_file){ fd, now_ns, pid, st };
}

void executed_files_read(struct executed_files *e)
{
	_Alignas(struct fanotify_event_metadata) char bytes[4096];
	const uint64_t now_ns = clock_monotonic_ns();
	ssize_t n;

	if (!e->on)
		return;
	for (size_t i = e->n; i-- > 0;)
		if (now_ns - e->at[i].seen_ns > KEEP_NS)
			forget(e, i);
	while ((n = read(e->fd, bytes, sizeof(bytes))) > 0) {
		const struct fanotify_event_metadata *m = (void *)bytes;

		for (; FAN_EVENT_OK(m, n); m = FAN_EVENT_NEXT(m, n))
			if (m->fd >= 0)
				put(e, m->fd, (uint32_t)m->pid, now_ns);
	}
}

/* Did the file have this path when it was opened? */
static bool has_path(int fd, const char *path)
{
	const size_t len = strlen(path);
	char link[32], text[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0 && !strncmp(text, path, len) &&
	       (!text[len] || !strcmp(text + len, " (deleted)"));
}

static bool is_later(const struct executed_file *f, const struct executed_file *than)
{
	return !than || f->seen_ns > than->seen_ns;
}

int executed_files_find(struct executed_files *e, uint32_t pid, struct sample_image *i)
{
	const struct executed_file *own = NULL, *named = NULL;
	const bool by_id = i->build_id_len;
	size_t n_named = 0;

	executed_files_read(e);
	for (size_t at = 0; at < e->n; at++) {
		const struct executed_file *f = &e->at[at];
		const bool has_name = has_path(f->fd, i->path), is_own = by_id && f->pid == pid;

		if ((!has_name && !is_own) || (by_id && !maps_has_build_id(f->fd, i)))
			continue;
		if (is_own && is_later(f, own))
			own = f;
		n_named += has_name;
		if (has_name && is_later(f, named))
			named = f;
	}
	/* Strangers can make a file of any build ID, in a folder of their own of that name. */
	if (!own && by_id && n_named > 1)
		return -ENOENT;
	own = own ? own : named;
	if (!own)
		return -ENOENT;
	if (!by_id)
		maps_has_build_id(own->fd, i);
	int fd = fcntl(own->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

void executed_files_close(struct executed_files *e)
{
	while (e->n)
		forget(e, e->n - 1);
	if (e->on)
		close(e->fd);
	e->on = false;
}
