// The first view: where the time goes, what was traced, what not to trust.

// Down the heaviest child, go statements included, while it has at least a twentieth of its parent's subtree time.
function heaviestPath() {
	const v = valuesOf(S.pick), below = Float64Array.from(v.self), path = [];
	for (let i = 1; i < T.n; i++) below[i] += v.grow[i] + v.preempt[i];
	for (let i = T.n - 1; i > 0; i--) below[T.parent[i]] += below[i];
	for (let at = 0; path.length < 40;) {
		let most = 0;
		for (let i = at + 1; i < T.end[at]; i = T.end[i]) if (!most || below[i] > below[most]) most = i;
		if (!most || !below[most] || (at && below[most] < below[at] / 20)) break;
		path.push(at = most);
	}
	return { path, below };
}

// Parts of the path in which hardly any time is spent or branches off: a row each, which opens.
const STRETCH = 0.03;

function stretches(path, below) {
	const whole = below[0], v = valuesOf(S.pick), dull = (k) => k > 0 && k + 1 < path.length && v.self[path[k]] < STRETCH * whole &&
		below[path[k]] - below[path[k + 1]] < STRETCH * whole;
	const rows = [];
	for (let k = 0; k < path.length; k++) {
		let end = k;
		while (end < path.length && dull(end)) end++;
		if (end - k < 3) { rows.push([k]); continue; }
		rows.push(Array.from({ length: end - k }, (_, n) => k + n));
		k = end - 1;
	}
	return rows;
}

function pathCard() {
	const { path, below } = heaviestPath(), whole = below[0], v = valuesOf(S.pick);
	const hottest = path.reduce((m, i) => v.self[i] > v.self[m] ? i : m, path[0] || 0);
	const row = (k, at) => {
		const i = path[k];
		return el("div", pressable(() => focusOn(T.func[i]), { "data-f": T.func[i], class: i === hottest ? "hot" : null, title: F.names[T.func[i]] }),
			el("span", { class: "name", style: { "padding-left": Math.min(at, 10) * 8 + "px" } },
				T.go[i] ? el("span", { class: "go" }, "go") : null, nameIn(T.func[i], (T.go[i] ? 4 : 0) + (T.recursion.has(i) ? 5 : 0)),
				T.recursion.has(i) ? el("span", { class: "mark" }, "↻ " + T.recursion.get(i)) : null),
			meter(below[i] / whole, v.self[i] / whole),
			el("span", { class: "num" }, timeCell(below[i])), el("span", { class: "num" }, timeCell(v.self[i])));
	};
	const folded = (ks, at) => {
		const more = el("div", pressable(() => more.replaceWith(...ks.map((k) => row(k, at))), { class: "more", title: ks.map((k) => F.names[T.func[path[k]]]).join("\n") }),
			el("span", { class: "name", style: { "padding-left": Math.min(at, 10) * 8 + "px" } }, "… " + plural(ks.length, "function") + ", from ",
				nameOf(T.func[path[ks[0]]]), " to ", nameOf(T.func[path[ks[ks.length - 1]]])),
			meter(below[path[ks[0]]] / whole), el("span", { class: "num" }, timeCell(below[path[ks[0]]])), el("span", { class: "num" }));
		return more;
	};
	return el("div", { class: "card" }, el("h2", {}, "Heaviest path"),
		el("p", { class: "sub" }, "Wall-clock time, waiting included; goroutines that run side by side add up.",
			el("span", { class: "key" }), "with goroutines: all calls and goroutines started below", el("span", { class: "key self" }), "self"),
		el("div", { class: "path", role: "group" }, el("div", { class: "head" }, el("span"), el("span", { class: "head" }, "of " + time(whole)),
			el("span", { class: "head" }, "with goroutines"), el("span", { class: "head" }, "self")),
		stretches(path, below).map((ks, at) => ks.length > 1 ? folded(ks, at) : row(ks[0], at))));
}

// What probes took most of, or what may be off by more than is left, is no answer.
const DOUBTFUL = D.funcs.doubtful ? dense(D.funcs.doubtful, F.all) : new Float64Array(F.all);

const bySelf = (own = F.self_ns) => [...own.keys()].filter((f) => own[f]).sort((a, b) => own[b] - own[a] || a - b);

