// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/run_delay.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/* Of the time, looks take at most one part of so many. */
#define SELDOM 1000

struct message {
	struct nlmsghdr head;
	struct genlmsghdr generic;
	char attributes[2048];
};

/* Sends a request with one attribute and receives the answer. 0 or -errno. */
static int ask(int fd, uint16_t family, uint8_t command, uint16_t type, const void *value,
	       uint16_t size, struct message *answer)
{
	struct message m = { .head = { .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST },
			     .generic = { .cmd = command, .version = 1 } };
	struct nlattr a = { .nla_len = NLA_HDRLEN + size, .nla_type = type };

	memcpy(m.attributes, &a, sizeof(a));
	memcpy(m.attributes + NLA_HDRLEN, value, size);
	m.head.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN + NLA_ALIGN(a.nla_len));
	if (send(fd, &m, m.head.nlmsg_len, 0) < 0)
		return -errno;
	/* The kernel has answered when send returns. */
	ssize_t n = recv(fd, answer, sizeof(*answer), MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	if (!NLMSG_OK(&answer->head, n) || answer->head.nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
		return -EPROTO;
	if (answer->head.nlmsg_type == NLMSG_ERROR) {
		struct nlmsgerr e;

		memcpy(&e, NLMSG_DATA(&answer->head), sizeof(e.error));
		return e.error ? e.error : -EPROTO;
	}
	return 0;
}

/* The value of the first attribute of that type in `size` bytes; NULL: there is none. */
static const char *find(const char *at, size_t size, uint16_t type, size_t *value_size)
{
	struct nlattr a;

	while (size >= NLA_HDRLEN) {
		memcpy(&a, at, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || a.nla_len > size)
			return NULL;
		*value_size = a.nla_len - NLA_HDRLEN;
		if ((a.nla_type & NLA_TYPE_MASK) == type)
			return at + NLA_HDRLEN;
		size_t whole = (size_t)NLA_ALIGN(a.nla_len);

		if (whole >= size)
			return NULL;
		size -= whole;
		at += whole;
	}
	return NULL;
}

static const char *find_in(const struct message *m, uint16_t type, size_t *value_size)
{
	return find(m->attributes, m->head.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, type,
		    value_size);
}

int run_delay_open(struct run_delay *d)
{
	struct message answer;
	size_t size = 0;

	*d = (struct run_delay){ .fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
					      NETLINK_GENERIC) };
	int err = d->fd < 0 ? -errno : 0;

	if (!err)
		err = ask(d->fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
			  TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME), &answer);
	const char *id = err ? NULL : find_in(&answer, CTRL_ATTR_FAMILY_ID, &size);

	if (!err && (!id || size < sizeof(d->family)))
		err = -EPROTO;
	if (!err)
		memcpy(&d->family, id, sizeof(d->family));
	else if (d->fd >= 0)
		close(d->fd);
	return err;
}

void run_delay_look(struct run_delay *d, pid_t pid)
{
	struct message answer;
	struct taskstats s = { 0 };
	size_t size = 0;

	if (!d->family)
		return;
	uint64_t began_ns = clock_monotonic_ns();
	int err = ask(d->fd, d->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_TGID, &pid,
		      sizeof(pid), &answer);
	const char *at = err ? NULL : find_in(&answer, TASKSTATS_TYPE_AGGR_TGID, &size);
	const size_t need = offsetof(struct taskstats, cpu_delay_total) + sizeof(s.cpu_delay_total);

	if (at)
		at = find(at, size, TASKSTATS_TYPE_STATS, &size);
	if (at && size >= need) {
		memcpy(&s, at, need);
		d->ns = s.cpu_delay_total;
		d->times = s.cpu_count;
		d->told = true;
	}
	uint64_t now_ns = clock_monotonic_ns();
	d->due_ns = now_ns + SELDOM * (now_ns - began_ns);
}

void run_delay_look_seldom(struct run_delay *d, pid_t pid)
{
	if (clock_monotonic_ns() >= d->due_ns)
		run_delay_look(d, pid);
}

void run_delay_close(struct run_delay *d)
{
	if (d->family)
		close(d->fd);
	d->family = 0;
}
