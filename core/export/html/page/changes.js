// What changed between two traces: the numbers of `gotrace diff`, where the numbers of calls differ by call.

const CHANGED = 4, UNSURE = 3, FOLDED = 2; // as enum diff_verdict

const G = WAS ? (() => {
	const c = D.was.changes, g = { ...c, name: c.by === "run" ? "RUN" : c.by === "share" ? "share" : "self" };
	for (const key of ["verdict", "by_call", "times", "run_a", "run_b", "self_a", "self_b", "total_a", "total_b"])
		if (c[key] !== undefined) g[key] = dense(c[key], F.all);
	for (const key of ["pct", "low", "high", "grown", "grown_self", "grown_total", "points", "share_a", "share_b"])
		if (c[key]) g[key] = [...c[key], ...Array(F.all - F.n).fill(null)]; // [other] and the timer are not compared
	return g;
})() : null;

const changed = (f) => f < F.n && (G.times[f] > 0 || (G.verdict[f] === CHANGED && onlyIn(f) !== ""));
// What changed of it: its running time or, where only that did for sure, its self time; of samples percentage points.
const waits = (f) => G.by === "run" && G.times[f] === 2;
const sizeOf = (f) => (G.by === "share" ? G.points[f] : waits(f) ? G.grown_self[f] : G.grown[f]) || 0;
const onlyIn = (f) => F.was.calls[f] ? F.calls[f] ? "" : "A" : F.calls[f] ? "B" : "";
const signedPct = (p) => Number.isFinite(p) ? (p > 0 ? "+" : "−") + (Math.abs(p) < 99.95 ? Math.abs(p).toFixed(1) : count(Math.abs(p))) + "%" : "";

// "+24.1%", and how sure that is.
function growthText(f) {
	if (G.by === "share") return signedPoints(G.points[f]);
	return waits(f) ? signedPct(100 * (G.self_b[f] / G.self_a[f] - 1)) : runText(f);
}
const runText = (f) => onlyIn(f) ? onlyIn(f) === "B" ? "new" : "gone" : G.pct[f] ? signedPct(G.pct[f]) : "";
const pctText = (p) => (p || 0).toFixed(1) + "%";
const signedPoints = (p) => p === null ? "" : (p > 0 ? "+" : "−") + Math.abs(p).toFixed(1);
function sureText(f) {
	if (f >= F.n || onlyIn(f) || waits(f) || G.pct[f] === null || (G.low[f] === null && G.high[f] === null)) return "";
	return (G.low[f] === null ? "at most " + signedPct(G.high[f]) : G.high[f] === null ? "at least " + signedPct(G.low[f]) : signedPct(G.low[f]) + " to " + signedPct(G.high[f]));
}

// How much slower (1) or faster (-1) than before, as a share of the larger; 0 where that is not sure, or too little to count.
function ratio(was, now) {
	const most = Math.max(was, now), d = most ? (now - was) / most : 0;
	return Math.abs(now - was) * 100 < G.threshold_pct * was ? 0 : d;
}
function changeOf(f, by = S.by) {
	if (f >= F.n) return 0;
	if (by === "calls") return ratio(F.was.calls[f], F.calls[f]);
	if (by === "grow") return ratio(F.was.grow[f], F.morestack_ns[f]);
	if (by === "total") return ratio(G.total_a[f], G.total_b[f]);
	if (!changed(f)) return 0;
	if (waits(f)) return ratio(G.self_a[f], G.self_b[f]);
	if (G.by === "share") return ratio(G.share_a[f], G.share_b[f]);
	return onlyIn(f) === "B" ? 1 : ratio(1, 1 + (G.pct[f] || 0) / 100);
}