function topCard() {
	const own = stats().self, order = bySelf(own).slice(0, 10), whole = wholeCached(), longest = own[order[0]] || 1;
	return el("div", { class: "card" }, el("h2", {}, "Most self time"),
		el("p", { class: "sub" }, "Time in the function itself, on all goroutines" + (STATES.length ? "; the bar says what it was spent on" : "")),
		el("div", { class: STATES.length ? "path own" : "path", role: "group" }, order.map((f) => {
			const parts = partsOfFunc(f);
			return el("div", pressable(() => focusOn(f), { "data-f": f, title: F.names[f] }),
				el("span", { class: "name" }, parts ? null : [swatch(f), " "], DOUBTFUL[f] ? el("abbr", { title: "Probes took more than is left: this may be wrong" }, "≈ ") : "", nameIn(f, DOUBTFUL[f] || !parts ? 2.5 : 0)),
				STATES.length ? el("span", { class: "name", title: parts ? partText(parts, own[f]) : null }, parts ? mostly(parts, own[f], true) : "") : null, parts ? partsBar(parts, own[f], own[f] / longest) : meter(0, own[f] / whole),
				el("span", { class: "num" }, timeCell(own[f])), el("span", { class: "num" }, share(own[f], whole)));
		})));
}

// The slowest calls that the answer is about, and how long all took.
function slowCard() {
	const f = ABOUT.func;
	return SLOW.has(f) && SLOW.get(f).length > 2 ? el("div", { class: "card" }, el("h2", {}, "Slowest calls of ", nameOf(f)), slowCalls(f, 5), ...histogram(f)) : null;
}

// What a reader must know of the recording, at the foot; what is doubtful has a sign.
function footMarks() {
	const t = D.trace, whole = wholeCached();
	const lost = SAMPLES ? Number(t.info["end.samples_lost"] || 0) : t.lost_events;
	const known = SAMPLES ? t.info["end.samples_lost"] !== undefined : t.complete || t.lost_events;
	const sum = (key) => F[key] ? F[key].reduce((all, ns) => all + ns, 0) : 0, off = sum("off_cpu_ns"), wanted = sum("run_ns") + off;
	const off_by = 98 / Math.sqrt(t.calls || 1); // points, two standard deviations of a half
	return [[!lost && known, known ? lost ? plural(lost, SAMPLES ? ONE : "event") + " lost" : "nothing lost" : "not known what was lost"],
		t.probe_ns ? [t.probe_ns < t.root_ns / 4, "tracing cost " + share(t.probe_ns, t.root_ns) + " (subtracted)"] : null,
		off > wanted / 10 ? [false, "machine busy: no processor for " + share(off, wanted) + " of the time to run"] : null,
		SAMPLES && off_by > 5 ? [false, "few samples: a share may be off by " + Math.round(off_by) + " points"] : null,
		[null, time(whole) + (SAMPLES ? " covered by samples" : " of goroutine time")]].filter(Boolean);
}

function foot(traced) {
	const notes = D.trace.notes.length, open = el("button", { type: "button", class: "plain", "aria-expanded": "false", "aria-controls": "traced", onclick: () => {
		traced.hidden = !traced.hidden;
		open.setAttribute("aria-expanded", String(!traced.hidden));
		if (!traced.hidden) traced.scrollIntoView({ block: "end" });
	} }, "What was traced" + (notes ? ", and " + plural(notes, "note") : ""));
	traced.id = "traced";
	traced.hidden = true;
	return el("div", { class: "foot" }, footMarks().map(([good, what]) => el("span", { class: good === false ? "doubt" : null }, good === null ? "" : good ? "✓ " : "⚠ ", what)), open);
}

// A line of the answer: names of functions lead to them.
function linked(text) {
	return text.split(/(?<=[ ,])|(?=[ ,])/).map((word) => {
		const f = F.names.indexOf(word);
		return f < 0 ? word : el("button", { class: "fn", title: word, onclick: () => focusOn(f) }, label(f));
	});
}

// What leads from the answer to what shows it.
const ABOUT = D.trace.about || {};
function leads() {
	const { func, holder, did, next } = ABOUT, calls = SLOW.get(func), button = (text, go, first) => el("button", { type: "button", class: first ? "lead first" : "lead", onclick: go }, text);
	const held = [did, holder].find((f) => SLOW.has(f));
	return el("p", { class: "leads" }, calls && TL ? button("Slowest call on the timeline", () => goToCall(func, 0), true) : null,
		held !== undefined ? button("Who holds the lock", () => set({ view: "slow", focus: held })) : null,
		SLOW.has(next) ? button("What the others do", () => set({ view: "slow", focus: next })) : null,
		calls && calls.length > 1 ? button(calls.length < ABOUT.calls ? "The " + plural(calls.length, "slowest call") : "All " + plural(calls.length, "call") + " by time", () => set({ view: "slow", focus: func })) : null);
}

