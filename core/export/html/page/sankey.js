// The Sankey picture. Where things stand was computed with the trace's export; here they are drawn.

const UNIT = 8, BAR = 14, NARROW = 110; // a column that is as wide has room for a name
let COLUMN = 262; // as the window has room

const sankey = { key: null, p: null, svg: null, stage: null, x: 0, y: 0, scale: 1, most: 1, shape: null, moved: false, named: null, least: 0.05, asked: false, auto: null };

// ---- which goroutines it begins with: those of the go statement that ran most and called anything

let busiestCache;
function busiest() {
	if (busiestCache !== undefined) return busiestCache;
	const ran = new Map(), run = STATES.findIndex(([, key]) => key === "run_ns");
	// Where one function is all that there is, there is nothing to be seen.
	for (const p of PICKS) if (p.kind === "group" && p.weight && p.sankey && list(p.sankey[0].links).length) ran.set(p, 0);
	for (const p of ran.keys()) ran.set(p, run < 0 || !ALL.states ? p.weight : ALL.states[run].reduce((sum, ns, i) => sum + (T.group[i] === p.group ? ns : 0), 0));
	const most = [...ran].reduce((m, x) => !m || x[1] > m[1] ? x : m, null);
	return busiestCache = most ? most[0] : null;
}

// As a view is opened or left. Who has chosen goroutines sees these.
function beginSankey(from, to) {
	if (to === "sankey" && from !== to && S.pick.kind === "all" && !sankey.asked && busiest()) S.pick = sankey.auto = busiest();
	else if (to !== "sankey" && sankey.auto && S.pick === sankey.auto) S.pick = PICKS[0];
	if (to !== "sankey") sankey.auto = null;
}

// A picture's numbers as nodes and links.
function picture(data) {
	// It fills the height: thickness and gaps grow together. Names need what gaps have at the least.
	const high = Math.max(1, $("sankey").clientHeight - 70), grown = data.height ? Math.max(0.45, Math.min(8, high * UNIT / data.height)) / UNIT : 1 / UNIT;
	const a = list(data.nodes), b = list(data.links), p = { nodes: [], links: [], folded: list(data.folded), whole: data.whole,
		height: data.height * grown, layers: data.layers, foldedMost: data.foldedMost, cut: data.cut, cutMost: data.cutMost };
	for (let i = 0; i < a.length; i += 9)
		p.nodes.push({ kind: a[i], f: a[i + 1], layer: a[i + 2], y: a[i + 3] * grown, h: a[i + 4] * grown, in: a[i + 5], out: a[i + 6],
			source: a[i + 7], subtree: a[i + 8], x: a[i + 2] * COLUMN, links: [] });
	for (let i = 0; i < b.length;) {
		const [from, to, flags, weight, thick, routes] = b.slice(i, i + 6), ys = b.slice(i + 6, i + 8 + routes).map((y) => y * grown);
		const l = { from: p.nodes[from], to: p.nodes[to], go: flags & 1, back: flags & 2, weight, thick: thick * grown, ys };
		p.links.push(l);
		l.from.links.push(l);
		l.to.links.push(l);
		i += 8 + routes;
	}
	const seen = (n) => n.kind === 0 || Math.max(n.in, n.out) * 1000 >= p.whole;
	p.links = p.links.filter((l) => seen(l.from) && seen(l.to));
	p.nodes = p.nodes.filter(seen);
	markHot(p);
	return p;
}

// The heaviest path through the picture, from the heaviest start; it continues across go statements.
function markHot(p) {
	const worth = (n) => Math.max(n.subtree, n.in, n.out), weightOf = (l) => l.go ? worth(l.to) : l.weight;
	const heaviest = (all, of) => all.reduce((m, x) => m && of(m) >= of(x) ? m : x, null);
	let at = heaviest(p.nodes.filter((n) => n.kind === 0 && !n.links.some((l) => l.to === n && !l.back)), worth);
	while (at && !at.hot) {
		at.hot = true;
		const next = heaviest(at.links.filter((l) => l.from === at && l.to.kind === 0 && !l.back), (l) => l.go || !l.to.subtree ? weightOf(l) : l.to.subtree);
		if (!next || worth(next.to) * 20 < worth(at)) break;
		next.hot = true;
		at = next.to;
	}
}

