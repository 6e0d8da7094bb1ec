// What the page was given, as arrays.

const $ = (id) => document.getElementById(id);

const D = JSON.parse($("data").textContent);
$("data").remove();

// Numbers in base 64, lowest digits first, five bits and "more follows" in each.
const DIGIT = new Uint8Array(128);
for (const [i, c] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].entries())
	DIGIT[c.charCodeAt(0)] = i;

// Calls put(v) for each number of s. Beyond 2^31 shifts would overflow.
function each(s, put) {
	for (let i = 0; i < s.length;) {
		let d = DIGIT[s.charCodeAt(i++)], v = d & 31, scale = 32;
		while (d & 32) {
			d = DIGIT[s.charCodeAt(i++)];
			v += (d & 31) * scale;
			scale *= 32;
		}
		put(v);
	}
}

const list = (s) => { const a = []; each(s, (v) => a.push(v)); return a; };

// A number for each of n things, from the first-th on.
function dense(s, n, first = 0, Type = Float64Array) {
	const a = new Type(n);
	for (let i = 0, at = first; at < n && i < s.length; at++) {
		let d = DIGIT[s.charCodeAt(i++)], v = d & 31, scale = 32;
		while (d & 32) {
			d = DIGIT[s.charCodeAt(i++)];
			v += (d & 31) * scale;
			scale *= 32;
		}
		a[at] = v;
	}
	return a;
}

// Pairs: how many things further on, what stands there.
function sparse(s, put) {
	let at = 0, odd = false;
	each(s, (v) => {
		odd = !odd;
		if (odd) at += v;
		else put(at, v);
	});
}

function sparseArray(s, n) {
	const a = new Float64Array(n);
	sparse(s, (at, v) => { a[at] = v; });
	return a;
}

function sparseMap(s) {
	const m = new Map();
	sparse(s, (at, v) => m.set(at, v));
	return m;
}

const unfold = (v) => v % 2 ? -(v + 1) / 2 : v / 2;

// A recording of samples has samples where a trace has calls: those that a function itself was seen in.
const SAMPLES = D.trace.info.mode === "samples";
const ONE = SAMPLES ? "sample" : "call", MANY = SAMPLES ? "self samples" : "calls", OF_CALLS = SAMPLES ? "" : " of the calls";

// ---- functions

const F = { n: D.funcs.n, names: [...D.funcs.names, "[other]", "runtime timer"] };
F.all = F.names.length;
// With several programs each has its functions; `key` tells those of one name apart in addresses.
F.programs = D.funcs.programs ? [...D.funcs.programs, "", ""] : null;
F.key = F.programs ? F.names.map((name, f) => F.programs[f] ? name + " [" + F.programs[f] + "]" : name) : F.names;
const funcOf = (key) => { const f = F.key.indexOf(key); return f < 0 ? F.names.indexOf(key) : f; };
F.line = dense(D.funcs.lines, F.all);
F.file = [];
for (const f of D.funcs.files) F.file.push(f === "" ? F.file.at(-1) : f);
for (const key of ["calls", "total_ns", "self_ns", "morestack_ns", "preempt_ns", "unfinished", "unwound", "suspect",
	"suspect_ns", "morestack_count", "preempt_count", "declined_count"])
	F[key] = dense(D.funcs[key], F.all);
// Parts of self_ns, where the trace has states of goroutines.
const STATES = [["running", "run_ns", "run"], ["runnable", "runnable_ns", "ready"], ["waiting", "wait_ns", "wait"],
	["in system calls", "syscall_ns", "syscall"], ["state unknown", "unknown_ns", "unknown"], ["without a processor", "off_cpu_ns", "off-cpu"]].filter(([, key]) => D.funcs[key]);
for (const [, key] of STATES) F[key] = dense(D.funcs[key], F.all);
// Of finished calls; NaN where none of them has a duration.
for (const key of ["min_ns", "max_ns", "mean_ns", "p50_ns", "p90_ns", "p99_ns"])
	F[key] = dense(D.funcs[key], F.all).map((v) => v ? v - 1 : NaN);