// Why it takes long: a sentence, what shows it, and the slowest call.
function answer([first, ...rows]) {
	const slow = (SLOW.get(ABOUT.func) || [])[0], parts = ABOUT.func === undefined ? null : partsBelow(ABOUT.func), whole = parts && sumOf(parts);
	return el("div", { class: "answer" }, el("div", {}, el("p", {}, linked(first)), el("dl", {}, rows.map((row) => {
		const [, heading, text] = row.match(/^  (.{9}) (.*)$/);
		return [el("dt", {}, heading.trim()), el("dd", {}, linked(text))];
	}), slow && slow.parts.length ? [el("dt", {}, "slowest"), el("dd", {}, time(slow.ns) + ": " + slowParts(slow))] : null), leads()),
	parts ? el("div", { class: "went" }, el("h2", {}, "Where the time of ", nameOf(ABOUT.func), " went"), partsBar(parts, whole), partsLegend(parts, whole)) : null);
}

// The answer, as far as one sentence has it.
function sentence() {
	const order = bySelf(), whole = wholeCached(), first = order.find((f) => !DOUBTFUL[f]);
	if (!order.length || !whole) return null;
	if (D.trace.cannot_tell) return el("p", { class: "answer" }, D.trace.cannot_tell);
	if (D.trace.answer.length) return answer(D.trace.answer);
	const group = PICKS.filter((p) => p.kind === "group" && p.goroutines > 1).reduce((m, p) => !m || p.weight > m.weight ? p : m, null);
	const inGroup = group && group.weight > whole / 2 ? [", most of the time in ", plural(group.goroutines, "goroutine"), " of ", pickName(group)] : [];
	if (F.self_ns[first] >= whole / 5)
		return el("p", { class: "answer" }, share(F.self_ns[first], whole), " of the time is self time of ", nameOf(first), ...inGroup, ".");
	const ten = order.slice(0, 10).reduce((sum, f) => sum + F.self_ns[f], 0);
	return el("p", { class: "answer" }, "No function has a fifth of the time: the first, ", nameOf(first), ", has " + share(F.self_ns[first], whole),
		", the first ten " + share(ten, whole), ...inGroup, ".");
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
	const twin = (p) => PICKS.some((q) => q !== p && q.kind === "group" && q.func === p.func) && p.at ? " " + p.at.split("/").pop() : "";
	const groups = PICKS.filter((p) => p.kind === "group" && p.weight && worked(p)).sort((a, b) => b.weight - a.weight), whole = wholeCached();
	return el("div", { class: "card" }, el("h2", {}, "Goroutines, by go statement"),
		el("p", { class: "sub" }, plural(D.trace.goroutines, "goroutine") + " in all; choose a group here or above to see it alone" +
			(D.untracked ? "; " + plural(D.untracked, "heavy one") + " had too many paths to be shown separately" : "") +
			(D.n_groups > D.groups.length ? "; the heaviest " + count(D.groups.length) + " of " + count(D.n_groups) + " go statements" : "")),
		el("div", { class: "path", role: "group" }, groups.slice(0, 10).map((p) => el("div", pressable(() => set({ pick: p, view: "flame" }), { title: pickName(p) }),
		p.group ? el("span", { class: "name" }, el("span", { class: "go" }, "go"), nameIn(p.func, 4 + twin(p).length), el("span", { class: "fn" }, twin(p))) : el("span", { class: "name fn" }, "main and others"), meter(p.weight / whole),
		el("span", { class: "num" }, timeCell(p.weight)), el("span", { class: "num" }, p.goroutines ? count(p.goroutines) + "×" : "")))));
}

function factsOf(trace) {
	const i = trace.info, rows = [], put = (name, value) => { if (value) rows.push([name, value]); };
	const bytes = (n) => n ? (n / 2 ** 30).toFixed(1) + "\u202fGiB" : "";
	put("Command", i.command);
	put("Program", i.command ? i.command.split(" ")[0] === i["binary.path"] ? "" : i["binary.path"] : trace.programs || i["binary.path"]);
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
	return el("div", { class: "card wide traced" }, el("h2", {}, "What was traced"), factsOf(D.trace),
		el("ul", { class: "notes" }, D.trace.notes.map((n) => el("li", {}, n))));
}

let overviewKey = null;
function renderOverview() {
	const key = S.full + theme + scopeKey();
	if (overviewKey === key) return;
	overviewKey = key;
	const empty = el("div", { class: "card wide" }, el("h2", {}, "No call was recorded"),
		el("p", { class: "sub" }, "No selected function ran; gotrace plan lists them."));
	const some = !WAS && T.n > 1, head = some && D.trace.headline ? el("p", { class: "headline" }, D.trace.headline) : null, traced = traceCard(), first = some ? sentence() : WAS ? changeLines() : null;
	$("view-overview").replaceChildren(...[first, head, el("div", { class: "cards" },
		...(WAS ? changeCards() : some ? [topCard(), slowCard(), pathCard(), goroutineCard()].filter(Boolean) : [empty]), traced), some ? foot(traced) : null].filter(Boolean));
}