function bandPath(l) {
	const up = [], down = [], x0 = l.from.x + BAR, half = (COLUMN - BAR) / 2, t = l.thick;
	let x = x0, y = l.ys[0];
	up.push(`M${x} ${y}`);
	down.push(`L${x} ${y + t}Z`);
	for (const [k, to] of l.ys.slice(1).entries()) {
		const end = k === l.ys.length - 2, x1 = x0 + (k + 1) * COLUMN - BAR;
		up.push(`C${x + half} ${y} ${x1 - half} ${to} ${x1} ${to}`);
		down.unshift(`C${x1 - half} ${to + t} ${x + half} ${y + t} ${x} ${y + t}`);
		if (!end) {
			up.push(`L${x1 + BAR} ${to}`);
			down.unshift(`L${x1} ${to + t}`);
		} else down.unshift(`L${x1} ${to + t}`);
		x = x1 + BAR;
		y = to;
	}
	return up.join("") + down.join("");
}

// The middle of a band, for what has no thickness.
function linePath(l) {
	const half = (COLUMN - BAR) / 2;
	let x = l.from.x + BAR, y = l.ys[0] + l.thick / 2, d = `M${x} ${y}`;
	for (const to of l.ys.slice(1)) {
		const y1 = to + l.thick / 2, x1 = x + COLUMN - BAR;
		d += `C${x + half} ${y} ${x1 - half} ${y1} ${x1} ${y1}h${BAR}`;
		x = x1 + BAR;
		y = y1;
	}
	return d.replace(/h14$/, "");
}

// Against the columns: out on the right, below both bars, in on the left.
function backPath(l) {
	const x0 = l.from.x + BAR, y0 = l.ys[0] + l.thick / 2, x1 = l.to.x, y1 = l.ys[1] + l.thick / 2;
	const low = Math.max(l.from.y + l.from.h, l.to.y + l.to.h) + 34;
	return `M${x0} ${y0}C${x0 + 60} ${y0} ${x0 + 50} ${low} ${x0 - 10} ${low}L${x1 + 10} ${low}C${x1 - 50} ${low} ${x1 - 60} ${y1} ${x1} ${y1}`;
}

const otherName = (n) => n.kind === 1 ? "smaller functions called" : "smaller callers";
const titleOf = (n) => n.kind === 0 ? label(n.f) : otherName(n);

// What its height shows; of self time and calls what it has itself, too.
function amountOf(n) {
	const most = Math.max(n.in, n.out);
	return S.by === "total" || n.kind !== 0 || n.in > 0.99 * most ? amount(S.by === "total" ? (n.kind === 2 ? n.out : n.in) : most) : amount(n.in) + " of " + amount(most);
}

function drawLink(l) {
	const thin = l.go || !l.weight;
	const e = el("svg:path", { class: (l.back ? "back" : thin ? "line" : "band") + (l.hot ? " hot" : ""),
		d: l.back ? backPath(l) : thin ? linePath(l) : bandPath(l) });
	const fill = l.to.kind === 0 ? fillOfNode(l.to) : REST[theme];
	if (l.back) {
		e.style.stroke = thin ? ink("soft") : fill;
		e.style.strokeWidth = Math.max(1.5, Math.min(12, l.thick)) + "px";
	} else if (!thin) e.style.fill = e.style.stroke = fill;
	e.addEventListener("pointermove", (event) => {
		if (!event.buttons) showTip({ heading: titleOf(l.from) + "  →  " + titleOf(l.to), rows: l.go ?
			[["started by a go statement: not part of the caller's time", "", ""]] : !l.weight ?
			[["recursion: the time is counted at the outermost call", "", ""]] :
			[[{ total: "total time" + OF_CALLS, self: "self time" + OF_CALLS, calls: MANY, grow: "stack growth of the calls" }[S.by],
				amount(l.weight), share(l.weight, sankey.p.whole)], ...(l.back ? [["cycle: this callee is also a caller further up", "", ""]] : [])] },
		event.clientX, event.clientY);
	});
	return l.e = e;
}

