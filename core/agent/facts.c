// SPDX-License-Identifier: BSD-2-Clause
#include "agent/facts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

#define FILE_MAX    (1u << 20) /* of a command line or an environment */
#define COMMAND_MAX 4096u      /* of a command line that is kept */
#define ID_DIGITS   64

/* All of /proc/PID/NAME, with a zero behind it; NULL: it is not there. *n: bytes. */
static char *read_file(const char *proc, uint32_t pid, const char *name, size_t *n)
{
	char path[256], *text = NULL;
	size_t cap = 0;

	*n = 0;
	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	for (;;) {
		if (vec_reserve(&text, &cap, *n + 4096)) {
			free(text);
			text = NULL;
			break;
		}
		ssize_t got = read(fd, text + *n, 4095);

		if (got <= 0) {
			text[*n] = '\0';
			break;
		}
		*n += (size_t)got;
		if (*n >= FILE_MAX)
			*n = FILE_MAX;
		text[*n] = '\0';
		if (*n == FILE_MAX)
			break;
	}
	close(fd);
	return text;
}

static void read_command(struct facts *f, const char *proc)
{
	size_t n;
	char *text = read_file(proc, f->pid, "cmdline", &n);

	while (n && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	if (n > COMMAND_MAX)
		text[COMMAND_MAX] = '\0';
	if (text && !n) { /* a thread of the kernel */
		free(text);
		text = NULL;
	}
	f->command = text;
}

#define COMM_MAX  15         /* bytes of a process's name that the kernel keeps */
#define IS_KERNEL 0x00200000 /* PF_KTHREAD of linux/sched.h */

/* The name by which a file with several names was started: the last part of the first argument, up
 * to a blank or a colon. The kernel's name of the process must begin so, too, as a process may
 * write anything there. To be freed; NULL: it is none. */
static char *started_as(const char *command, const char *comm)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
	const size_t word = strcspn(command, " :");
	const char *slash = memrchr(command, '/', word), *name = slash ? slash + 1 : command;
	const size_t n = word - (size_t)(name - command);

	if (!n || !comm || strspn(name, allowed) < n || !isalnum((unsigned char)*name) ||
	    strlen(comm) != (n < COMM_MAX ? n : COMM_MAX) || strncmp(name, comm, strlen(comm)) != 0)
		return NULL;
	return strndup(name, n);
}

/* /proc/PID/stat: PID (NAME) STATE and six numbers, of which the last has the flags. The name may
 * have blanks and brackets. */
