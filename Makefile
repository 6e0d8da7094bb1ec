# gotrace. `make help` lists the targets.
#   V=1 shows commands, DEBUG=1 builds -O0, SAN=1 with ASan and UBSan, CC=clang,
#   PREFIX= and DESTDIR= for install, O= another build folder, NODEPS=1 installs nothing.

PREFIX ?= /usr/local
O      ?= build
# The processor that is built for: folders of that name have all that knows it.
ARCH   ?= x86_64
# Not BUILD: that is one of the words of make regress.
OUT    := $(O)$(if $(filter 1,$(SAN)),/san)$(if $(filter 1,$(FUZZ)),/fuzz)
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
CLANG  ?= clang
AR     ?= ar

Q   := $(if $(filter 1,$(V)),,@)
msg  = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

VERSION := $(shell ci/version.sh 2>/dev/null || echo unknown)
LIBS_ALL := libbpf libelf libdw capstone zlib liblzma libzstd libprotobuf-c sqlite3 jansson libcurl libmicrohttpd

CPPFLAGS += -Icore -I. -I$(OUT) -I$(OUT)/proto -D_GNU_SOURCE
CFLAGS   ?= -g$(filter 1,$(SAN)) $(if $(filter 1,$(DEBUG)),-O0,$(if $(filter 1,$(SAN)),-O1,-O2))
CFLAGS   += -std=gnu11 -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wundef -Wformat=2 -Wno-format-nonliteral -Wvla -fno-common -pthread
LDFLAGS  += -pthread
ifeq ($(SAN),1)
# With -O1 and -g1, which has lines only, it is built in half of the time. gcc guesses lengths there that it knows at -O2.
CFLAGS   += -Wno-format-truncation -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS  += -fsanitize=address,undefined
endif
ifeq ($(FUZZ),1)
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CC       := $(CLANG)
CFLAGS   += $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link
LDFLAGS  += $(FUZZ_FLAGS)
endif
LDLIBS    = $(shell pkg-config --libs $(LIBS_ALL)) -liberty -lm