function fillOfNode(n) {
	if (WAS) return changeColour(changeOf(n.f));
	return colour(n.f);
}
const nowOf = (f) => stats()[S.by][f];

function nodeTip(n) {
	if (n.kind !== 0) return { heading: otherName(n), rows: [["together", amount(Math.max(n.in, n.out)), share(Math.max(n.in, n.out), sankey.p.whole)],
		...sankey.p.folded.slice(0, 8).map((f) => [F.short[f], amount(nowOf(f)), ""])], where: "The heaviest of them in the whole picture:" };
	return functionTip(n.f);
}

function functionTip(f) {
	const s = stats(), whole = wholeCached(), rows = [["total", time(s.total[f]), share(s.total[f], whole)],
		["self", time(s.self[f]), share(s.self[f], whole)], [MANY, count(s.calls[f]), ""]];
	if (s.grow[f]) rows.push(["stack growth", time(s.grow[f]), ""]);
	if (WAS) rows.push(...beforeRows(f).map((r) => [...r, ""]));
	return { f, recursion: F.recursion.get(f), suspect: s.whole ? F.suspect[f] : 0, unfinished: s.whole ? F.unfinished[f] : 0,
		unwound: s.whole ? F.unwound[f] : 0, rows };
}

let wholeCache = {};
function wholeCached() {
	if (wholeCache.key !== scopeKey()) wholeCache = { key: scopeKey(), value: wholeTime() };
	return wholeCache.value;
}

function drawNode(n) {
	const most = Math.max(n.in, n.out), self = S.by === "total" && n.kind === 0 && most ? (n.in - n.out) / most * n.h : 0;
	const g = el("svg:g", { class: "bar", "data-f": n.kind === 0 ? n.f : null, tabindex: 0, role: "button", transform: `translate(${n.x} ${n.y})`,
		"aria-label": titleOf(n) + ", " + amountOf(n) });
	const rect = el("svg:rect", { class: "edge", width: BAR, height: n.h, rx: Math.min(2, n.h / 3) });
	rect.style.fill = n.kind === 0 ? fillOfNode(n) : REST[theme];
	rect.style.stroke = n.hot ? ink("ink") : "none";
	g.append(rect);
	// What it has itself, where its callees have more.
	if (S.by !== "total" && n.kind === 0 && n.in < most) {
		rect.style.fillOpacity = 0.35;
		const part = el("svg:rect", { width: BAR, height: Math.max(0.8, n.in / most * n.h) });
		part.style.fill = rect.style.fill;
		g.append(part);
	}
	// Self time: what does not leave on the right.
	if (self > 0.7) {
		const part = el("svg:rect", { y: n.h - self, width: BAR, height: self, rx: Math.min(2, self / 3) });
		part.style.fill = ink("ink");
		part.style.fillOpacity = 0.5;
		g.append(part);
	}
	const text = n.text = el("svg:text", { x: BAR + 5, y: Math.max(n.h / 2, 1) });
	if (n.hot) text.style.fontWeight = 700;
	if (n.kind !== 0) text.style.fill = ink("soft");
	g.append(text);
	if (n.kind === 0 && F.recursion.has(n.f))
		g.append(el("svg:text", { class: "badge", x: BAR / 2, y: -4, "text-anchor": "middle" }, "↻" + F.recursion.get(n.f)));
	g.addEventListener("pointerenter", () => light(n, false));
	g.addEventListener("pointerleave", () => { light(null); hideTip(); });
	g.addEventListener("pointermove", (e) => { if (!e.buttons) showTip(nodeTip(n), e.clientX, e.clientY); });
	g.addEventListener("focus", () => { const r = rect.getBoundingClientRect(); light(n, false); showTip(nodeTip(n), r.right, r.bottom); });
	g.addEventListener("blur", () => { light(null); hideTip(); });
	g.addEventListener("keydown", (e) => { if (e.key === "Enter" && n.kind === 0) { e.stopPropagation(); focusOn(n.f); } });
	n.e = g;
	return g;
}

