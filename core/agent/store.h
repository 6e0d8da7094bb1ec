/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder of profiles. Each service and stretch of time has a trace of samples (.gotrace) and a
 * pprof profile (.pb.gz). An index in SQLite, index.db, has these tables:
 *
 *	profiles(id, service, labels, from_ns, to_ns, samples, weight_ns, waiting_ns, lost, event,
 *		 build_ids, path, bytes)
 *	outbox(id, tries)      profiles that are still to be pushed
 *	totals(name, value)    samples over all time: written, pushed, given up
 *
 * Times are nanoseconds since 1970. labels are an object of JSON, build_ids a list. path is the
 * path of both files without their ends. A profile exists while its row does. Its files appear
 * before the row, and are removed after it.
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
	/* for a store that is read */
	struct stat index; /* its status at opening */
	bool frozen;       /* no process writes, so it is read without locks and log */
	ino_t shared;      /* inode of index.db-shm, or 0 if it is not checked */
	uint64_t ticks;    /* steps that SQLite may still take */
	bool said_labels;  /* a message has reported unreadable labels of a row */
	int failed;        /* -errno of the last failed query */
};

struct profile {
	int64_t id;
	char *service, *labels; /* labels: JSON */
	uint64_t from_ns, to_ns;
	uint64_t samples, weight_ns, lost; /* weight_ns: time of execution */
	uint64_t waiting_ns;               /* time of waits, if they are sampled */
	const char *event;
	char *build_ids; /* JSON */
	char *path;      /* relative, without the ends of the files */
	uint64_t bytes;  /* bytes of both files */
};

/*
 * Makes the directory if it is missing, and locks it. A writer of a store holds the lock from
 * before store_open until its process ends or closes the returned descriptor. -EBUSY: another
 * process holds it. -EPERM: the directory belongs to another user. Other errors: -errno. All are
 * logged.
 */
int store_lock(const char *directory);
/* Opens a store, and makes it if it is missing. The directory belongs to the caller. Returns 0 or
 * -errno (logged). */
int store_open(struct store *s, const char *directory);
/*
 * Opens an existing store for reading, also while its agent writes. The store may be a stranger's.
 * So this opening writes, makes, deletes and replays nothing, and follows no link. The size of the
 * index bounds the work of SQLite. The caller has the rights of the invoking user (store_owner). s
 * must not move until store_close. Returns 0 or -errno (logged).
 */
int store_open_to_read(struct store *s, const char *directory);
/* The number of attempts to open it if an agent begins or ends to write meanwhile (-EAGAIN). */
#define STORE_TRIES 10
bool store_is_one(const char *directory);
/* Returns the owner, whose rights are enough to read it. Returns 0 or -errno. */
int store_owner(const char *directory, uid_t *uid, gid_t *gid);
/* Opens the file of a row for reading. Its name is the path with `end` behind it. The file must be
 * regular, below the directory, and reached by no link. Returns a descriptor, -ENOENT, or another
 * -errno (logged). */
int store_open_file(const struct store *s, const char *path, const char *end);
void store_close(struct store *s);

#define STORE_WORD_BYTES 64

/* Makes a part of a file's name of a service's name: cuts it, and puts _ for other characters than
 * letters, digits, underscores, dots and hyphens. */
void store_file_word(const char *service, char word[STORE_WORD_BYTES]);
/* Returns the path of a new profile's files below the directory, and makes its folders. The caller
 * frees it. NULL: error (logged). */
char *store_new_path(const struct store *s, const char *service, uint64_t from_ns, unsigned number);
/* Adds all profiles or none. push: also adds them to the outbox. Returns 0 or -errno (logged). */
int store_add(struct store *s, const struct profile *p, size_t n, bool push);
/* Counts of store_trim, which adds to them. */
struct store_trimmed {
	uint64_t old, too_many;  /* profiles over the age limit, and over the size limit */
	uint64_t samples, bytes; /* sums of those */
	uint64_t given_up;       /* profiles removed from the outbox */
};
/* Removes profiles older than max_age_ns. Then it removes the oldest ones until the rest has at
 * most max_bytes (0: no limit). It also removes the oldest profiles beyond pending_bytes from the
 * outbox. Returns 0 or -errno. */
int store_trim(struct store *s, uint64_t now_ns, uint64_t max_age_ns, uint64_t max_bytes,
	       uint64_t pending_bytes, struct store_trimmed *gone);
/* Returns a total, or 0 if nothing was added to it. */
uint64_t store_total(struct store *s, const char *name);
/* Returns the number of the next row, 1 or more. No number is used twice. Returns 0 on error
 * (logged). */
int64_t store_next_id(struct store *s);

/* Selects profiles of a store. */
struct store_query {
	const char *service;      /* NULL: all */
	struct pairs labels;      /* a profile must have all of them */
	uint64_t from_ns, to_ns;  /* to_ns 0: the end */
	int64_t first_id, end_id; /* from first_id to before end_id; end_id 0: all */
};
/* Calls `each` with the profiles that overlap the query, in the order of time. It stops at the
 * first result of `each` besides 0 and returns that result. It returns -errno (logged) on error.
 * -EAGAIN is not logged: an agent began to write meanwhile, and the caller must open the store
 * again and repeat all. */
int store_find(struct store *s, const struct store_query *q,
	       int (*each)(void *ctx, const struct profile *p), void *ctx);

/* ---- the outbox */

/* Gets the oldest profiles of the outbox, at most `most`. Returns their number, or -errno (logged).
 * The caller calls profile_free for each. */
int store_next_out(struct store *s, struct profile *p, int most);
/* Removes a profile from the outbox. If it was not pushed, counts it as given up. Returns 0 or
 * -errno (logged). */
int store_out_done(struct store *s, const struct profile *p, bool pushed);
void profile_free(struct profile *p);

#endif