// Of a node with all below it: time, less that without a processor where both have states, for as many calls as B has.
let belowCache = new Map();
function nodeBelow(v, i, by = S.by) {
	const key = v === ALL ? "now" + by : "was" + by;
	if (!belowCache.has(key)) {
		const sum = Float64Array.from(by === "calls" ? v.calls : by === "grow" ? v.grow : v.self), off = STATES.findIndex(([, k]) => k === "off_cpu_ns");
		if (by === "total") for (let k = 1; k < T.n; k++) sum[k] += v.grow[k] + v.preempt[k] - (off >= 0 && ALL.states && WAS.states ? v.states[off][k] : 0);
		for (let k = T.n - 1; k > 0; k--) sum[T.parent[k]] += sum[k];
		belowCache.set(key, sum);
	}
	return belowCache.get(key)[i];
}
function nodeChange(i) {
	const by_call = S.by === "total" && G.by === "run" && WAS.calls[i] && ALL.calls[i];
	return ratio(nodeBelow(WAS, i) * (by_call ? ALL.calls[i] / WAS.calls[i] : 1), nodeBelow(ALL, i));
}

// ---- the table

const cellOf = (d, ...content) => el("td", { class: d > 0 ? "slower" : d < 0 ? "faster" : "none" }, ...content);

function changeColumns() {
	const per = (name) => "of a call, where the numbers of calls differ (“by call”)" + (name ? "; " + name : "");
	const times = (name, key, tip) => [timeColumn(name + " A", (f) => G[key + "_a"][f], tip), timeColumn("B", (f) => G[key + "_b"][f], tip)];
	const grown = (title, key, tip) => ({ title, tip, size: true, get: (f) => G[key][f] || 0, show: (f) => cellOf(key !== "grown_self" || onlyIn(f) || G.times[f] & 2 ? G[key][f] : 0, timeCell(G[key][f], true)) });
	const first = G.by === "share" ? [{ title: "share A", get: (f) => G.share_a[f], show: (f) => cell(pctText(G.share_a[f])) }, { title: "B", get: (f) => G.share_b[f], show: (f) => cell(pctText(G.share_b[f])) },
		{ title: "points ±", size: true, by: "self", get: (f) => G.points[f], show: (f) => cellOf(changed(f) ? G.points[f] : 0, signedPoints(G.points[f])) }] :
		[...(G.by === "run" ? times("run", "run", per("running time")) : []),
			{ title: G.by === "run" ? "run ±" : "change", size: true, by: "self", tip: "sorted by the time that it comes to; grey: not for sure, or not enough to count", get: (f) => G.grown[f] || 0,
				show: (f) => { const c = cellOf(changed(f) && !waits(f) ? G.grown[f] : 0, runText(f)); c.title = sureText(f); return c; } }];
	return [...first, ...times("self", "self", per(G.by === "run" ? "less the time without a processor" : "")), grown("self ±", "grown_self", "for as many calls as B has"),
		...times("total", "total", per("")), { ...grown("total ±", "grown_total", "for as many calls as B has"), by: "total" },
		{ title: MANY + " A", get: (f) => F.was.calls[f], show: (f) => cell(count(F.was.calls[f])) },
		{ title: "B", get: (f) => F.calls[f], show: (f) => cell(count(F.calls[f])) },
		{ title: MANY + " ±", size: true, by: "calls", get: (f) => F.calls[f] - F.was.calls[f], show: (f) => { const d = F.calls[f] - F.was.calls[f]; return cellOf(d, (d > 0 ? "+" : d < 0 ? "−" : "") + count(Math.abs(d))); } },
		...(SAMPLES ? [] : [{ title: "growth ±", size: true, by: "grow", get: (f) => F.morestack_ns[f] - F.was.grow[f], show: (f) => cellOf(F.morestack_ns[f] - F.was.grow[f], timeCell(F.morestack_ns[f] - F.was.grow[f], true)) }])];
}

