// One function: its numbers, its callers and its callees.

// Callers and callees with what S.by counts; F.all stands for "no traced caller".
function neighbours(f) {
	const v = valuesOf(S.pick), outer = outermost(), callers = new Map(), callees = new Map();
	const weight = (i) => S.by === "calls" ? v.calls[i] : S.by === "grow" ? v.grow[i] : S.by === "self" ? v.self[i] : outer[i] ? v.total[i] : 0;
	const add = (map, i, other, go) => {
		if (!v.calls[i] && !weight(i)) return;
		const key = 2 * other + (go ? 1 : 0);
		map.set(key, (map.get(key) || 0) + weight(i));
	};
	for (let i = 1; i < T.n; i++) {
		const up = T.parent[i];
		if (T.func[i] === f) add(callers, i, up ? T.func[up] : F.all, T.go[i]);
		if (up && T.func[up] === f) add(callees, i, T.func[i], T.go[i]);
	}
	const order = (map) => [...map].map(([key, w]) => ({ f: key >> 1, go: key & 1, w })).sort((a, b) => b.w - a.w || a.f - b.f);
	return [order(callers), order(callees)];
}

function neighbourList(title, rows, whole) {
	const shown = rows.slice(0, 30);
	return [el("h3", {}, title), rows.length ? el("ul", {}, shown.map((r) => r.f === F.all ?
		el("li", {}, el("button", { type: "button", disabled: true }, el("span", { class: "none" }, "no traced caller: outermost"), amount(r.w), meter(whole ? r.w / whole : 0))) :
		el("li", {}, el("button", { type: "button", title: F.names[r.f], onclick: () => focusOn(r.f) },
			el("span", { class: "fn" }, r.go ? el("span", { class: "go" }, "go") : null, label(r.f)), el("span", {}, amount(r.w)), meter(whole ? r.w / whole : 0)))),
	rows.length > shown.length ? el("li", { class: "none" }, plural(rows.length - shown.length, "more").replace(/s$/, "")) : null) :
		el("p", { class: "none" }, "no traced function")];
}

// How long its calls took: a bar for each quarter of a power of two.
function histogram(f) {
	const bars = f < F.n ? hists()[f] || [] : [];
	if (bars.length < 2) return [];
	const first = bars[0][0], last = bars[bars.length - 1][0], counts = new Array(last - first + 1).fill(0);
	for (const [b, n] of bars) counts[b - first] = n;
	const most = Math.max(...counts), all = counts.reduce((s, n) => s + n, 0);
	return [el("h3", {}, "How long its calls took"),
		el("div", { class: "hist", role: "img", "aria-label": "From " + time(barFrom(first)) + " to " + time(barFrom(last + 1)) }, counts.map((n, i) =>
			el("div", { title: time(barFrom(first + i)) + " to " + time(barFrom(first + i + 1)) + ": " + plural(n, ONE) + ", " + share(n, all) },
				el("i", { style: { height: (n ? Math.max(3, 100 * n / most) : 0).toFixed(1) + "%" } })))),
		el("p", { class: "ends" }, el("span", {}, time(barFrom(first))), el("span", {}, time(barFrom(last + 1))))];
}

// Its calls with all that they called: what the time went to.
function spentOn(f) {
	const parts = WAS ? null : partsBelow(f), whole = parts && sumOf(parts);
	return parts ? [el("h3", {}, "What its calls spent their time on"), partsBar(parts, whole), partsLegend(parts, whole),
		...(SLOW.has(f) ? [el("p", {}, el("button", { type: "button", class: "plain", onclick: () => set({ view: "slow", focus: f }) }, "Its slowest calls"))] : [])] : [];
}

function renderDetail() {
	const f = S.focus, box = $("detail");
	// Where it covers all, it is not in the way of single calls.
	box.hidden = f < 0 || (innerWidth <= 760 && (S.view === "slow" || slowCall()));
	if (box.hidden) return;
	const s = stats(), [callers, callees] = neighbours(f), whole = wholeCached();
	const rows = [["Total", [timeCell(s.total[f]), el("span", { class: "none" }, share(s.total[f], whole))]],
		["Self", [timeCell(s.self[f]), el("span", { class: "none" }, share(s.self[f], whole))]], [BY.calls.name, count(s.calls[f])]];
	if (WAS) rows.push(...beforeRows(f), ...(sureText(f) ? [[growthText(f), el("span", { class: "none" }, sureText(f))]] : []), [BY.calls.name + " before", count(F.was.calls[f])]);
	if (s.whole && !Number.isNaN(F.mean_ns[f]) && f < F.n)
		rows.push(["Mean", timeCell(F.mean_ns[f])], ["Min – max", [timeCell(F.min_ns[f]), "– ", timeCell(F.max_ns[f])]],
			["Median, p90, p99", [F.p50_ns[f], F.p90_ns[f], F.p99_ns[f]].map((v) => time(v)).join("  ")]);
	for (const [what, key] of STATES)
		if (s.whole && F[key][f]) rows.push(["Self, " + what, [timeCell(F[key][f]), el("span", { class: "none" }, share(F[key][f], s.self[f]))]]);
	if (s.grow[f]) rows.push(["Stack growth" + (s.whole ? ", " + count(F.morestack_count[f]) + "×" : ""), timeCell(s.grow[f])]);
	if (s.whole && F.preempt_ns[f]) rows.push(["Preempted at entry, " + count(F.preempt_count[f]) + "×", timeCell(F.preempt_ns[f])]);
	if (F.recursion.has(f)) rows.push(["Recursion, deepest", count(F.recursion.get(f))]);
	for (const [key, word] of [["suspect", "Suspect calls"], ["unfinished", "Unfinished calls"], ["unwound", "Unwound calls"]])
		if (s.whole && F[key][f]) rows.push([word, el("span", { class: "mark" }, count(F[key][f]))]);
	const by = { total: "total time", self: "self time", calls: MANY, grow: "stack growth" }[S.by];
	const sum = (list) => list.reduce((t, r) => t + r.w, 0);
	box.replaceChildren(el("button", { type: "button", class: "close", "aria-label": "Close", onclick: clearFocus }, "×"),
		el("h2", {}, F.names[f]), F.programs && F.programs[f] ? el("p", { class: "where" }, "of " + F.programs[f]) : "", el("p", { class: "where" }, F.file[f] ? F.file[f] + ":" + F.line[f] : f < F.n ? "" : "not a function of the program"),
		...spentOn(f), el("dl", {}, rows.map(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])), ...(s.whole && !WAS ? histogram(f) : []),
		...neighbourList("Callers (" + by + (SAMPLES ? ")" : " of the calls they made)"), callers, sum(callers)),
		...neighbourList("Callees (" + by + (SAMPLES ? ")" : " of the calls it made)"), callees, Math.max(sum(callees), S.by === "total" ? s.total[f] : 0)));
}