// Histograms of how long calls took: by function, pairs of a bar and its calls.
let histsCache = null;
function hists() {
	if (histsCache) return histsCache;
	const numbers = list(D.funcs.hists || "");
	histsCache = [];
	for (let i = 0; i < numbers.length;) {
		const bars = [];
		for (let n = numbers[i++], at = 0; n--; i += 2) bars.push([at += numbers[i], numbers[i + 1]]);
		histsCache.push(bars);
	}
	return histsCache;
}

// The shortest duration of a bar, ns: four bars a power of two.
const barFrom = (b) => b < 4 ? 16 * b : 2 ** (Math.floor(b / 4) + 5) * (1 + b % 4 / 4);

// ---- the tree: node 0 stands above all, parents stand before what is below them

function numbersOf(columns, n, parent, go) {
	const v = {
		calls: dense(columns.calls, n, 1), self: dense(columns.self, n, 1),
		grow: sparseArray(columns.morestack, n), preempt: sparseArray(columns.preempt, n),
		suspect: sparseMap(columns.suspect), unfinished: sparseMap(columns.unfinished),
		unwound: sparseMap(columns.unwound),
	};
	// As STATES: parts of self, by node.
	v.states = columns.run_ns === undefined || !STATES.length ? null : STATES.map(([, key]) => sparseArray(columns[key], n));
	v.total = totals(v, parent, go);
	sparse(columns.total, (at, off) => { v.total[at] += unfold(off); });
	return v;
}

// Time does not flow across a go statement; a prologue that was held up is its caller's time.
function totals(v, parent, go) {
	const total = Float64Array.from(v.self);
	for (let i = total.length - 1; i > 0; i--)
		if (!go[i]) total[parent[i]] += total[i] + v.grow[i] + v.preempt[i];
	return total;
}

const T = { n: D.tree.n };
{
	const n = T.n, up = dense(D.tree.up, n, 1, Uint32Array);
	T.func = dense(D.tree.func, n, 1, Uint32Array);
	T.parent = new Uint32Array(n);
	T.level = new Uint32Array(n);
	for (let i = 1; i < n; i++) {
		let at = i - 1;
		for (let k = up[i]; k; k--) at = T.parent[at];
		T.parent[i] = at;
		T.level[i] = T.level[at] + 1;
	}
	// The goroutine's group at its outermost call, plus nothing: group 0 is never started by a go statement.
	T.go = new Uint32Array(n);
	sparse(D.tree.go, (at, v) => { T.go[at] = v; });
	T.recursion = sparseMap(D.tree.recursion);
	T.end = new Uint32Array(n);
	for (let i = n - 1; i >= 0; i--) {
		if (T.end[i] < i + 1) T.end[i] = i + 1;
		if (i && T.end[T.parent[i]] < T.end[i]) T.end[T.parent[i]] = T.end[i];
	}
	T.group = new Uint32Array(n);
	for (let i = 1; i < n; i++) T.group[i] = T.go[i] || T.group[T.parent[i]];
}
const ALL = numbersOf(D.tree, T.n, T.parent, T.go);
// In a comparison: the numbers of the trace before.
const WAS = D.was ? numbersOf(D.was.tree, T.n, T.parent, T.go) : null;

if (WAS) {
	F.was = { calls: dense(D.was.funcs.calls, F.all), self: dense(D.was.funcs.self_ns, F.all),
		traced: dense(D.was.funcs.traced, F.all), total: dense(D.was.funcs.total_ns, F.all), grow: dense(D.was.funcs.morestack_ns, F.all) };
}

// Of functions: the greatest depth of direct recursion.
F.recursion = new Map();
for (const [at, depth] of T.recursion)
	F.recursion.set(T.func[at], Math.max(depth, F.recursion.get(T.func[at]) || 0));

