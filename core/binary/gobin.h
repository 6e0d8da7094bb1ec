/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Go executable as the linker left it: its functions, its Go version and
 * modules, the layout of the runtime's structs. Read from the file alone.
 *
 * Untrusted input: no length or offset in the file is believed.
 */
#ifndef GOTRACE_GOBIN_H
#define GOTRACE_GOBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GOFUNC_ASM 1 /* written in assembly (_func.flag, internal/abi/symtab.go) */
/* made by the compiler: method wrapper, type..eq, type..hash, ABI wrapper */
#define GOFUNC_WRAPPER 2
#define GOFUNC_ABI0    4 /* called by the stack ABI: R14 is not g at its entry */
#define GOFUNC_FIPS    8 /* inside the range the FIPS self-check hashes: no byte may change */

/*
 * Called once it was said that libdw gets no memory, which libdw has no other way to pass on: it
 * must not return. NULL: abort().
 */
extern void (*gobin_no_memory)(void);

struct gofunc {
	/* as .symtab spells it (without ".abi0"), %-escapes kept; owned by the gobin */
	const char *name;
	uint64_t vaddr;      /* link-time address of the first byte */
	uint64_t file_off;   /* offset of that byte in the file */
	uint32_t size;       /* bytes, without trailing 0xcc padding */
	uint32_t flags;      /* GOFUNC_* */
	uint32_t start_line; /* 0 when not known */
	const char *file;    /* source file of the first instruction, NULL when not known */
	uint32_t pcln;       /* offset of its _func in the pclntab; private to core/binary */
};

/* Byte offsets inside runtime.g, runtime.m, runtime._panic; -1: not known, or that version has no
 * such field. */
struct golayout {
	int32_t g_stack_lo, g_stack_hi, g_panic, g_m, g_sched_sp, g_sched_pc, g_sched_bp;
	int32_t g_atomicstatus, g_goid, g_gopc, g_startpc, g_parent_goid, g_waitreason;
	int32_t g_sigcode0; /* where recovery's sp is up to Go 1.21 */
	int32_t g_labels;   /* of runtime/pprof */
	/* the end of the garbage collection before the first that saw it wait, and a number of 8
	 * bits that grows each time it stops to run */
	int32_t g_waitsince, g_tracking_seq;
	int32_t m_g0, m_gsignal, m_procid, m_p, m_curg, m_morebuf_sp; /* m.morebuf.sp */
	int32_t panic_link, panic_sp, panic_start_sp, panic_goexit, panic_recovered;
	bool from_dwarf; /* else from the table by version */
};

struct gomodule {
	const char *path, *version; /* version "(devel)" or "" for a main module built in place */
};

struct gobin; /* opaque */

/*
 * Opens the Go executable on descriptor `fd` (borrowed, may be closed
 * afterwards; `path` is for messages only). Parsed for Go 1.16 and newer.
 * Returns NULL and sets errno after logging one line that names the cause and
 * the next step: ENOEXEC not ELF or not Go, ENOTSUP wrong architecture or Go
 * too old, EBADMSG truncated or corrupt, ENOMEM, EIO.
 */
struct gobin *gobin_open(int fd, const char *path);
/* The same of a file that takes no more memory than that, 0: no limit; else EFBIG, not logged. */
struct gobin *gobin_open_bounded(int fd, const char *path, uint64_t most_bytes);
/* The same for names and lines of functions alone (goframes.h): neither code nor DWARF are read. */
struct gobin *gobin_open_names(int fd, const char *path, uint64_t most_bytes);
void gobin_close(struct gobin *b);
/* Whether `fd` is a program packed by UPX: what its functions are named is not in the file. Logs
 * nothing. */
bool gobin_is_packed(int fd);

const char *gobin_go_version(const struct gobin *b); /* "go1.26.8", "devel ..." */
int gobin_go_minor(const struct gobin *b);           /* 26 of go1.26.8; -1 when it cannot be read */
const char *gobin_build_id(const struct gobin *b);   /* GNU build id in hex, else Go's, else "" */
bool gobin_is_pie(const struct gobin *b);
bool gobin_has_dwarf(const struct gobin *b);

/* The main module; its path is "" when the binary has no module data. */
const struct gomodule *gobin_main_module(const struct gobin *b);

/* Functions by ascending vaddr, names from .symtab, else from pclntab. */
size_t gobin_funcs(const struct gobin *b, const struct gofunc **funcs);
/* The function that holds link-time address `vaddr`, NULL when none does. */
const struct gofunc *gobin_func_at(const struct gobin *b, uint64_t vaddr);
/* Bytes from rsp up to the return address at vaddr, from f's pcsp table. 0 or -ENOENT. */
int gobin_sp_delta(const struct gobin *b, const struct gofunc *f, uint64_t vaddr, int32_t *out);
/* The first function of exactly that name, NULL when there is none. */
const struct gofunc *gobin_func_named(const struct gobin *b, const char *name);

/* Source file and line of a link-time pc, from pclntab. 0, or -ENOENT when it has none. *file is
 * owned by b. */
int gobin_line(const struct gobin *b, uint64_t vaddr, const char **file, uint32_t *line);

/*
 * Names of the functions whose bodies were inlined into f (pclntab's inline
 * tree), each name once, in no particular order. Calls fn for each.
 * 0 or -EBADMSG when the table cannot be read.
 */
int gobin_inlined(const struct gobin *b, const struct gofunc *f,
		  void (*fn)(void *ctx, const char *name), void *ctx);

/*
 * Layout of the runtime's structs: from DWARF when there is any, else from the
 * table by version. Returns 0; -ENOTSUP after logging one line when the
 * version is older than Go 1.19, or not in the table and there is no DWARF.
 */
int gobin_layout(const struct gobin *b, struct golayout *out);

/* Offset from the thread pointer of the slot that holds g: -8 in a pure Go
 * link; by PT_TLS and runtime.tlsg, or the runtime's own code, else. 0 and *off, or -ENOENT. */
int gobin_tls_g(const struct gobin *b, int64_t *off);

/* The link-time address of runtime.allgs, the slice of all goroutines. 0 and *vaddr, or -ENOENT. */
int gobin_allgs(const struct gobin *b, uint64_t *vaddr);

/* The link-time addresses that the loaded image spans, [*lo, *hi). */
void gobin_image(const struct gobin *b, uint64_t *lo, uint64_t *hi);

/* The memory that it takes, about. */
size_t gobin_bytes_held(const struct gobin *b);
/* The `len` bytes at link-time address `vaddr`, NULL when the file does not hold them. Owned by b.
 */
const uint8_t *gobin_bytes(const struct gobin *b, uint64_t vaddr, size_t len);

/* Calls fn for each 8-byte word of the read-only data that points into a function and is next to
 * another word into it, so that it could be a jump-table entry (absolute tables, R_X86_64_RELATIVE
 * applied). */
void gobin_text_words(const struct gobin *b, void (*fn)(void *ctx, uint64_t vaddr), void *ctx);

#endif