# One folder a layer. libgotrace.a has no libbpf; the privileged half is apart.
LAYERS     := base stats binary plan trace symbols rings pair model keep analysis report export agent
LAYER_DIRS := $(LAYERS:%=core/%) $(patsubst %/,%,$(wildcard $(LAYERS:%=core/%/*/))) core/base/host/$(ARCH)
ATTACH_DIRS := core/sample core/sample/lang core/attach $(patsubst %/,%,$(wildcard core/attach/*/)) core/attach/host/$(ARCH)
# What is no part of the product: tests, what several of them share, fuzzers.
no_product := %_test.c %_fixture.c %_fuzz.c
LIB_SRC    := $(filter-out $(no_product),$(wildcard $(LAYER_DIRS:%=%/*.c)))
ATTACH_SRC := $(filter-out $(no_product),$(wildcard $(ATTACH_DIRS:%=%/*.c)))
ASM_SRC    := $(wildcard $(LAYER_DIRS:%=%/*.S))
CLI_SRC    := $(filter-out $(no_product),$(wildcard core/cli/*.c))
TEST_SRC   := $(wildcard core/*/*_test.c core/*/*/*_test.c core/*/*/$(ARCH)/*_test.c)
SHARED_SRC := $(wildcard core/*/*_fixture.c core/*/*/*_fixture.c)
FUZZ_SRC   := $(wildcard core/*/*_fuzz.c)
PROTO      := $(wildcard core/export/*/*.proto core/agent/*.proto)
PROTO_SRC  := $(patsubst %.proto,$(OUT)/proto/%.pb-c.c,$(notdir $(PROTO)))
obj         = $(patsubst %.c,$(OUT)/obj/%.o,$(1))
asm_obj     = $(patsubst %.S,$(OUT)/obj/%.o,$(ASM_SRC))
proto_obj   = $(PROTO_SRC:.c=.o)

LIB    := $(OUT)/libgotrace.a
ATTACH := $(OUT)/libgotrace-attach.a
BIN    := $(OUT)/gotrace
BPF    := $(patsubst bpf/%.c,$(OUT)/%.o,$(wildcard bpf/*.bpf.c))
TESTS  := $(TEST_SRC:core/%.c=$(OUT)/test/%)
SHARED := $(OUT)/libgotrace-test.a
FUZZERS := $(FUZZ_SRC:core/%.c=$(OUT)/%)
REPLAYS := $(FUZZ_SRC:core/%_fuzz.c=$(OUT)/%_replay)

.PHONY: all
all: $(BIN) $(LIB) $(ATTACH)
.DELETE_ON_ERROR:
.SECONDARY:

# What the compiler needs is installed before anything is compiled, or with NODEPS=1 looked for; a stamp makes that free later.
deps = $(if $(filter 1,$(NODEPS)),$(if $(filter build test,$(1)),$(O)/.have-$(1)),$(O)/.deps-$(1))
$(O)/.deps-%: ci/deps.sh
	@mkdir -p $(@D)
	$(Q)ci/deps.sh $*
	@touch $@
$(O)/.have-%: ci/deps.sh
	@mkdir -p $(@D)
	$(Q)CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' ci/deps.sh --check $*
	@touch $@

# ---- the library and the command

# An object depends on its headers under each spelling of its name: with O=build and O=$PWD/build.
headers = -MMD -MP $(patsubst %,-MT %,$(sort $@ $(abspath $@) $(patsubst $(CURDIR)/%,%,$(abspath $@))))

$(OUT)/obj/%.o: %.c Makefile | $(call deps,build)
	@mkdir -p $(@D)
	$(call msg,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(headers) -c $< -o $@

# The version is in a file of its own, written when it is another one. Its commit stays where git says nothing, as to root
# in another user's tree.
$(OUT)/version.c: FORCE
	@mkdir -p $(@D)
	@text='const char cli_version[] = "$(VERSION)";'; \
	case "$$(sed 1d $@ 2>/dev/null)" in "$$text" | *'"$(VERSION)'-[0-9]*-g*) ;; \
	*) printf '#include "cli/cli.h"\n%s\n' "$$text" >$@ ;; esac
$(OUT)/version.o: $(OUT)/version.c core/cli/cli.h Makefile | $(call deps,build)
	$(call msg,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
.PHONY: FORCE

# Code that runs in the traced program: copied from the library's constants into stubs.
$(OUT)/obj/%.o: %.S Makefile | $(call deps,build)
	@mkdir -p $(@D)
	$(call msg,AS,$<)
	$(Q)$(CC) $(CPPFLAGS) $(headers) -c $< -o $@

# The BPF objects are assembled into the library, opened from memory at run time.
$(OUT)/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h bpf/$(ARCH)/*.h) Makefile | $(call deps,build)
	@mkdir -p $(@D)
	$(call msg,BPF,$@)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror -I. -Ibpf/$(ARCH) \
		-isystem /usr/include/$(ARCH)-linux-gnu -c $< -o $@
	$(Q)llvm-strip -g $@

# Their programs and maps by name.
$(OUT)/bpf_objects.h: bpf/objects.sh $(BPF)
	$(call msg,BPF,$@)
	$(Q)bpf/objects.sh $(BPF) >$@
$(call obj,$(ATTACH_SRC) $(filter core/attach/% core/sample/%,$(TEST_SRC))): | $(OUT)/bpf_objects.h

$(OUT)/obj/core/attach/probes/embedded_bpf.o: $(BPF)
$(OUT)/obj/core/attach/probes/embedded_bpf.o: CPPFLAGS += -DBPF_DIR='"$(OUT)"'

# What stands around the data of gotrace's page, likewise.
PAGE_SRC := $(wildcard core/export/html/page/*)
$(OUT)/page.tail: $(PAGE_SRC)
	@mkdir -p $(@D)
	$(call msg,PAGE,$@)
	$(Q)core/export/html/page/assemble.sh $(@D)
$(OUT)/obj/core/export/html/html.o: $(OUT)/page.tail
$(OUT)/obj/core/export/html/html.o: CPPFLAGS += -DPAGE_DIR='"$(OUT)"'

# Messages of other programs' formats: C from their .proto files.
vpath %.proto $(sort $(dir $(PROTO)))
$(OUT)/proto/%.pb-c.c: %.proto | $(call deps,build)
	@mkdir -p $(@D)
	$(call msg,PROTO,$<)
	$(Q)$(or $(shell command -v protoc-c),protoc) --proto_path=$(<D) --c_out=$(@D) $(<F)
$(OUT)/proto/%.o: $(OUT)/proto/%.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
$(call obj,$(filter core/export/% core/agent/%,$(LIB_SRC) $(TEST_SRC) $(SHARED_SRC))): | $(PROTO_SRC)

$(LIB): $(call obj,$(LIB_SRC)) $(asm_obj) $(proto_obj)
$(ATTACH): $(call obj,$(ATTACH_SRC))
$(SHARED): $(call obj,$(SHARED_SRC))
$(LIB) $(ATTACH) $(SHARED):
	$(call msg,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BIN): $(call obj,$(CLI_SRC)) $(OUT)/version.o $(ATTACH) $(LIB)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# For fault injection: any allocation of gotrace's own code can be made to fail.
$(OUT)/gotrace-faults: ci/faults/alloc.c $(call obj,$(CLI_SRC)) $(OUT)/version.o $(ATTACH) $(LIB)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -Wno-missing-prototypes -DWRAP -c $< -o $@.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc $@.o $(filter-out %/alloc.c,$^) $(LDLIBS) -o $@

# ---- tests: one cmocka program a file NOUN_test.c beside the code

$(OUT)/test/%: $(OUT)/obj/core/%.o $(SHARED) $(ATTACH) $(LIB) | $(call deps,test)
	@mkdir -p $(@D)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@
$(OUT)/%_fuzz: $(OUT)/obj/core/%_fuzz.o $(SHARED) $(LIB)
	@mkdir -p $(@D)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -o $@
# A fuzzer that runs what it is given, once: the corpora on a push (ci/fuzz.sh replay).
$(OUT)/%_replay: $(OUT)/obj/core/%_fuzz.o $(OUT)/obj/ci/faults/replay.o $(SHARED) $(LIB)
	@mkdir -p $(@D)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(call obj,$(TEST_SRC) $(SHARED_SRC)): | $(call deps,test)

.PHONY: tests
tests: $(TESTS) ## builds the unit tests

# The Go programs are there before the tests that read them start: they would wait for each other.
.PHONY: unit
unit: $(TESTS) | $(call deps,go) ## unit tests of this build (add SAN=1 for sanitizers); need no root
	$(Q)fixtures/binaries/build.sh $(O)/binaries
	$(Q)GOTRACE_TEST_BINARIES=$(O)/binaries ci/unit.sh $(TESTS)

.PHONY: mutation
mutation: | $(call deps,build) $(call deps,test) $(call deps,go) ## whether the unit tests notice when the sources are wrong (ci/mutation)
	$(Q)ci/mutation.sh

.PHONY: coverage
coverage: | $(call deps,build) $(call deps,test) $(call deps,go) ## lines that the unit tests execute, by layer; fails where core/plan has too few
	$(Q)O=$(O) ci/coverage.sh

.PHONY: live
live: $(BIN) | $(call deps,test) $(call deps,go) ## tests that trace real programs; need root and BPF
	$(Q)GOTRACE=$(abspath $(BIN)) ci/live.sh

.PHONY: test
test: | $(call deps,build) $(call deps,test) $(call deps,go) $(call deps,paper) ## every test of a push: unit tests, again with sanitizers, live tests, style (ALSO="vm perun perfetto consumers" ALL=1)
	$(Q)ci/test.sh $(ALSO)

.PHONY: nightly
nightly: ## the long tests, which a push leaves out, in pieces (ci/nightly.sh); need root
	$(Q)ci/nightly.sh

.PHONY: test-perun test-perfetto test-consumers
test-perun: $(BIN) | $(call deps,tools) $(call deps,go) ## profiles in the real Perun, from PyPI (1.5 GB); collecting needs root
	$(Q)O=$(abspath $(O)) GOTRACE=$(abspath $(BIN)) ci/perun.sh

test-consumers: $(BIN) | $(call deps,tools) $(call deps,go) ## exports in pandas, DuckDB and go tool pprof: their sums are report's
	$(Q)GOTRACE=$(abspath $(BIN)) O=$(abspath $(O)) ci/consumers.sh
test-perfetto: $(BIN) | $(call deps,tools) ## exports read by Perfetto's own definitions from PyPI, and by its trace processor
	$(Q)O=$(abspath $(O)) GOTRACE=$(abspath $(BIN)) ci/perfetto.sh

.PHONY: fuzzers replays fuzz fuzz-signals soak
fuzzers: $(FUZZERS)
replays: $(REPLAYS)
fuzz: | $(call deps,build) $(call deps,test) $(call deps,go) ## fuzzes trace reader, pairing, binary parsers and plans (SECONDS=60 each)
	$(Q)O=$(O) ci/fuzz.sh $(or $(SECONDS),60)

fuzz-signals: $(OUT)/test/plan/inline_hook_test ## every kind of signal at every instruction of all inline stubs, and of the hook
	$(Q)INLINE_FUZZ=all $<

soak: $(filter $(OUT)/test/model/random%,$(TESTS)) ## 10 million random executions (RUNS=, SEED=)
	$(Q)ci/soak.sh $(filter $(OUT)/test/model/random%,$(TESTS))

.PHONY: torture torture-faults
torture-faults: $(BIN) | $(call deps,go) ## each allocation and system call made to fail once (MOST=40 of a command, 0: all; SAN=1: looks for leaks)
	$(Q)$(if $(filter 1,$(SAN)),$(MAKE) --no-print-directory SAN=1 $(OUT)/gotrace-faults)
	$(Q)O=$(O) FAULTS_SAN=$(filter 1,$(SAN)) ci/faults.sh $(or $(MOST),40)

torture: $(BIN) | $(call deps,go) ## kills gotrace at random moments and in each phase, damages binaries (KILLS=40, SEED=1, TORTURE_GO=, MUTANTS=120); needs root
	$(Q)GOTRACE=$(abspath $(BIN)) KILLS=$(or $(KILLS),40) $(if $(MUTANTS),MUTANTS=$(MUTANTS)) SEED=$(or $(SEED),1) ci/torture.sh

.PHONY: format
format: | $(call deps,test) ## formats all C with .clang-format
	$(Q)ci/format.sh --write

.PHONY: clang
clang: $(OUT)/page.tail $(OUT)/bpf_objects.h $(PROTO_SRC) ## reads all C with clang as well and makes no objects; warnings are errors
	$(Q)printf '%s\n' $(LIB_SRC) $(ATTACH_SRC) $(CLI_SRC) | xargs -n 8 -P "$$(nproc)" clang $(CPPFLAGS) \
		-DBPF_DIR='"$(OUT)"' -DPAGE_DIR='"$(OUT)"' $(CFLAGS) -fsyntax-only

# ---- the page

.PHONY: test-page
test-page: $(OUT)/test/export/html/html_test ## the page in headless Chromium: every control, no request, no console message
	$(Q)O=$(O) ci/page/run.sh

.PHONY: figures paper paper-pdf check-paper check-prose
figures: $(BIN) | $(call deps,page) ## pictures of the recordings in paper/figures; paper/figures/record.sh records anew
	$(Q)O=$(O) GOTRACE=$(abspath $(BIN)) paper/figures/make.sh

paper: | $(call deps,build) $(call deps,paper) ## tables and plots of all runs again, paper/paper.md, and the rows' numbers in README and CHANGELOG
	$(Q)ci/check-paper.sh --write

paper-pdf: | $(call deps,pdf) ## paper/paper.md as build/paper.pdf, by pandoc and LaTeX (340 MB)
	@mkdir -p $(O)
	$(Q)pandoc --resource-path=paper -H paper/print.tex -V documentclass=extarticle -V geometry:margin=2cm -V fontsize=9pt -V colorlinks -o $(O)/paper.pdf paper/paper.md

check-paper: | $(call deps,build) $(call deps,paper) ## what is derived is made again and compared, numbers of documents are looked up in rows
	$(Q)ci/check-paper.sh

check-prose: ## counts long sentences and bad habits of documents, messages and headers; no count rises (ci/prose.tsv)
	$(Q)ci/prose.sh

# ---- kernels and Go versions

.PHONY: test-vm test-go regress
test-vm: $(BIN) $(LIB) $(TESTS) | $(call deps,go) $(call deps,matrix) $(call deps,experiment) ## unit and live tests and an experiment in VMs (KERNEL= names of ci/kernels or a vmlinuz, TOPICS= VMS=2 SECONDS_TOPICS=)
	$(Q)O=$(O) GOTRACE=$(abspath $(BIN)) TESTS="$(TESTS)" TOPICS="$(TOPICS)" ci/test-vm.sh $(KERNEL)

test-go: $(BIN) | $(call deps,go) $(call deps,test) $(call deps,matrix) ## live tests with another Go, on this kernel; needs root (GO=1.22.0, GO=newest)
	$(Q)O=$(O) GOTRACE=$(abspath $(BIN)) ci/test-go.sh $(GO)

regress: $(BIN) | $(call deps,go) $(call deps,matrix) ## kernels x Go versions x builds (KERNEL= GO= BUILD= PROBE=); needs root
	$(Q)O=$(O) GOTRACE=$(abspath $(BIN)) KERNEL="$(KERNEL)" GO="$(GO)" BUILD="$(BUILD)" PROBE="$(PROBE)" ci/regress.sh

# ---- a first look

.PHONY: kick-the-tires
kick-the-tires: $(BIN) | $(call deps,go) ## in minutes: records a program, makes a table and a figure of it, checks both against what is expected; needs root
	$(Q)experiments/workloads/build.sh $(O)/tires greet
	$(Q)ci/kick-the-tires.py $(abspath $(BIN)) $(O)/tires/greet.noinline $(O)/tires

.PHONY: demo
demo: $(BIN) | $(call deps,go) ## sets up everything on a fresh machine and shows a traced program
	$(Q)GOTRACE=$(abspath $(BIN)) ci/demo.sh $(O)/demo

# ---- experiments: one folder each, results kept under results/

# Each target names the script that it runs; experiments/all.sh reads these lines, too.
EXPERIMENTS := $(shell sed -nE 's/^(experiment-[a-z-]+|regress-cost):.*/\1/p' $(firstword $(MAKEFILE_LIST)))
.PHONY: $(EXPERIMENTS)
$(EXPERIMENTS): $(BIN) | $(call deps,build)
	$(Q)$(if $(filter %-newest,$@),GO=$$(tail -n 1 ci/go-versions)) O=$(abspath $(O)) GOTRACE=$(abspath $(BIN)) $(filter experiments/%,$^) $(if $(filter %-safety,$@),$(SECONDS))

experiment-page: experiments/page/run.sh | $(call deps,page) ## size of the page, and how fast it opens and moves, at a million paths (RUNS=5 QUICK=1 RESUME=FOLDER)
experiment-overhead: experiments/overhead/run.sh | $(call deps,go) $(call deps,experiment) ## the thesis's overhead tables; needs root (RUNS=5 GO= WORKLOADS= VARIANTS= QUICK=1 RESUME=FOLDER)
experiment-overhead-newest: experiments/overhead/run.sh | $(call deps,go) $(call deps,experiment) ## the same of programs built with the newest Go of ci/go-versions; needs root
experiment-thesis-original: experiments/thesis-original/run.sh | $(call deps,go) $(call deps,experiment) $(call deps,original) ## the thesis's own collector and programs beside gotrace; needs root and two clones (ORIGINAL=DIR RUNS=5 WORKLOADS= VARIANTS= QUICK=1 RESUME=FOLDER)
experiment-throughput: experiments/throughput/run.sh ## events per second that one core reads and pairs, and the memory (RUNS=5 QUICK=1 RESUME=FOLDER)
experiment-trace-io: experiments/trace-io/run.sh ## ns to write and read an event of a trace, and bytes (RUNS=5 QUICK=1 RESUME=FOLDER)
experiment-collector: experiments/collector/run.sh ## ns that the collector takes per event of inline stubs, by stage and rings (RUNS=5 QUICK=1 RESUME=FOLDER)
experiment-export: experiments/export-throughput/run.sh | $(call deps,experiment) ## time, memory and bytes of every export (RUNS=5 QUICK=1 RESUME=FOLDER)
experiment-attach-pause: experiments/attach-pause/run.sh | $(call deps,go) ## how long a running process is stopped to be patched, and what tracing costs it; needs root (RUNS=5 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-attach-servers: experiments/attach-servers/run.sh | $(call deps,go) ## what attaching costs servers under load: rate, latencies, processor time; needs root (RUNS=5 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-attach-scale: experiments/attach-scale/run.sh | $(call deps,go) ## seconds to attach 10 to 50,000 probes, with one link and with a link a site; needs root (RUNS=5 PROBES= VARIANTS= QUICK=1 RESUME=FOLDER)
experiment-correctness: experiments/correctness/run.sh | $(call deps,go) $(call deps,correctness) ## each situation with each tool, repeated: exact, wrong (how) or refused; needs root (RUNS=10 TOOLS= QUICK=1 RESUME=FOLDER)
experiment-prologue-stops: experiments/prologue-stops/run.sh | $(call deps,go) $(call deps,experiment) ## how much of what the thesis counted as stack growth is real, counted without its probes too; needs root (RUNS=20 GO= WORKLOADS= QUICK=1 RESUME=FOLDER)
experiment-accuracy: experiments/accuracy/run.sh | $(call deps,go) ## durations of 100 ns to 1 s against the program's own clock, and what the correction leaves; needs root (RUNS=10 CASES= VARIANTS= QUICK=1 RESUME=FOLDER)
experiment-probe-cost: experiments/probe-cost/run.sh | $(call deps,go) $(call deps,correctness) ## ns a traced call costs by strategy of probing, and the lowest possible cost; needs root (RUNS=12 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-real-programs: experiments/real-programs/run.sh | $(call deps,go) ## real programs: slowdown, losses, and shares against Go's own profile; needs root, npm (RUNS=5 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-springboard-coverage: experiments/springboard-coverage/run.sh | $(call deps,go) ## share of sites in real programs that cost one trap, by Go version (GO= QUICK=1)
experiment-inline-coverage: experiments/inline-coverage/run.sh | $(call deps,go) ## share of sites in real programs that need no trap with inline stubs, by Go version (GO= QUICK=1)
experiment-springboard-safety: experiments/springboard-safety/run.sh | $(call deps,test) $(call deps,go) ## tests whether springboard ever harms a program; needs root (SECONDS=7200 GO= QUICK=1)
experiment-constant-memory: experiments/constant-memory/run.sh | $(call deps,go) ## memory, file and counts of an hour with --summary and --keep-last; needs root (LENGTH=3600 QUICK=1)
experiment-peers: experiments/peers/run.sh | $(call deps,go) $(call deps,peers) ## five questions to gotrace, uftrace, Delve, bpftrace, perf and Go's own profiles: what to type, and whether the answer is right; needs root (RUNS=5 QUICK=1)
experiment-sample-accuracy: experiments/sample-accuracy/run.sh | $(call deps,go) $(call deps,experiment) ## shares by samples against perf, Go's own profile and the truth; needs root (RUNS=5 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-sample-gaps: experiments/sample-cost/gaps.sh | $(call deps,go) $(call deps,experiment) ## what gotrace sample and perf record take from a thread, by the thread's own clock; needs root (RUNS=40 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-sample-goroutines: experiments/sample-cost/goroutines.sh | $(call deps,go) ## what gotrace sample --wall takes by how many goroutines wait; needs root (RUNS=9 WORKLOADS= GO= QUICK=1 RESUME=FOLDER)
experiment-sample-cost: experiments/sample-cost/run.sh | $(call deps,go) $(call deps,experiment) ## what gotrace sample and perf record take from a program, and themselves; needs root (RUNS=40 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-mode-cost: experiments/mode-cost/run.sh | $(call deps,go) ## what each mode takes from a server and from a program that computes, and itself; needs root (RUNS=9 WORKLOADS= VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-where-time-goes: experiments/where-time-goes/run.sh | $(call deps,go) ## waiting and running of a server, by gotrace, Go's profiles, go tool trace and fgprof, against the truth; needs root (RUNS=5 VARIANTS= GO= QUICK=1 RESUME=FOLDER)
experiment-long-run: experiments/long-run/run.sh | $(call deps,go) ## memory of gotrace and size of its trace over hours, with --summary and --min-duration; needs root (SECONDS_EACH=3600 QUICK=1)
experiment-agent-cost: experiments/agent-cost/run.sh | $(call deps,go) ## what gotrace agent takes itself with 50 processes; needs root (LENGTH=600 CASES= QUICK=1)
regress-cost: experiments/regress-cost/run.sh | $(call deps,go) ## ns a call by strategy and Go version against the last stored run, a report; needs root (RUNS=7 GO= VARIANTS= QUICK=1)

.PHONY: experiments experiments-host tables plots
experiments: $(BIN) | $(call deps,build) $(call deps,go) ## every experiment, one after the other; needs root (QUICK=1 EXPERIMENTS= WITHOUT= MISSING=1 LONG=900)
	$(Q)O=$(O) GOTRACE=$(abspath $(BIN)) experiments/all.sh

experiments-host: $(BIN) | $(call deps,build) $(call deps,go) ## all of them on a machine of yours, rows packed into one file; needs root (as experiments)
	$(Q)O=$(O) GOTRACE=$(abspath $(BIN)) experiments/host.sh

plots: tables ## the same
tables: $(LIB) | $(call deps,build) $(call deps,experiment) ## everything derived from rows in results, made again: tables and plots
	$(Q)O=$(abspath $(O)) experiments/derive.sh

.PHONY: fixtures
fixtures: $(BIN) | $(call deps,go) ## records fixtures/traces again; needs root
	$(Q)GOTRACE=$(abspath $(BIN)) fixtures/record.sh

.PHONY: fresh
fresh: | $(call deps,fresh) ## make demo and make test on a machine made from nothing; needs root
	$(Q)ci/fresh.sh

# ---- installing

.PHONY: install
install: all ## installs into PREFIX (default /usr/local), below DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 $(BIN) core/cli/gotrace-perun-collect $(DESTDIR)$(PREFIX)/bin/
	install -m 644 core/cli/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 core/cli/gotrace.bash-completion \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/gotrace
	install -m 644 core/cli/gotrace.zsh-completion $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gotrace
	install -m 644 core/cli/gotrace.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/

.PHONY: clean
clean: ## removes what was built
	rm -rf $(O)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort | expand -t 28

-include $(asm_obj:.o=.d) $(patsubst %.c,$(OUT)/obj/%.d,$(LIB_SRC) $(ATTACH_SRC) $(CLI_SRC) $(TEST_SRC) \
	$(SHARED_SRC) $(FUZZ_SRC))