// Called in one of two traces only: because the program changed, or because it had no probe there?
function changeMark(f) {
	if (!WAS || f >= F.n) return null;
	const only = onlyIn(f);
	if (!only) return G.by_call[f] ? el("span", { class: "mark", title: "A has " + count(F.was.calls[f]) + " calls, B " + count(F.calls[f]) + ": times are of one call" }, "by call") : null;
	const probed = F.was.traced[f] & (only === "B" ? 1 : 2);
	return el("span", { class: "mark" }, probed ? only === "B" ? "new" : "gone" : "not traced in " + (only === "B" ? "A" : "B"));
}

// ---- details and tips: "before" is A's

const beforeRows = (f) => f >= F.n ? [] : [[G.by_call[f] ? "A call, before → after" : "Before → after", ""], ["· total", G.total_a[f], G.total_b[f]], ["· self", G.self_a[f], G.self_b[f]],
	...(G.by === "run" ? [["· run", G.run_a[f], G.run_b[f]]] : [])].map(([name, a, b]) => [name, a === "" ? "" : time(a) + " → " + time(b)]);

// ---- the overview

function changeCards() {
	const all = [...F.names.keys()].slice(0, F.n), size = sizeOf, most = all.reduce((m, f) => changed(f) ? Math.max(m, Math.abs(size(f))) : m, 0);
	const what = G.by === "run" ? "Running time, B − A, for as many calls as B has" : G.by === "share" ? "Share of samples, B − A" : "Self time, B − A";
	const amountOf = (f) => G.by === "share" ? "" : timeCell(size(f), true);
	const card = (title, sub, chosen) => el("div", { class: "card" }, el("h2", {}, title), el("p", { class: "sub" }, sub),
		chosen.length ? el("div", { class: "path", role: "group" }, chosen.slice(0, 10).map((f) => el("div", pressable(() => focusOn(f), { title: F.names[f] + (sureText(f) ? "\n" + sureText(f) + " in " + (G.sampled ? "999 of 1,000" : "19 of 20") + " such comparisons" : "") }),
		el("span", { class: "name" }, nameOf(f), changeMark(f), waits(f) ? el("span", { class: "mark" }, "waits") : null), meter(size(f) < 0 && most ? -size(f) / most : 0, size(f) > 0 && most ? size(f) / most : 0),
		el("span", { class: "num " + (size(f) > 0 ? "slower" : "faster") }, amountOf(f)), el("span", { class: "num" }, growthText(f))))) : el("p", { class: "none" }, "Nothing."));
	const both = all.filter((f) => changed(f) && !onlyIn(f)), seen = SAMPLES ? "Seen" : "Called";
	return [card("Slower in B", what, both.filter((f) => size(f) > 0).sort((x, y) => size(y) - size(x))),
		card("Faster in B", what, both.filter((f) => size(f) < 0).sort((x, y) => size(x) - size(y))),
		card("New in B", seen + " in B only", all.filter((f) => onlyIn(f) === "B").sort((x, y) => size(y) - size(x))),
		card("Gone in B", seen + " in A only", all.filter((f) => onlyIn(f) === "A").sort((x, y) => size(x) - size(y)))];
}

// How long both ran, and what is not in the lists above and why.
function changeLines() {
	const n = (verdict) => G.verdict.reduce((k, v) => k + (v === verdict ? 1 : 0), 0), folded = n(FOLDED) + n(UNSURE), least = time(G.by === "run" ? G.min_run_ns : G.min_ns);
	const wall = "A " + time(G.wall_a) + " → B " + time(G.wall_b) + (G.wall_a ? ", " + signedPct(100 * (G.wall_b - G.wall_a) / G.wall_a) : "");
	return el("div", { class: "answer" }, el("div", {}, el("p", {}, wall), el("p", { class: "sub" },
		(folded ? plural(folded, "function") + " changed by less than " + G.threshold_pct + "%" + (G.by === "share" ? "" : " or " + least) + (G.by === "self" ? "." : ", or not for sure.") : "") +
		(n(UNSURE) ? " " + count(n(UNSURE)) + " of them may have changed by more: compare several recordings a side (gotrace diff A1 A2 A3 -- B1 B2 B3)." : ""))));
}
