/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The Python frames of the sampled thread. The program may write anything into what is read here.
 * So each loop has a bound, and each address is only read.
 *
 * Layouts are those of CPython's Include/internal/pycore_frame.h, Include/cpython/pystate.h and
 * Include/cpython/unicodeobject.h.
 */
#ifndef GOTRACE_PYTHON_BPF_H
#define GOTRACE_PYTHON_BPF_H

#include "bpf/whose.bpf.h"

#define PYTHON_THREADS 1024 /* the most threads and interpreters that are looked at */
#define PYTHON_STEPS   2048 /* the most frames that are looked at */

/* The interpreter of each process that is Python's. User space sets the map's size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, uint32_t);
	__type(value, struct sample_python);
} pythons SEC(".maps");

/* The thread state where a thread's was found last. */
struct python_thread {
	uint32_t serial, tid;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct python_thread);
	__type(value, uint64_t);
} python_threads SEC(".maps");

/* Code objects whose names user space has, and a hash of what tells the object from another one at
 * the same address. */
struct python_code {
	uint64_t code;
	uint32_t serial, pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct python_code);
	__type(value, uint64_t);
} python_codes SEC(".maps");

/* The first numbers of a str object are its length, its hash and its state. */
#define TEXT_WORDS 3
#define TEXT_TAIL  4
struct python_text {
	uint64_t at, head[TEXT_WORDS], tail[TEXT_TAIL]; /* tail: its last characters */
};
#define CODE_WORDS 4
#define SIGN_WORDS (CODE_WORDS + 2 * (1 + TEXT_WORDS + TEXT_TAIL))
/* A program that makes functions all the time has one at the address of another, with names at the
 * addresses of the other's names. From 3.12 on `numbers` has the version of the code (co_version),
 * which is another one for each. */
union python_sign {
	struct {
		uint64_t numbers[CODE_WORDS]; /* from the line on */
		struct python_text name, file;
	};
	uint64_t words[SIGN_WORDS];
};

struct python {
	struct sample_python of;
	union python_sign sign;
	uint64_t base;                /* the thread's local storage; its pthread_self() */
	uint64_t interpreter, thread; /* the next ones to look at */
	uint64_t state;               /* the thread state that was found; 0: none */
	uint64_t frame, cframe;
	uint64_t outer;         /* the innermost frame of the next run, by its _PyCFrame */
	uint32_t next_run;      /* the innermost run whose evaluator the walk has not reached */
	uint32_t name_lost;     /* user space does not have the names of `named` */
	uint32_t nameless, pad; /* nameless: the sample has such a frame */
	uint64_t named;         /* the last code object */
	uint64_t marks[SAMPLE_PYTHON_RUNS]; /* addresses of the runs' marks */
	struct sample_python_record record;
	struct sample_code_record code;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct python);
} python_walks SEC(".maps");

static __always_inline struct python *this_python(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&python_walks, &zero);
}

static __always_inline uint64_t python_word(uint64_t at)
{
	uint64_t word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)at);
	return word;
}

static __always_inline uint8_t python_byte(uint64_t at)
{
	uint8_t byte = 0;

	bpf_probe_read_user(&byte, sizeof(byte), (void *)at);
	return byte;
}

/* ---- names */

/* Reads a str object of at most `most` bytes. Bits 2 to 4 of its state are the width of a
 * character, bit 5 says that the characters follow the header, bit 6 that all are ASCII. */
static __always_inline void read_text(const struct sample_python *of, struct sample_text *text,
				      uint8_t *to, uint32_t most, uint64_t at)
{
	uint64_t length = python_word(at + of->text_length);
	uint32_t state = python_word(at + of->text_state), width = state >> 2 & 7;
	uint64_t bytes = length * width;

	text->length = length;
	text->width = 0;
	if (length > 1 << 20 || !(state & 32) || (width != 1 && width != 2 && width != 4))
		return;
	if (bytes > most)
		bytes = most;
	if (bpf_probe_read_user(to, bytes,
				(void *)(at + (state & 64 ? of->text_ascii : of->text_compact))))
		return;
	text->width = width;
}

static __always_inline void sign_text(const struct sample_python *of, struct python_text *to,
				      uint64_t at)
{
	uint64_t chars, n;

	to->at = at;
	bpf_probe_read_user(to->head, sizeof(to->head), (void *)(at + of->text_length));
	__builtin_memset(to->tail, 0, sizeof(to->tail));
	chars = at + (python_word(at + of->text_state) & 64 ? of->text_ascii : of->text_compact);
	n = to->head[0];
	if (n > sizeof(to->tail)) {
		chars += n - sizeof(to->tail);
		n = sizeof(to->tail);
	}
	bpf_probe_read_user(to->tail, n, (void *)chars);
}

