// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_world_fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "binary/x86_64/x86_arch.h"

#define TRAPPED 0xcc /* int3 */

static struct world *the_world; /* of the child */

uint64_t world_at(const struct child *k, const void *in_world)
{
	(void)k;
	return (uint64_t)(uintptr_t)in_world;
}

static uint64_t text_at(const struct world *w, unsigned off)
{
	return (uint64_t)(uintptr_t)w->text + off;
}

/* ---- what the child's handlers do */

/* runtime.asyncPreempt: the goroutine goes on on another thread and P, all registers kept. */
void world_preempt(void);
__asm__(".text\n"
	"world_preempt:\n"
	"	pushfq\n"
	"	push %rax\n"
	"	push %rdx\n"
	"	mov 256(%r14),%rax\n" /* WORLD_G_OTHER_M */
	"	mov 48(%r14),%rdx\n"
	"	mov %rax,48(%r14)\n"
	"	mov %rdx,256(%r14)\n"
	"	pop %rdx\n"
	"	pop %rax\n"
	"	popfq\n"
	"	ret\n");

/* Whether Go's tables have it: padding and stubs are in none. */
static bool known(uint64_t pc)
{
	uint64_t off = pc - text_at(the_world, 0);

	return off < 4096 && (off < TEXT_PADDING || off >= TEXT_BRANCH);
}

static void inject_call(greg_t *regs, uint64_t function)
{
	uint64_t pc = (uint64_t)regs[REG_RIP];

	regs[REG_RSP] -= 8;
	memcpy((void *)(uintptr_t)regs[REG_RSP], &pc, 8);
	regs[REG_RIP] = (greg_t)function;
}

