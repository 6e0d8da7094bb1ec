/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Go executable as the linker left it. Gives its functions, its Go version and modules, and the
 * layout of the runtime's structs. All is read from the file alone.
 *
 * The input is untrusted. Lengths and offsets in the file are checked.
 */
#ifndef GOTRACE_GOBIN_H
#define GOTRACE_GOBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GOFUNC_ASM 1 /* written in assembly (_func.flag, internal/abi/symtab.go) */
/* made by the compiler: method wrapper, type..eq, type..hash, ABI wrapper */
#define GOFUNC_WRAPPER 2
#define GOFUNC_ABI0    4 /* called by the stack ABI, so no register holds g at its entry */
/* inside the range that the FIPS self-check hashes, where no byte may change */
#define GOFUNC_FIPS 8

/*
 * Called after a message that libdw gets no memory. It must not return, because libdw cannot pass
 * on the error. NULL means abort().
 */
extern void (*gobin_no_memory)(void);

struct gofunc {
	/* spelled like .symtab (without ".abi0"), %-escapes kept; owned by the gobin */
	const char *name;
	uint64_t vaddr;      /* link-time address of the first byte */
	uint64_t file_off;   /* offset of that byte in the file */
	uint32_t size;       /* bytes, without trailing padding */
	uint32_t flags;      /* GOFUNC_* */
	uint32_t start_line; /* 0 when not known */
	const char *file;    /* source file of the first instruction, NULL when not known */
	uint32_t pcln;       /* offset of its _func in the pclntab; private to core/binary */
};

/* Byte offsets inside runtime.g, runtime.m, runtime._panic. -1 when not known, or when the version
 * has no such field. */
struct golayout {
	int32_t g_stack_lo, g_stack_hi, g_panic, g_m, g_sched_sp, g_sched_pc, g_sched_bp;
	int32_t g_atomicstatus, g_goid, g_gopc, g_startpc, g_parent_goid, g_waitreason;
	int32_t g_sigcode0; /* holds recovery's sp up to Go 1.21 */
	int32_t g_labels;   /* labels of runtime/pprof */
	/* g_waitsince is the end of the garbage collection before the first that saw the goroutine
	 * wait. g_tracking_seq is a number of 8 bits that grows each time the goroutine stops
	 * running. */
	int32_t g_waitsince, g_tracking_seq;
	int32_t m_g0, m_gsignal, m_procid, m_p, m_curg, m_morebuf_sp; /* m.morebuf.sp */
	int32_t panic_link, panic_sp, panic_start_sp, panic_goexit, panic_recovered;
	bool from_dwarf; /* true when from DWARF, false when from the table by version */
};

struct gomodule {
	/* version is "(devel)" or "" for a main module built in place */
	const char *path, *version;
};

struct arch;  /* binary/arch.h */
struct gobin; /* opaque */

/*
 * Opens the Go executable on descriptor `fd`. It borrows fd, and the caller may close it
 * afterwards. `path` is for messages only. It accepts Go 1.16 and newer. On an error it returns
 * NULL and sets errno, after logging one line with the cause and the next step. errno is ENOEXEC
 * for not ELF or not Go, ENOTSUP for an unknown processor or too old a Go, EBADMSG for truncated
 * or corrupt, ENOMEM, or EIO.
 */
struct gobin *gobin_open(int fd, const char *path);
/* Does as gobin_open with a limit on memory, 0 for none. Above the limit errno is EFBIG, not
 * logged. */
struct gobin *gobin_open_bounded(int fd, const char *path, uint64_t most_bytes);
/* Does as gobin_open_bounded for names and lines of functions only (goframes.h). It reads neither
 * code nor DWARF. */
struct gobin *gobin_open_names(int fd, const char *path, uint64_t most_bytes);
void gobin_close(struct gobin *b);
/* Returns true when `fd` is a program packed by UPX, whose file does not hold the functions' names.
 * Logs nothing. */