// The links of a node; or, with `far`, all that leads to it and away from it.
function light(n, far) {
	for (const l of sankey.p.links) l.e.classList.remove("lit");
	if (!n) return;
	if (!far) for (const l of n.links) l.e.classList.add("lit");
}

function reach(n, end, other) {
	const seen = new Set([n]), links = new Set(), work = [n];
	while (work.length)
		for (const l of work.pop().links)
			if (!seen.has(l) && l[end] && seen.has(l[end]) && !links.has(l)) {
				links.add(l);
				if (!seen.has(l[other])) { seen.add(l[other]); work.push(l[other]); }
			}
	return [seen, links];
}

function paintFocus() {
	const p = sankey.p, n = S.focus >= 0 ? p.nodes.find((x) => x.kind === 0 && x.f === S.focus) : null;
	const [callees, down] = n ? reach(n, "from", "to") : [new Set(), new Set()];
	const [callers, up] = n ? reach(n, "to", "from") : [new Set(), new Set()];
	for (const x of p.nodes) {
		const found = !hits || (x.kind === 0 && hits[x.f]);
		x.e.classList.toggle("dim", n ? !callees.has(x) && !callers.has(x) : !found);
		x.e.classList.toggle("focus", x === n);
	}
	for (const l of p.links)
		l.e.classList.toggle("dim", n ? !down.has(l) && !up.has(l) : Boolean(hits) && !hits[l.from.f] && !hits[l.to.f]);
}

// Names keep their size when the picture shrinks. They are cut by word to the room between columns, or have two lines.
function writeNames() {
	const { scale, p } = sankey, size = 11.8 / Math.min(1, scale);
	if (sankey.named === scale + sankey.key) return;
	sankey.named = scale + sankey.key;
	const letters = Math.floor((COLUMN - BAR - 12) / (size * 0.605));
	// Those of the last column end nowhere; in a narrow window they would leave no room for the picture.
	const last = Math.min(60, Math.floor($("sankey").clientWidth / 2 / (11.8 * 0.605)));
	for (const n of p.nodes) {
		const value = amountOf(n), below = n.h > 2.6 * size, beside = !below && letters >= 20;
		const room = Math.max(3, n.layer === p.layers - 1 ? last : beside ? letters - value.length - 1 : letters);
		const lines = n.kind === 0 ? linesOf(n.f, room, n.h > 5.6 * size ? 3 : n.h > 4.2 * size ? 2 : 1) : [otherName(n).length <= room ? otherName(n) : "smaller"];
		n.text.style.fontSize = size.toFixed(2) + "px";
		n.text.style.display = (letters < 6 && !n.hot) || (n.kind !== 0 && n.h < size) ? "none" : "";
		n.text.replaceChildren(...lines.map((line, i) => el("svg:tspan", i ? { x: BAR + 5, dy: "1.2em" } : { dy: below ? (0.4 - 0.6 * lines.length).toFixed(1) + "em" : n.h < size ? "-.25em" : ".35em" }, line)));
		if (beside) n.text.append(el("svg:tspan", { class: "v", dx: size / 2 }, value));
		if (below && value.length < room) n.text.append(el("svg:tspan", { class: "v", x: BAR + 5, dy: "1.2em" }, value));
	}
}

function moveStage() {
	writeNames();
	sankey.stage.setAttribute("transform", `translate(${sankey.x} ${sankey.y}) scale(${sankey.scale})`);
	paintMap();
}