static bool is_kernel(const char *proc, uint32_t pid)
{
	size_t n;
	char *text = read_file(proc, pid, "stat", &n), *at = text ? strrchr(text, ')') : NULL;
	unsigned flags = 0;
	bool is = at && sscanf(at, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
		  (flags & IS_KERNEL);

	free(text);
	return is;
}

/* docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, libpod-ID.scope, /docker/ID, kubepods'
 * /ID: the last run of 64 hexadecimal digits that is a word. */
static char *find_container(const char *cgroup)
{
	const char *found = NULL;

	for (const char *s = cgroup; *s;) {
		size_t n = 0;

		while (isxdigit((unsigned char)s[n]) && !isupper((unsigned char)s[n]))
			n++;
		if (n == ID_DIGITS && (s == cgroup || !isalnum((unsigned char)s[-1])) &&
		    !isalnum((unsigned char)s[n]))
			found = s;
		s += n ? n : 1;
	}
	return found ? strndup(found, ID_DIGITS) : NULL;
}

#define UID_BYTES 36

/* A kubelet's /kubepods/burstable/podUID/..., or with systemd kubepods-burstable-podUID.slice,
 * whose UID has _ for -. */
static char *find_pod(const char *cgroup)
{
	const char *pods = strstr(cgroup, "kubepods"), *at = pods;
	char *uid = NULL;

	while (!uid && at && (at = strstr(at, "pod"))) {
		size_t n = 0;

		at += 3;
		for (; n < UID_BYTES && at[n]; n++) {
			const bool bar = n == 8 || n == 13 || n == 18 || n == 23;

			if (bar ? !strchr("-_", at[n])
				: !isxdigit((unsigned char)at[n]) || isupper((unsigned char)at[n]))
				break;
		}
		if (n == UID_BYTES && !isalnum((unsigned char)at[n]))
			uid = strndup(at, n);
	}
	for (char *c = uid; c && *c; c++)
		*c = *c == '_' ? '-' : *c;
	return uid;
}

/* The last part that is a service's. */
static char *find_unit(const char *cgroup)
{
	static const char suffix[] = ".service";
	const char *found = NULL;
	size_t len = 0;

	for (const char *s = cgroup; *s;) {
		size_t n = strcspn(s, "/");

		if (n >= sizeof(suffix) &&
		    !strncmp(s + n - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1)) {
			found = s;
			len = n;
		}
		s += n + (s[n] == '/');
	}
	return found ? strndup(found, len) : NULL;
}

/* /proc/PID/cgroup, a line each: HIERARCHY:CONTROLLERS:PATH. That of version 2 is "0::PATH"; of
 * version 1 the one of systemd, or the first, says most. */
static void read_cgroup(struct facts *f, const char *proc)
{
	size_t n;
	char *text = read_file(proc, f->pid, "cgroup", &n), *rest = text, *line;
	const char *best = NULL;
	int rank = 0;

	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':'),
		     *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		/* "/" says nothing where another hierarchy has more. */
		int now = !strcmp(path, "/")                        ? 1
			  : !strncmp(line, "0:", 2)                 ? 4
			  : strstr(controllers + 1, "name=systemd") ? 3
								    : 2;

		if (now > rank) {
			rank = now;
			best = path;
		}
	}
	if (best) {
		f->cgroup = strdup(best);
		f->container = find_container(best);
		f->pod = find_pod(best);
		f->unit = find_unit(best);
	}
	free(text);
}

static int read_env(struct facts *f, const char *proc, const char *const *allowed, size_t n_allowed)
{
	size_t n, cap = 0;
	char *text = n_allowed ? read_file(proc, f->pid, "environ", &n) : NULL;
	int err = 0;

	for (const char *s = text; s && s < text + n && !err; s += strlen(s) + 1) {
		const char *equals = strchr(s, '=');

		for (size_t i = 0; equals && i < n_allowed && !err; i++) {
			const size_t len = (size_t)(equals - s);

			if (strlen(allowed[i]) != len || strncmp(allowed[i], s, len))
				continue;
			err = vec_reserve(&f->env, &cap, f->n_env + 1);
			if (err)
				break;
			f->env[f->n_env++] = (struct fact_env){ strdup(allowed[i]),
								strdup(equals + 1) };
			if (!f->env[f->n_env - 1].name || !f->env[f->n_env - 1].value)
				err = -ENOMEM;
		}
	}
	free(text);
	return err;
}

int facts_read(struct facts *f, const char *proc, uint32_t pid, const char *executable,
	       const char *comm, const char *const *allowed, size_t n_allowed)
{
	const char *slash = executable ? strrchr(executable, '/') : NULL;

	*f = (struct facts){ .pid = pid };
	f->executable = executable ? strdup(executable) : NULL;
	f->program = strdup(slash ? slash + 1 : executable ? executable : comm ? comm : "");
	if (!f->program || (executable && !f->executable))
		return -ENOMEM;
	read_command(f, proc);
	f->kernel = !executable && is_kernel(proc, pid);
	char *name = f->command ? started_as(f->command, comm) : NULL;

	if (name) {
		free(f->program);
		f->program = name;
	}
	read_cgroup(f, proc);
	return read_env(f, proc, allowed, n_allowed);
}

const char *facts_env(const struct facts *f, const char *name)
{
	for (size_t i = 0; i < f->n_env; i++)
		if (!strcmp(f->env[i].name, name))
			return f->env[i].value;
	return NULL;
}

void facts_free(struct facts *f)
{
	for (size_t i = 0; i < f->n_env; i++) {
		free(f->env[i].name);
		free(f->env[i].value);
	}
	free(f->env);
	free(f->executable);
	free(f->program);
	free(f->command);
	free(f->cgroup);
	free(f->container);
	free(f->pod);
	free(f->unit);
	*f = (struct facts){ 0 };
}
