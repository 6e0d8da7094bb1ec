// The first view: where the time goes, what was traced, what not to trust.

// Down the heaviest child, go statements included, while it has at least a twentieth of its parent's subtree time.
function heaviestPath() {
	const below = Float64Array.from(ALL.self), path = [];
	for (let i = 1; i < T.n; i++) below[i] += ALL.grow[i] + ALL.preempt[i];
	for (let i = T.n - 1; i > 0; i--) below[T.parent[i]] += below[i];
	// Siblings stand by weight: the first child is the heaviest.
	for (let at = 0; at + 1 < T.end[at] && path.length < 40; at++) {
		if (at && below[at + 1] < below[at] / 20) break;
		path.push(at + 1);
	}
	return { path, below };
}

function pathCard() {
	const { path, below } = heaviestPath(), whole = below[0];
	const hottest = path.reduce((m, i) => ALL.self[i] > ALL.self[m] ? i : m, path[0] || 0);
	const row = (i, k) => el("li", { class: i === hottest ? "hot" : null, tabindex: 0, role: "button", title: F.names[T.func[i]],
		onclick: () => focusOn(T.func[i]), onkeydown: (e) => { if (e.key === "Enter") focusOn(T.func[i]); } },
	el("span", { class: "name", style: { "padding-left": Math.min(k, 24) * 12 + "px" } },
		T.go[i] ? el("span", { class: "go" }, "go") : null, nameOf(T.func[i]),
		T.recursion.has(i) ? el("span", { class: "mark" }, "↻ " + T.recursion.get(i)) : null),
	meter(below[i] / whole, ALL.self[i] / whole),
	el("span", { class: "num" }, timeCell(below[i])), el("span", { class: "num" }, timeCell(ALL.self[i])));
	return el("div", { class: "card wide" }, el("h2", {}, "Heaviest path"),
		el("p", { class: "sub" }, "Wall-clock time, waiting included; goroutines that run side by side add up.",
			el("span", { class: "key" }), "subtree: with all calls and goroutines started below", el("span", { class: "key self" }), "self"),
		el("ol", { class: "path" }, el("li", { class: "head" }, el("span"), el("span", { class: "head" }, "of " + time(whole)),
			el("span", { class: "head" }, "subtree"), el("span", { class: "head" }, "self")), path.map(row)));
}

function topCard() {
	const order = [...F.self_ns.keys()].filter((f) => F.self_ns[f]).sort((a, b) => F.self_ns[b] - F.self_ns[a] || a - b).slice(0, 10);
	const whole = wholeCached();
	return el("div", { class: "card" }, el("h2", {}, "Most self time"),
		el("p", { class: "sub" }, "Time in the function itself, on all goroutines"),
		el("ol", { class: "path" }, order.map((f) => el("li", { tabindex: 0, role: "button", title: F.names[f], onclick: () => focusOn(f),
			onkeydown: (e) => { if (e.key === "Enter") focusOn(f); } },
		el("span", { class: "name" }, swatch(f), " ", nameOf(f)), meter(0, F.self_ns[f] / whole),
		el("span", { class: "num" }, timeCell(F.self_ns[f])), el("span", { class: "num" }, share(F.self_ns[f], whole))))));
}

function pickName(p) {
	if (p.kind === "all") return "all goroutines";
	if (p.kind === "goroutine")
		return (p.system ? "thread " : "goroutine ") + p.goid + (p.image ? " of image " + (p.image + 1) : "") +
			(p.start ? ": " + shortOf(p.start) : p.system ? ": system stack" : "");
	if (!p.group) return "main, and goroutines whose start was not recorded";
	return "go " + F.short[p.func] + (p.at ? " at " + p.at : "");
}

const shortOf = (name) => { const [path, rest] = split(name); return path ? lastOf(path) + "." + rest : name; };

function goroutineCard() {
	const groups = PICKS.filter((p) => p.kind === "group" && p.weight), whole = wholeCached();
	return el("div", { class: "card" }, el("h2", {}, "Goroutines, by go statement"),
		el("p", { class: "sub" }, plural(D.trace.goroutines, "goroutine") + " in all; choose a group here or above to see it alone" +
			(D.untracked ? "; " + plural(D.untracked, "heavy one") + " had too many paths to be shown separately" : "") +
			(D.n_groups > D.groups.length ? "; the heaviest " + count(D.groups.length) + " of " + count(D.n_groups) + " go statements" : "")),
		el("ol", { class: "path" }, groups.slice(0, 10).map((p) => el("li", { tabindex: 0, role: "button", onclick: () => set({ pick: p, view: "flame" }),
			onkeydown: (e) => { if (e.key === "Enter") set({ pick: p, view: "flame" }); }, title: pickName(p) },
		el("span", { class: "name fn" }, pickName(p)), meter(p.weight / whole),
		el("span", { class: "num" }, timeCell(p.weight)), el("span", { class: "num" }, p.group ? count(p.goroutines) + "×" : "")))));
}