// The whole picture, however small. Names keep their size, so that they take more of a smaller picture:
// it is measured again until it fits.
function fit() {
	const box = $("sankey"), wide = Math.max(1, box.clientWidth - 40), high = Math.max(1, box.clientHeight - 36);
	let r;
	sankey.moved = false;
	sankey.scale = 1;
	for (let tries = 0; tries < 12; tries++) {
		moveStage();
		r = sankey.stage.getBBox();
		const scale = Math.min(1, wide / r.width, high / r.height);
		if (scale >= sankey.scale) break;
		sankey.scale = scale;
	}
	sankey.least = Math.min(0.05, sankey.scale);
	sankey.x = 20 + (wide - r.width * sankey.scale) / 2 - r.x * sankey.scale;
	sankey.y = 26 + (high - r.height * sankey.scale) / 2 - r.y * sankey.scale;
	moveStage();
}

// As it is seen first: all of it while its names can be read, else its beginning, or the highest bar if that is further right.
function begin() {
	fit();
	if (sankey.scale * COLUMN > 0.95 * NARROW) return;
	sankey.scale = Math.min(1, NARROW / COLUMN);
	moveStage();
	const r = sankey.stage.getBBox();
	const highest = sankey.p.nodes.reduce((m, n) => !m || n.h > m.h ? n : m, null), wide = $("sankey").clientWidth;
	sankey.x = Math.min(20 - r.x * sankey.scale, Math.max(0.7 * wide - highest.x * sankey.scale, wide - 20 - (r.x + r.width) * sankey.scale));
	sankey.y = Math.max(26, ($("sankey").clientHeight - r.height * sankey.scale) / 2) - r.y * sankey.scale;
	moveStage();
}

function zoomSankey(factor, x = $("sankey").clientWidth / 2, y = $("sankey").clientHeight / 2) {
	sankey.moved = true;
	const scale = Math.max(sankey.least, Math.min(12, sankey.scale * factor)), by = scale / sankey.scale;
	sankey.x = x - (x - sankey.x) * by;
	sankey.y = y - (y - sankey.y) * by;
	sankey.scale = scale;
	moveStage();
}

function sankeyLegend(missing) {
	const most = (v) => share(v, sankey.p.whole).replace(/^(<?)(.*)/, (_, below, s) => below ? "each below " + s : "each at most " + s);
	const p = sankey.p, what = { total: ["Thickness: total time;"],
		self: ["Thickness: self time, by caller; the pale part of a bar belongs to its callees."], calls: ["Thickness: " + MANY + "."],
		grow: ["Thickness: time growing stacks, by who called."] }[S.by];
	$("sankey-legend").replaceChildren(...[missing ? el("b", {}, missing) : null, sankey.auto ? el("span", {}, "Only ", el("b", {}, S.pick.group ? "go " + label(S.pick.func) : "main and others"), ", where most ran. ", el("button", { type: "button", onclick: () => set({ pick: PICKS[0] }) }, "All goroutines")) : null, S.parked ? el("b", {}, "Parked goroutines are left out of this picture.") : null, S.hidden.length ? el("b", {}, "Hidden functions are in this picture.") : null, ...what.map((t) => el("span", {}, t, S.by === "total" ? [" ", el("span", { class: "swatch self" }), "self."] : null)),
		el("span", {}, el("b", {}, "Bold"), ": heaviest path."),
		p && p.links.some((l) => l.go) ? el("span", {}, "Dashed: go statement; its time is not part of the caller's.") : null,
		p && p.links.some((l) => l.back) ? el("span", {}, "A cycle is drawn where one points at its functions.") : null,
		WAS ? el("span", {}, "Colour: ", el("b", { class: "slower" }, "slower"), " or ", el("b", { class: "faster" }, "faster"), " than A.") : null,
		...(WAS ? [] : legend()),
		p && p.folded.length ? el("span", { title: p.folded.slice(0, 40).map((f) => F.names[f]).join("\n") },
			plural(p.folded.length, "function") + " merged, " + most(p.foldedMost)) : null,
		p && p.cut ? el("span", {}, plural(p.cut, "thin band") + " left out, " + most(p.cutMost)) : null,
		S.pick.sizes ? el("label", { class: "push" }, "Fewer functions ", el("input", { id: "sankey-most", type: "range", min: 0, max: 2, value: sankey.most,
			oninput: (e) => { sankey.most = Number(e.target.value); renderSankey(); $("sankey-most").focus(); } }), " more") : null,
		p && p.nodes.length ? el("button", { type: "button", id: "sankey-fit", class: S.pick.sizes ? null : "push", onclick: fit }, "Fit (0)") : null].filter(Boolean));
}

