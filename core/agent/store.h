/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder of profiles: of each service and stretch of time a trace of samples (.gotrace) and a
 * pprof profile (.pb.gz), and an index in SQLite, index.db:
 *
 *	profiles(id, service, labels, from_ns, to_ns, samples, weight_ns, waiting_ns, lost, event,
 *		 build_ids, path, bytes)
 *	outbox(id, tries)      profiles that are still to be pushed
 *	totals(name, value)    what has become of samples, over all time
 *
 * Times are nanoseconds since 1970; labels are an object of JSON, build_ids a list; path is that of
 * both files, without their ends. A profile is there when its row is: files are put in place
 * before, and taken away after it.
 */
#ifndef GOTRACE_AGENT_STORE_H
#define GOTRACE_AGENT_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "agent/pairs.h"

struct store {
	char *directory;
	sqlite3 *db;
	int dir_fd;
	/* of one that is read */
	struct stat index; /* as it was found */
	bool frozen;       /* nobody writes: it is read without locks and log */
	ino_t shared;      /* of index.db-shm, where it is looked at; 0: it is not */
	uint64_t ticks;    /* what SQLite may still do */
	bool said_labels;  /* that those of a row cannot be read */
	int failed;        /* why the last question could not be asked, -errno */
};

struct profile {
	int64_t id;
	char *service, *labels; /* labels: JSON */
	uint64_t from_ns, to_ns;
	uint64_t samples, weight_ns, lost; /* weight_ns: of what executed */
	uint64_t waiting_ns;               /* of what did not, where that is looked at */
	const char *event;
	char *build_ids; /* JSON */
	char *path;      /* relative, without the files' ends */
	uint64_t bytes;  /* of both files */
};

/*
 * Makes the directory if it is not there, and locks it: whoever writes a store holds the lock, from
 * before store_open until its process ends or closes the descriptor, which is returned. -EBUSY:
 * another process has it; -EPERM: the directory is another user's; -errno (all logged).
 */
int store_lock(const char *directory);
/* Makes it if it is not there. The directory is the caller's own. 0 or -errno (logged). */
int store_open(struct store *s, const char *directory);
/*
 * Reads one that is there, also while its agent writes. It may be a stranger's: nothing is written,
 * made, deleted or played back, no link is followed, and what SQLite does is bounded by the size of
 * the index. The caller has the rights of who asked (store_owner). s stays where it is until
 * store_close. 0 or -errno (logged).
 */
int store_open_to_read(struct store *s, const char *directory);
/* So often it is opened anew where an agent begins or ends to write meanwhile (-EAGAIN). */
#define STORE_TRIES 10
bool store_is_one(const char *directory);
/* Whose rights are enough to read it: its owner's. 0 or -errno. */
int store_owner(const char *directory, uid_t *uid, gid_t *gid);
/* The file of a row, `end` behind its path, to be read: below the directory, by no link, regular. A
 * descriptor; -ENOENT; another -errno (logged). */
int store_open_file(const struct store *s, const char *path, const char *end);
void store_close(struct store *s);

/* Where a new profile's files go: *path below the directory, which has its folders. To be freed;
 * NULL (logged). */
char *store_new_path(const struct store *s, const char *service, uint64_t from_ns, unsigned number);
/* Adds all of them or none; push: to be pushed. 0 or -errno (logged). */
int store_add(struct store *s, const struct profile *p, size_t n, bool push);
/* What store_trim took away, to which it adds. */
struct store_trimmed {
	uint64_t old, too_many;  /* profiles that were older, or more, than may be */
	uint64_t samples, bytes; /* of those */
	uint64_t given_up;       /* profiles that are not pushed any more */
};
/* Takes away what is older than max_age_ns and, the oldest first, what is more than max_bytes (0:
 * no limit); of what is to be pushed the oldest beyond pending_bytes are given up. 0 or -errno. */
int store_trim(struct store *s, uint64_t now_ns, uint64_t max_age_ns, uint64_t max_bytes,
	       uint64_t pending_bytes, struct store_trimmed *gone);
/* Adds to a total. 0 or -errno (logged). */
int store_count(struct store *s, const char *name, uint64_t n);
uint64_t store_total(struct store *s, const char *name);
/* The number that the next row will have, 1 or more; none is used twice. 0 (logged). */
int64_t store_next_id(struct store *s);

/* What of a store is wanted. */
struct store_query {
	const char *service;      /* NULL: all */
	struct pairs labels;      /* all of them */
	uint64_t from_ns, to_ns;  /* to_ns 0: the end */
	int64_t first_id, end_id; /* rows from the one to before the other; end_id 0: all */
};
/* Calls `each` with the profiles that overlap the query, in the order of time, until it returns
 * something else than 0, which is returned. -errno (logged); -EAGAIN, not logged: an agent began
 * to write meanwhile, and all is to be done again with the store opened anew. */
int store_find(struct store *s, const struct store_query *q,
	       int (*each)(void *ctx, const struct profile *p), void *ctx);

/* ---- the outbox */

/* The oldest that are to be pushed, `most` of them at most. Returns how many, or -errno (logged).
 * profile_free. */
int store_next_out(struct store *s, struct profile *p, int most);
/* It is pushed, or given up (then it counts as that). 0 or -errno (logged). */
int store_out_done(struct store *s, const struct profile *p, bool pushed);
void profile_free(struct profile *p);

#endif