static __always_inline uint64_t sign_code(struct python *p, uint64_t code)
{
	uint64_t hash = 0;

	bpf_probe_read_user(p->sign.numbers, sizeof(p->sign.numbers),
			    (void *)(code + p->of.code_line));
	sign_text(&p->of, &p->sign.name, python_word(code + p->of.code_name));
	sign_text(&p->of, &p->sign.file, python_word(code + p->of.code_file));
#pragma unroll
	for (int i = 0; i < SIGN_WORDS; i++) {
		hash = (hash ^ p->sign.words[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Samples need the other half of the ring. */
static __always_inline int has_room_for_names(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) * 2 <
	       bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE);
}

/* Sends the names of a code object, unless user space has them. Returns 0 if it has not. Then it
 * may have those of another object. */
static __always_inline int name_code(struct python *p, uint64_t code)
{
	struct python_code key = { .code = code, .serial = p->of.serial };
	uint64_t now = sign_code(p, code);
	uint64_t *before = bpf_map_lookup_elem(&python_codes, &key);

	if (before && *before == now)
		return 1;
	p->code.h = p->record.h;
	p->code.h.kind = SAMPLE_RECORD_CODE;
	p->code.serial = p->of.serial;
	p->code.code = code;
	p->code.line = p->sign.numbers[0];
	read_text(&p->of, &p->code.name, p->code.name_bytes, SAMPLE_PYTHON_NAME, p->sign.name.at);
	read_text(&p->of, &p->code.file, p->code.file_bytes, SAMPLE_PYTHON_FILE, p->sign.file.at);
	if (!p->code.name.width || !p->code.name.length || !has_room_for_names() ||
	    bpf_ringbuf_output(&ring, &p->code, sizeof(p->code), BPF_RB_NO_WAKEUP))
		return 0;
	bpf_map_update_elem(&python_codes, &key, &now, BPF_ANY);
	return 1;
}

/* ---- frames */

static __always_inline void end_run(struct python *p, uint64_t mark)
{
	uint32_t run = p->record.n_runs;

	if (run >= SAMPLE_PYTHON_RUNS)
		return;
	p->marks[run] = mark;
	p->record.evaluator[run] = PYTHON_NOWHERE;
	p->record.n_runs = run + 1;
}

/* Notes a frame of the present run. Where there is no room, it notes once that frames are
 * missing. */
static __always_inline void put_code(struct python *p, uint64_t code)
{
	uint32_t n = p->record.n;

	if (n >= SAMPLE_PYTHON_FRAMES)
		return;
	if (n == SAMPLE_PYTHON_FRAMES - 1)
		code = PYTHON_MISSING;
	if (code && code != p->named) { /* a recursion is looked up once */
		p->named = code;
		p->name_lost = !name_code(p, code);
	}
	if (code && p->name_lost) {
		code = PYTHON_NAMELESS;
		p->nameless = 1;
	}
	p->record.frames[n] = code | (uint64_t)p->record.n_runs << PYTHON_RUN_BIT;
	p->record.n = n + 1;
}

/* The evaluator with this _PyCFrame is next. */
static __always_inline void enter_cframe(struct python *p, uint64_t cframe)
{
	p->cframe = cframe;
	p->outer = python_word(python_word(cframe + p->of.cframe_previous) + p->of.cframe_frame);
}

/* Notes the frame and goes on to the one that called it. Returns 1 at the end of the chain. */
static long python_frame(uint32_t i, void *ctx)
{
	struct python *p = this_python();
	uint64_t code, previous;

	(void)i;
	(void)ctx;
	if (!p || !p->frame)
		return 1;
	if (p->record.n_runs >= SAMPLE_PYTHON_RUNS) {
		put_code(p, PYTHON_MISSING);
		return 1;
	}
	if (bpf_probe_read_user(&code, sizeof(code), (void *)(p->frame + p->of.frame_code)) ||
	    bpf_probe_read_user(&previous, sizeof(previous),
				(void *)(p->frame + p->of.frame_previous))) {
		put_code(p, PYTHON_MISSING);
		return 1;
	}
	if (!p->of.no_entry_frame &&
	    python_byte(p->frame + p->of.frame_owner) == SAMPLE_PYTHON_ON_STACK) {
		end_run(p, p->frame);
		p->frame = previous;
		return 0;
	}
	if (code >> SAMPLE_USER_BITS || python_word(code + p->of.object_type) != p->of.code_type) {
		put_code(p, PYTHON_MISSING);
		return 1;
	}
	put_code(p, code);
	if (p->of.no_entry_frame && previous == p->outer) {
		end_run(p, p->cframe);
		enter_cframe(p, python_word(p->cframe + p->of.cframe_previous));
	}
	p->frame = previous;
	return 0;
}

/* Sets the innermost frame of a thread state. Returns 0 if it has none. Then the thread does not
 * execute Python, or it does so in another interpreter. */
static __always_inline int has_frame(struct python *p, uint64_t state)
{
	p->frame = python_word(state + p->of.thread_frame);
	p->cframe = p->frame;
	if (p->of.by_cframe && p->frame)
		p->frame = python_word(p->cframe + p->of.cframe_frame);
	return p->frame != 0;
}

/* Looks at a thread state, or goes on to the next interpreter's. Returns 1 at the end. */
static long python_state(uint32_t i, void *ctx)
{
	struct python *p = this_python();

	(void)i;
	(void)ctx;
	if (!p)
		return 1;
	if (!p->thread) {
		if (!p->interpreter)
			return 1;
		p->thread = python_word(p->interpreter + p->of.interpreter_threads);
		p->interpreter = python_word(p->interpreter + p->of.interpreter_next);
		return 0;
	}
	if (python_word(p->thread + p->of.thread_id) == p->base && has_frame(p, p->thread)) {
		p->state = p->thread;
		return 1;
	}
	p->thread = python_word(p->thread + p->of.thread_next);
	return 0;
}

/* Finds the state of the sampled thread. Its thread_id is pthread_self(), which is the base of its
 * local storage in all C libraries. */
static __always_inline void find_state(struct python *p, uint32_t tid)
{
	struct python_thread key = { .serial = p->of.serial, .tid = tid };
	uint64_t *known = bpf_map_lookup_elem(&python_threads, &key);

	p->state = p->thread = 0;
	p->interpreter = python_word(p->of.interpreters);
	/* The newest interpreter is first. A thread may have a state in each. */
	if (known && !python_word(p->interpreter + p->of.interpreter_next) &&
	    python_word(*known + p->of.thread_id) == p->base && has_frame(p, *known)) {
		p->state = *known;
		return;
	}
	bpf_loop(PYTHON_THREADS, python_state, 0, 0);
	if (p->state)
		bpf_map_update_elem(&python_threads, &key, &p->state, BPF_ANY);
}

/* Reads the Python frames of the sample in w. */
static __always_inline void read_python(struct walk *w, struct task_struct___local *task)
{
	struct python *p = this_python();
	struct sample_python *of = bpf_map_lookup_elem(&pythons, &w->record.pid);

	if (!p)
		return;
	p->record.n = p->record.n_runs = p->next_run = 0;
	if (!of)
		return;
	p->of = *of;
	p->record.h = w->record.h;
	p->record.h.kind = SAMPLE_RECORD_PYTHON;
	p->record.serial = p->of.serial;
	p->base = TLS_BASE(task);
	if (p->base)
		find_state(p, w->record.h.tid);
	if (!p->base || !p->state)
		return;
	if (p->of.by_cframe)
		enter_cframe(p, p->cframe);
	p->named = p->nameless = 0;
	bpf_loop(PYTHON_STEPS, python_frame, 0, 0);
}

/* ---- both stacks */

/* Steps as walk_frame. A frame that has a run's mark in it is that run's evaluator. */
static long walk_python_frame(uint32_t i, const struct walk_context *c)
{
	struct walk *w = c->w;
	struct python *p = this_python();
	uint32_t at = w->n;
	long end = walk_frame(i, c);

	if (!p)
		return end;
	uint32_t run = p->next_run;

	if (run < SAMPLE_PYTHON_RUNS && run < p->record.n_runs && p->marks[run] < w->sp) {
		p->record.evaluator[run] = at;
		p->next_run = run + 1;
	}
	return end;
}

static __always_inline void send_python(struct walk *w, struct sample_counters *count)
{
	struct python *p = this_python();
	uint32_t n = p ? p->record.n : 0;

	if (!n || n > SAMPLE_PYTHON_FRAMES)
		return;
	if (bpf_ringbuf_output(&ring, &p->record,
			       __builtin_offsetof(struct sample_python_record, frames) + n * 8,
			       BPF_RB_NO_WAKEUP))
		count->python_lost++;
	else
		w->record.flags |= SAMPLE_PYTHON;
	count->python_nameless += p->nameless;
}

#endif