function renderSankey() {
	const box = $("sankey"), size = [box.clientWidth, box.clientHeight].join(), key = [S.by, S.pick.key, S.full, theme, sankey.most, size].join("\n");
	if (sankey.key !== key) {
		sankey.key = key;
		let data = S.pick.sizes ? S.pick.sizes[sankey.most] : S.pick.sankey, missing = "";
		if (!data) {
			data = PICKS[0].sankey;
			missing = S.pick.kind === "stretch" ? "A stretch of time has no picture of its own; this one shows all." : "Only the heaviest goroutines have a picture of their own; this one shows all.";
		}
		const at = document.activeElement.closest("#sankey .bar"), had = at && at.dataset.f;
		$("sankey").replaceChildren();
		data = data[BY[S.by].index];
		COLUMN = Math.max(NARROW, Math.min(S.full ? 480 : 262, (box.clientWidth - 40 - Math.min(220, box.clientWidth / 4)) / Math.max(1, data.layers - 1)));
		sankey.p = picture(data);
		const p = sankey.p;
		sankey.stage = el("svg:g", {});
		sankey.svg = el("svg:svg", { role: "group", "aria-label": "Who calls whom" }, sankey.stage);
		$("sankey").replaceChildren(sankey.svg);
		for (const l of [...p.links].sort((a, b) => (a.hot || 0) - (b.hot || 0) || a.go - b.go)) sankey.stage.append(drawLink(l));
		for (const n of p.nodes) sankey.stage.append(drawNode(n));
		if (!p.nodes.length)
			sankey.svg.append(el("svg:text", { class: "empty", x: 20, y: 30 },
				S.by === "grow" ? "No stack grew in what is shown." : "Nothing to show: no call was recorded."));
		sankeyLegend(missing);
		const shape = S.by + S.pick.key + sankey.most;
		if (sankey.shape !== shape) sankey.moved = false;
		sankey.shape = shape;
		if (size !== [box.clientWidth, box.clientHeight].join()) { renderSankey(); return; } // the legend has another height now
		if (sankey.moved) moveStage();
		else begin();
		const again = had && p.nodes.find((n) => n.kind === 0 && n.f === Number(had));
		if (again) again.e.focus({ preventScroll: true });
	}
	paintFocus();
}

function sankeyKey(e) {
	const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
	if (step) {
		sankey.moved = true;
		sankey.x += step[0];
		sankey.y += step[1];
		moveStage();
	} else if (e.key === "+" || e.key === "=") zoomSankey(1.25);
	else if (e.key === "-") zoomSankey(0.8);
	else if (e.key === "0") fit();
	else return false;
	return true;
}

function startSankey() {
	startMap();
	$("too-narrow").querySelector("button").addEventListener("click", () => set({ view: "flame" }));
	drags($("sankey"), {
		move: (dx, dy) => { sankey.moved = true; sankey.x += dx; sankey.y += dy; moveStage(); },
		click: (x, y, e) => {
			const n = sankey.p.nodes.find((v) => v.e.contains(e.target));
			if (n && n.kind === 0) focusOn(n.f);
			else if (!n) clearFocus();
		},
		hover: (x, y, e) => { if (!e.target.closest("path, .bar")) hideTip(); },
		wheel: (e, x, y) => zoomSankey(Math.exp(-e.deltaY * 0.0015), x, y),
	});
}