function factsOf(trace) {
	const i = trace.info, rows = [], put = (name, value) => { if (value) rows.push([name, value]); };
	const bytes = (n) => n ? (n / 2 ** 30).toFixed(1) + "\u202fGiB" : "";
	put("Command", i.command);
	put("Program", (i.command || "").split(" ")[0] === i["binary.path"] ? "" : i["binary.path"]);
	put("Module", i["go.module"]);
	put("Built with", i["go.version"]);
	put("Functions", i["plan.probed"] && count(i["plan.probed"]) + " probed of " + count(i["plan.selected"]) + " selected, " + plural(F.n, "function") + " called");
	put("Selection", Object.keys(i).filter((k) => k.startsWith("select.")).map((k) => ({ p: "-p ", f: "-f ", e: "-x " }[k[7]] || "") + i[k]).join("  "));
	put("Probes", i["probe.strategy"]);
	put("Cost of an event", [["emulated", i["cost.emulated_ns"]], ["single-stepped", i["cost.step_ns"]]].filter(([, v]) => v > 0)
		.map(([k, v]) => time(Number(v)) + " " + k).join(", "));
	put("Recorded", time(trace.duration_ns) + ", " + (SAMPLES ? "" : plural(trace.events, "event") + ", ") + plural(trace.calls, ONE));
	put("Lost", SAMPLES ? (i["end.samples_lost"] > 0 ? plural(Number(i["end.samples_lost"]), ONE) : trace.complete ? "no sample" : "not known: the recording has no end") : trace.lost_events || trace.loss_records ? plural(trace.lost_events, "event") + " in " + plural(trace.loss_records, "gap") : trace.complete ? "no event" : "not known: the trace has no end");
	put("Host", [i["host.kernel"], i["host.cpu"], i["host.cpus"] && plural(Number(i["host.cpus"]), "CPU"), bytes(Number(i["host.memory_bytes"]))].filter(Boolean).join(", "));
	put("Recorder", i["gotrace.version"] && "gotrace " + i["gotrace.version"]);
	return el("dl", { class: "facts" }, rows.map(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
}

function traceCard() {
	if (WAS)
		return el("div", { class: "card wide" }, el("h2", {}, "What is compared"), el("h3", {}, "A: " + D.was.file), factsOf(D.was.trace),
			el("h3", {}, "B: " + D.file), factsOf(D.trace), el("ul", { class: "notes" }, D.notes.map((n) => el("li", {}, n))));
	return el("div", { class: "card wide" }, el("h2", {}, "What was traced"), el("p", { class: "sub" }), factsOf(D.trace),
		el("ul", { class: "notes" }, D.trace.notes.map((n) => el("li", {}, n))));
}

// In a comparison: what changed most.
function changeCards() {
	const rows = [...F.names.keys()].slice(0, F.n).map((f) => ({ f, d: F.self_ns[f] - F.was.self[f], now: F.self_ns[f], was: F.was.self[f] }));
	const most = rows.reduce((m, r) => Math.max(m, Math.abs(r.d)), 0);
	const card = (title, sub, chosen) => el("div", { class: "card" }, el("h2", {}, title), el("p", { class: "sub" }, sub),
		chosen.length ? el("ol", { class: "path" }, chosen.slice(0, 10).map((r) => el("li", { tabindex: 0, role: "button", title: F.names[r.f],
			onclick: () => focusOn(r.f), onkeydown: (e) => { if (e.key === "Enter") focusOn(r.f); } },
		el("span", { class: "name" }, nameOf(r.f), changeMark(r.f)),
		meter(r.d < 0 ? -r.d / most : 0, r.d > 0 ? r.d / most : 0), el("span", { class: "num " + (r.d > 0 ? "slower" : "faster") }, timeCell(r.d, true)),
		el("span", { class: "num" }, r.was ? (r.d > 0 ? "+" : "−") + share(Math.abs(r.d), r.was) : "")))) : el("p", { class: "none" }, "Nothing."));
	return [card("Slower in B", "Self time, B − A", rows.filter((r) => r.d > 0).sort((x, y) => y.d - x.d)),
		card("Faster in B", "Self time, B − A", rows.filter((r) => r.d < 0).sort((x, y) => x.d - y.d)),
		card("New in B", "Called in B only", rows.filter((r) => !F.was.calls[r.f] && F.calls[r.f]).sort((x, y) => y.d - x.d)),
		card("Gone in B", "Called in A only", rows.filter((r) => F.was.calls[r.f] && !F.calls[r.f]).sort((x, y) => x.d - y.d))];
}

let overviewKey = null;
function renderOverview() {
	const key = S.full + theme;
	if (overviewKey === key) return;
	overviewKey = key;
	const empty = el("div", { class: "card wide" }, el("h2", {}, "No call was recorded"),
		el("p", { class: "sub" }, "No selected function ran; gotrace plan lists them."));
	$("view-overview").replaceChildren(el("div", { class: "cards" },
		...(WAS ? changeCards() : T.n > 1 ? [pathCard(), topCard(), goroutineCard()] : [empty]), traceCard()));
}