// Nodes whose function does not stand above them on their goroutine: their totals add up.
let outermostCache = null;
function outermost() {
	if (outermostCache) return outermostCache;
	const is = new Uint8Array(T.n), open = new Uint32Array(F.all), outer = new Uint32Array(T.n), root = new Uint32Array(T.n);
	let at = 0;
	for (let i = 1; i < T.n; i++) {
		for (; at && T.level[at] >= T.level[i]; at = T.parent[at]) open[T.func[at]] = outer[at];
		root[i] = T.go[i] || !T.parent[i] ? i : root[T.parent[i]];
		outer[i] = open[T.func[i]];
		is[i] = !outer[i] || root[outer[i]] !== root[i] ? 1 : 0;
		open[T.func[i]] = at = i;
	}
	return outermostCache = is;
}

// ---- what the goroutine picker offers

const PICKS = [{ key: "all", kind: "all", sankey: D.sankey, sizes: [D.sankey_few, D.sankey, D.sankey_many] }];
for (const g of D.groups || []) PICKS.push({ key: "p" + g.group, kind: "group", ...g });
for (const [i, g] of (D.goroutines || []).entries())
	PICKS.push({ key: "g" + i, kind: "goroutine", ...g });

// What numbers are of: goroutines, and what is left out of them.
const scopeKey = () => [S.pick.key, S.parked, ...S.hidden].join(" ");

// Nodes of functions that are hidden, and all below them; null: none is.
let hiddenCache = { key: null };
function hiddenNodes() {
	if (!S.hidden.length) return null;
	const key = S.hidden.join(" ");
	if (hiddenCache.key === key) return hiddenCache.is;
	const is = new Uint8Array(T.n);
	for (let i = 1; i < T.n; i++) is[i] = is[T.parent[i]] || S.hidden.includes(T.func[i]) ? 1 : 0;
	return (hiddenCache = { key, is }).is;
}

// The numbers of what is picked, by node, without what is hidden.
let shownCache = { key: null };
function valuesOf(pick) {
	const is = hiddenNodes(), all = pickedValues(pick), key = scopeKey();
	if (!is) return all;
	if (shownCache.key === key && shownCache.of === all) return shownCache.v;
	const v = { suspect: all.suspect, unfinished: all.unfinished, unwound: all.unwound }, keep = (of) => of.map((x, i) => is[i] ? 0 : x), gone = new Float64Array(T.n);
	for (const k of ["calls", "self", "grow", "preempt"]) v[k] = keep(all[k]);
	v.states = all.states && all.states.map(keep);
	for (let i = T.n - 1; i > 0; i--) {
		if (T.go[i]) continue;
		const up = T.parent[i];
		gone[up] += is[i] && !is[up] ? all.total[i] + all.grow[i] + all.preempt[i] : is[i] ? 0 : gone[i];
	}
	v.total = all.total.map((x, i) => is[i] ? 0 : Math.max(0, x - gone[i]));
	shownCache = { key, of: all, v };
	return v;
}

function pickedValues(pick) {
	if (pick.kind === "all") return ALL;
	if (pick.values) return pick.values;
	for (const p of PICKS) p.values = null;
	const v = { suspect: ALL.suspect, unfinished: ALL.unfinished, unwound: ALL.unwound };
	for (const key of ["calls", "self", "grow", "preempt"]) v[key] = new Float64Array(T.n);
	if (pick.kind === "group") {
		const keep = (all) => all.map((x, i) => T.group[i] === pick.group ? x : 0);
		for (const key of ["calls", "self", "grow", "preempt", "total"]) v[key] = keep(ALL[key]);
		v.states = ALL.states && ALL.states.map(keep);
	} else if (pick.kind === "stretch") {
		addStretch(v, pick.from, pick.to);
		v.total = totals(v, T.parent, T.go);
	} else {
		let at = 0;
		const nodes = list(pick.nodes).map((step) => at += step);
		for (const key of ["calls", "self", "grow", "preempt"])
			for (const [k, value] of list(pick[key]).entries()) v[key][nodes[k]] = value;
		v.total = totals(v, T.parent, T.go);
	}
	return pick.values = v;
}