static void handler(int sig, const siginfo_t *info, ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	uint64_t pc = (uint64_t)regs[REG_RIP];
	struct world *w = the_world;

	if (w->n_seen < sizeof(w->seen) / sizeof(*w->seen)) {
		struct world_signal *s = &w->seen[w->n_seen++];

		s->sig = sig;
		s->code = info->si_code;
		memcpy(s->regs, regs, sizeof(s->regs));
	}
	if (sig == SIGURG && known(pc)) {
		w->preempted++;
		inject_call(regs, (uint64_t)(uintptr_t)world_preempt);
	} else if ((sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0 && known(pc) &&
		   w->policy == POLICY_PANIC) {
		inject_call(regs, text_at(w, TEXT_PANIC));
	}
}

typedef void handler_fn(int sig, const siginfo_t *info, ucontext_t *uc);

static void c_handler(int sig, const siginfo_t *info, ucontext_t *uc)
{
	((handler_fn *)(uintptr_t)text_at(the_world, TEXT_SIGTRAMP))(sig, info, uc);
}

static void child_main(struct world *w, enum child_handlers handlers)
{
	static const int signals[] = { SIGURG, SIGPROF, SIGSEGV, SIGBUS, SIGQUIT };
	const stack_t stack = { .ss_sp = w->altstack, .ss_size = sizeof(w->altstack) };
	struct {
		uint64_t handler, flags, restorer, mask;
	} action = {
		.handler = handlers == HANDLERS_CHAINED ? (uint64_t)(uintptr_t)c_handler
							: text_at(w, TEXT_SIGTRAMP),
		.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | 0x04000000, /* SA_RESTORER */
		.restorer = text_at(w, TEXT_RESTORER),
		.mask = handlers == HANDLERS_MASKED ? UINT64_MAX : 0,
	};

	the_world = w;
	if (handlers == HANDLERS_NESTED)
		action.flags |= SA_NODEFER;
	for (unsigned i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		syscall(SYS_rt_sigaction, signals[i], &action, NULL, 8);
	sigaltstack(&stack, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	_exit(1);
}

/* ---- the world */

static void write_at(struct world *w, unsigned off, const void *bytes, size_t n)
{
	memcpy(w->text + off, bytes, n);
}

static void write_jump(struct world *w, unsigned off, uint64_t target)
{
	uint32_t distance = (uint32_t)(target - text_at(w, off + 5));

	w->text[off] = 0xe9;
	write_at(w, off + 1, &distance, 4);
}

static void write_text(struct child *k)
{
	static const uint8_t callee[] = { 0x48, 0x8d, 0x5b, 0x01,
					  0xc3 }; /* lea 1(%rbx),%rbx; ret */
	static const uint8_t restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	/* As runtime.sigtramp, then: xor %ebp,%ebp; sub $8,%rsp; mov handler,%rax */
	static const uint8_t enter[] = { 0x31, 0xed, 0x48, 0x83, 0xec, 0x08, 0x48, 0xb8 };
	/* call *%rax; add $8,%rsp; mov 0x28(%rsp),%rbp; add $0x30,%rsp; ret */
	static const uint8_t leave[] = { 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0x48, 0x8b,
					 0x6c, 0x24, 0x28, 0x48, 0x83, 0xc4, 0x30, 0xc3 };
	handler_fn *const function = handler;
	struct world *w = k->w;
	unsigned at = TEXT_SIGTRAMP;

	memset(w->text, TRAPPED, sizeof(w->text));
	write_at(w, TEXT_CALLEE, callee, sizeof(callee));
	write_at(w, TEXT_RESTORER, restorer, sizeof(restorer));
	write_at(w, TEXT_SYSCALL, "\x0f\x05", 2);
	write_at(w, at, x86_arch.sigtramp, INLINE_SIGTRAMP_BYTES);
	write_at(w, at += INLINE_SIGTRAMP_BYTES, enter, sizeof(enter));
	write_at(w, at += sizeof(enter), &function, 8);
	write_at(w, at + 8, leave, sizeof(leave));
}

/* jge, which is taken when flags are all 0 and all 1, or jmp, to a place of the text; further away
 * to the stub. */
static void write_branch(struct child *k, unsigned off)
{
	static const uint8_t *const branches[7] = { [2] = (const uint8_t *)"\x7d",
						    [5] = (const uint8_t *)"\xe9",
						    [6] = (const uint8_t *)"\x0f\x8d" };
	unsigned len = k->c->branch, size = len == 2 ? 1 : 4;
	uint64_t to = off ? text_at(k->w, off) : world_at(k, k->w->stub);
	uint32_t distance = (uint32_t)(to - text_at(k->w, TEXT_TO_WINDOW + len));

	write_at(k->w, TEXT_TO_WINDOW, branches[len], len - size);
	write_at(k->w, TEXT_TO_WINDOW + len - size, &distance, size);
}

void world_unpatch(struct child *k)
{
	const struct world_case *c = k->c;

	write_text(k);
	if (c->branch)
		write_branch(k, TEXT_WINDOW);
	write_at(k->w, TEXT_WINDOW - c->compare_len, c->compare, c->compare_len);
	write_at(k->w, TEXT_WINDOW, c->code, c->len);
}

/* Writes s to `to` and tells the hook. */
static void add_stub(struct child *k, struct inline_hook *h, const struct inline_stub *s,
		     uint8_t *to)
{
	struct world *w = k->w;

	assert_int_equal(inline_stub_write(&k->program, s, world_at(k, to), to), 0);
	assert_int_equal(inline_hook_add(h, &k->program, s, world_at(k, w->before),
					 (uint32_t)(to - w->before)),
			 0);
}

static void write_stubs(struct child *k, struct inline_hook *h, const struct inline_stub *s)
{
	struct inline_stub other = *s;
	struct world *w = k->w;
	unsigned size;

	assert_int_equal(inline_stub_parts(&k->program, s, &k->parts), 0);
	size = (k->parts.end + INLINE_ALIGN - 1) / INLINE_ALIGN * INLINE_ALIGN;
	memset(w->before, TRAPPED, sizeof(w->before) + sizeof(w->stub));
	other.window += 0x80; /* between those places of the text that are used */
	add_stub(k, h, &other, w->stub - size);
	add_stub(k, h, s, w->stub);
	add_stub(k, h, &other, w->stub + size);
	for (unsigned i = 0; i < k->parts.n_probes; i++) {
		assert_int_equal(w->stub[k->parts.probes[i]], 0xe9);
		w->stub[k->parts.probes[i]] = TRAPPED; /* as the kernel's uprobe does */
	}
}

static void write_stubs_and_hook(struct child *k, const struct inline_stub *s)
{
	struct world *w = k->w;
	const struct inline_hook_place place = {
		.addr = world_at(k, w->hook),
		.stubs = world_at(k, w->before),
		.stubs_bytes = sizeof(w->before) + sizeof(w->stub),
		.text = text_at(w, 0),
		.text_bytes = sizeof(w->text),
		.sigtramp = text_at(w, TEXT_SIGTRAMP),
		.table = world_at(k, w->table),
		.signals = world_at(k, &w->signals),
	};
	struct inline_hook *h = inline_hook_new();

	assert_non_null(h);
	write_stubs(k, h, s);
	assert_true(inline_hook_bytes(h, place.stubs_bytes) <= sizeof(w->hook));
	assert_int_equal(inline_hook_write(h, &place, w->hook), 0);
	inline_hook_free(h);
}

struct inline_stub world_stub(const struct child *k)
{
	const struct world_case *c = k->c;
	struct inline_stub s = {
		.site = WORLD_SITE,
		.tells = c->what,
		.state = c->depth,
		.keeps_rdx = c->entry,
		.late = c->late,
		.bare = c->bare,
		.returns = c->returns,
		.window = text_at(k->w, TEXT_WINDOW),
		.displaced = c->code,
		.len = c->len,
		.n_fixes = c->n_fixes,
		.compare = c->compare,
		.compare_len = c->bare ? 0 : c->compare_len,
		.back = text_at(k->w, TEXT_WINDOW + c->len),
	};

	memcpy(s.fixes, c->fixes, sizeof(c->fixes));
	return s;
}

void world_patch(struct child *k)
{
	const struct world_case *c = k->c;
	struct inline_stub s = world_stub(k);
	struct world *w = k->w;

	k->program = (struct inline_program){
		.g_m = WORLD_G_M,
		.g_goid = WORLD_G_GOID,
		.g_atomicstatus = WORLD_G_STATUS,
		.m_p = WORLD_M_P,
		.m_procid = WORLD_M_PROCID,
		.m_curg = WORLD_M_CURG,
		.g_waitreason = WORLD_G_REASON,
		.g_gopc = WORLD_G_GOPC,
		.g_startpc = WORLD_G_STARTPC,
		.g_sched_pc = WORLD_G_SCHED_PC,
		.m_morebuf_sp = WORLD_M_MOREBUF_SP,
		.table = world_at(k, w->table),
		.text = text_at(w, 0),
		.ring_size = WORLD_SLOTS,
		.drop = c->drop,
	};
	world_unpatch(k);
	write_stubs_and_hook(k, &s);
	memset(w->text + TEXT_WINDOW, TRAPPED, c->len);
	if (c->branch) {
		write_branch(k, c->branch == 2 ? TEXT_PADDING : 0);
		write_jump(w, TEXT_PADDING, world_at(k, w->stub));
	} else if (c->padding) {
		unsigned at = TEXT_WINDOW;

		if (c->padding == 3)
			w->text[at++] = 0x48; /* a prefix that means nothing to the jump */
		w->text[at] = 0xeb;
		w->text[at + 1] = (uint8_t)(TEXT_PADDING - (at + 2));
		write_jump(w, TEXT_PADDING, world_at(k, w->stub));
	} else {
		write_jump(w, TEXT_WINDOW, world_at(k, w->stub));
	}
	write_jump(w, TEXT_SIGTRAMP + INLINE_SIGTRAMP_JUMP, world_at(k, w->hook));
}

static void put64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, 8);
}

void world_reset(struct child *k)
{
	const uint32_t running = 2;
	struct world *w = k->w;

	memset(w->table, 0, sizeof(*w) - offsetof(struct world, table));
	/* Whatever else is there shows when it is written to. */
	memset(w->g, 0x6a, sizeof(w->g));
	memset(w->m, 0x6b, sizeof(w->m));
	memset(w->p, 0x6c, sizeof(w->p));
	for (unsigned i = 0; i < WORLD_RINGS; i++) {
		int32_t id = (int32_t)i;

		w->table[i] = world_at(k, &w->rings[i]);
		put64(w->m[i] + WORLD_M_P, world_at(k, w->p[i]));
		put64(w->m[i] + WORLD_M_PROCID, WORLD_PROCID(i));
		put64(w->m[i] + WORLD_M_CURG, world_at(k, w->g));
		put64(w->m[i] + WORLD_M_MOREBUF_SP,
		      world_at(k, w->stack + sizeof(w->stack)) - WORLD_STOPPED_USED);
		if (k->c->on_g0)
			put64(w->m[i], world_at(k, w->g));
		memcpy(w->p[i], &id, sizeof(id));
	}
	put64(w->g, world_at(k, w->stack));
	put64(w->g + 8, world_at(k, w->stack + sizeof(w->stack)));
	put64(w->g + WORLD_G_M, world_at(k, w->m[0]));
	put64(w->g + WORLD_G_OTHER_M, world_at(k, w->m[1]));
	put64(w->g + WORLD_G_GOID, WORLD_GOID);
	put64(w->g + WORLD_G_GOPC, text_at(w, WORLD_GOPC));
	put64(w->g + WORLD_G_SCHED_PC, text_at(w, WORLD_STOPPED_PC));
	put64(w->g + WORLD_G_STARTPC, text_at(w, WORLD_STARTPC));
	memcpy(w->g + WORLD_G_STATUS, &running, sizeof(running));
	for (unsigned i = 0; i < sizeof(w->stack); i++)
		w->stack[i] = WORLD_STACK_BYTE(i);
	if (k->c->returns)
		put64(w->stack + sizeof(w->stack) - WORLD_STACK_USED, text_at(w, TEXT_BRANCH));
	put64(w->text + TEXT_DATA, 0x0123456789abcdefull);
}

/* ---- the child */

void child_start(struct child *k, const struct world_case *c, enum child_handlers handlers)
{
	void *at = mmap(NULL, WORLD_BYTES + 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(mprotect((uint8_t *)at + WORLD_BYTES, 4096, PROT_NONE), 0);
	*k = (struct child){ .w = at, .c = c };
	world_patch(k);
	world_reset(k);
	k->pid = fork();
	assert_true(k->pid >= 0);
	if (!k->pid)
		child_main(k->w, handlers);
	assert_int_equal(waitpid(k->pid, &status, 0), k->pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, k->pid, NULL, PTRACE_O_EXITKILL), 0);
}

void child_end(struct child *k)
{
	/* When it has ended already its number may be another's. */
	if (waitpid(k->pid, NULL, WNOHANG) == 0) {
		kill(k->pid, SIGKILL);
		waitpid(k->pid, NULL, 0);
	}
	munmap(k->w, WORLD_BYTES + 4096);
}