bool gobin_is_packed(int fd);

/* Returns the processor that the code is for. */
const struct arch *gobin_arch(const struct gobin *b);
/* Returns true when the processor that gotrace runs on executes the code. */
bool gobin_runs_here(const struct gobin *b);
/* Returns 0 when gobin_runs_here, else -ENOTSUP after logging one line. */
int gobin_refuse_foreign(const struct gobin *b);
const char *gobin_go_version(const struct gobin *b); /* "go1.26.8", "devel ..." */
int gobin_go_minor(const struct gobin *b);           /* 26 of go1.26.8; -1 when it cannot be read */
const char *gobin_build_id(const struct gobin *b);   /* GNU build id in hex, else Go's, else "" */
bool gobin_is_pie(const struct gobin *b);
bool gobin_has_dwarf(const struct gobin *b);

/* The main module; its path is "" when the binary has no module data. */
const struct gomodule *gobin_main_module(const struct gobin *b);

/* Returns the number of functions. *funcs has them by ascending vaddr, with names from .symtab,
 * else from pclntab. */
size_t gobin_funcs(const struct gobin *b, const struct gofunc **funcs);
/* Returns the function that holds link-time address `vaddr`, NULL when none does. */
const struct gofunc *gobin_func_at(const struct gobin *b, uint64_t vaddr);
/* Computes the bytes from the stack pointer up to the return address at vaddr, from f's pcsp table.
 * Returns 0 or -ENOENT. */
int gobin_sp_delta(const struct gobin *b, const struct gofunc *f, uint64_t vaddr, int32_t *out);
/* Returns the first function of exactly that name, NULL when there is none. */
const struct gofunc *gobin_func_named(const struct gobin *b, const char *name);

/* Finds source file and line of a link-time pc, from pclntab. Returns 0, or -ENOENT when it has
 * none. b owns *file. */
int gobin_line(const struct gobin *b, uint64_t vaddr, const char **file, uint32_t *line);

/*
 * Calls fn with the name of each function whose body was inlined into f (pclntab's inline tree).
 * Each name comes once, in no particular order. Returns 0, or -EBADMSG when the table cannot be
 * read.
 */
int gobin_inlined(const struct gobin *b, const struct gofunc *f,
		  void (*fn)(void *ctx, const char *name), void *ctx);

/*
 * Finds the layout of the runtime's structs from DWARF, or without DWARF from the table by version.
 * Returns 0, or -ENOTSUP after logging one line. This happens when the version is older than Go
 * 1.19, or is not in the table and there is no DWARF.
 */
int gobin_layout(const struct gobin *b, struct golayout *out);

/* Finds the offset from the thread pointer of the slot that holds g. It is -8 in a pure Go link.
 * Other links give it by PT_TLS and runtime.tlsg, or by the runtime's own code. Returns 0 and *off,
 * or -ENOENT. */
int gobin_tls_g(const struct gobin *b, int64_t *off);

/* Finds the link-time address of runtime.allgs, the slice of all goroutines. Returns 0 and *vaddr,
 * or -ENOENT. */
int gobin_allgs(const struct gobin *b, uint64_t *vaddr);

/* The link-time addresses that the loaded image spans, [*lo, *hi). */
void gobin_image(const struct gobin *b, uint64_t *lo, uint64_t *hi);

/* Returns about how many bytes of memory b takes. */
size_t gobin_bytes_held(const struct gobin *b);
/* Returns the `len` bytes at link-time address `vaddr`, NULL when the file does not hold them. b
 * owns them. */
const uint8_t *gobin_bytes(const struct gobin *b, uint64_t vaddr, size_t len);

/* Calls fn for each 8-byte word of the read-only data that could be an entry of a jump table. Such
 * a word points into a function and is next to another word that points into it. The tables are
 * absolute, with relative relocations applied. */
void gobin_text_words(const struct gobin *b, void (*fn)(void *ctx, uint64_t vaddr), void *ctx);

#endif
