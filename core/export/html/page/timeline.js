// When goroutines did what: a strip for each go statement, opened to its goroutines; calls below a pixel are drawn as one.

const LEVELS = 64, LANE = 13, STRIP = 26, AXIS = 24, GAP = 5, STATE_HEIGHT = 5, FEW = 10, MORE = 15;
const TL = D.timeline || null;
const timeline = { from: 0, to: 1, top: 0, rows: [], height: 0, open: null, all: new Set(), wanted: new Set(), at: -1, over: null, brush: null, slow: -1, lanes: null, shown: null, chosen: false };

// ---- lanes

// states: after a time runnable comes who ended the wait before it.
function spansOf(numbers, i, n, states) {
	const r = { n, start: new Float64Array(n), end: new Float64Array(n), what: new Uint32Array(n), count: new Float64Array(n), busy: new Float64Array(n), wakers: new Map() };
	let at = 0;
	for (let k = 0; k < n; k++) {
		r.start[k] = at += numbers[i++];
		r.end[k] = at + numbers[i++];
		r.what[k] = numbers[i++];
		r.count[k] = numbers[i++] + 1;
		r.busy[k] = r.count[k] > 1 ? numbers[i++] : r.end[k] - r.start[k];
		if (!states || (r.what[k] & 255) !== 2 || r.count[k] > 1) continue;
		const by = numbers[i++];
		if (by) r.wakers.set(k, { f: by < 3 ? -1 : by - 3, runtime: by === 1, goid: numbers[i++] });
	}
	r.next = i;
	return r;
}

// Unpacked when it is looked at first.
function lanes() {
	if (timeline.lanes) return timeline.lanes;
	timeline.lanes = TL.lanes.map((l) => {
		const numbers = list(l.calls), states = list(l.states), lane = { ...l, levels: [], first: Infinity };
		for (let i = 0; i < numbers.length;) {
			const level = numbers[i], row = spansOf(numbers, i + 2, numbers[i + 1]);
			i = row.next;
			lane.levels[level] = row;
			if (row.start[0] < lane.first) lane.first = row.start[0];
		}
		lane.states = states.length ? spansOf(states, 1, states[0], true) : null;
		delete lane.calls;
		return lane;
	});
	TL.gaps = [];
	const losses = list(TL.losses);
	for (let i = 0; i < losses.length; i += 3) TL.gaps.push({ from: losses[i], to: losses[i] + losses[i + 1], goid: losses[i + 2] });
	for (const s of TL.strips) s.values = [...sparseArray(s.bins, 1024)];
	return timeline.lanes;
}

const laneName = (l) => (l.system ? "thread " : "goroutine ") + l.goid + (l.image ? " of image " + (l.image + 1) : "") + (l.start ? ": " + shortOf(l.start) : "");

// What a goroutine ran or would have run; without states, the time of its calls.
function workOf(l) {
	const row = l.states || l.levels.find(Boolean);
	l.work ??= row ? row.busy.reduce((sum, ns, k) => sum + (!l.states || [1, 2, 6].includes(row.what[k] & 255) ? ns : 0), 0) : 0;
	return l.work;
}

// Of many goroutines those that worked most, and those that something leads to.
function someOf(all) {
	if (all.length <= FEW + 2) return all;
	const first = new Set([...all].sort((a, b) => workOf(b) - workOf(a)).slice(0, FEW));
	return all.filter((l) => first.has(l) || timeline.wanted.has(l));
}

// Its row is there.
function wantLane(l) {
	timeline.open.add(l.group);
	timeline.wanted.add(l);
	timelineRows();
}

// What is to be seen from top to bottom: strips, and below those that are open their goroutines.
function timelineRows() {
	const all = lanes(), one = S.pick.kind === "goroutine" ? S.pick : null;
	const call = slowCall(), needed = call && laneOf(call), groups = PICKS.filter((p) => p.kind === "group" && (worked(p) || (needed && needed.group === p.group)) && (S.pick.kind !== "group" || p === S.pick))
		.map((p) => ({ pick: p, lanes: all.filter((l) => l.group === p.group && (!one || (l.goid === one.goid && l.system === one.system && l.image === one.image))).sort((a, b) => a.first - b.first),
			strip: TL.strips.find((s) => s.group === p.group) })).filter((g) => g.strip && (!one || g.lanes.length));
	// Heavy ones are open until their rows fill a window.
	if (!timeline.open) {
		timeline.open = new Set();
		let n = 0;
		for (const g of [...groups].sort((a, b) => b.pick.weight - a.pick.weight)) if (!n || n + Math.min(FEW, g.lanes.length) <= 12) {
			n += Math.min(FEW, g.lanes.length);
			timeline.open.add(g.pick.group);
		}
	}
	const rows = [];
	let y = 0;
	const put = (row, height) => { rows.push({ ...row, y, height }); y += height + GAP; };
	for (const load of LOADS) put({ load }, LOAD);
	for (const g of groups) {
		put({ group: g }, STRIP);
		if (!timeline.open.has(g.pick.group) && !one && S.pick.kind !== "group") continue;
		const shown = timeline.all.has(g.pick.group) || S.pick.kind === "group" ? g.lanes : someOf(g.lanes);
		for (const l of shown) put({ lane: l }, (l.states ? STATE_HEIGHT + 1 : 0) + LANE * Math.min(LEVELS, l.levels.length));
		if (shown.length < g.lanes.length) put({ more: g, n: g.lanes.length - shown.length }, MORE);
	}
	timeline.rows = rows;
	timeline.height = y;
	timeline.at = Math.min(timeline.at, rows.length - 1);
}

// ---- a stretch of time, as what is picked

const stretchName = (p) => time(p.from) + " to " + time(p.to);

function pickStretch(from, to) {
	const a = Math.max(0, Math.floor(Math.min(from, to))), b = Math.min(TL.length, Math.ceil(Math.max(from, to)));
	return { key: "t" + a + "-" + b, kind: "stretch", from: a, to: b };
}

// What is to be known of its numbers, in every view.
const stretchNote = (p) => "Only " + stretchName(p) + ", times as measured, what held up a prologue in its caller’s." +
	(TL.apart ? " Functions whose calls take less than " + time(TL.apart) + " are estimated: calls that fit into that count for the one that most of them are of." : "") +
	(TL.left_out ? " Only goroutines that have a row are in it." : "");

// From its key; null: it is none.
function stretchOf(key) {
	const m = TL && /^t(\d+)-(\d+)$/.exec(key || "");
	return m && Number(m[1]) < Number(m[2]) ? pickStretch(Number(m[1]), Number(m[2])) : null;
}

// The first span that ends after t.
function endsAfter(row, t) {
	let lo = 0, hi = row.n;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (row.end[mid] <= t) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

// Adds to v what happened in a stretch, by node: of each span its part, less that of what it called.
function addStretch(v, from, to) {
	for (const l of lanes())
		for (const [level, row] of l.levels.entries()) {
			if (!row) continue;
			const above = level ? l.levels[level - 1] : null;
			for (let k = endsAfter(row, from); k < row.n && row.start[k] < to; k++) {
				const length = row.end[k] - row.start[k], part = Math.min(to, row.end[k]) - Math.max(from, row.start[k]);
				const ns = length ? row.busy[k] * part / length : 0;
				v.self[row.what[k]] += ns;
				if (row.start[k] >= from) v.calls[row.what[k]] += row.count[k];
				const up = above ? endsAfter(above, (row.start[k] + row.end[k]) / 2) : 0;
				if (above && up < above.n && above.start[up] <= row.end[k]) v.self[above.what[up]] -= ns;
			}
		}
	for (let i = 0; i < v.self.length; i++) v.self[i] = Math.max(0, Math.round(v.self[i]));
}

// ---- what is at a place

function rowAt(y) {
	const at = y - AXIS + timeline.top;
	return y < AXIS ? -1 : timeline.rows.findIndex((r) => at >= r.y && at < r.y + r.height);
}

function spanAt(x, y) {
	const row = timeline.rows[rowAt(y)], t = timeAt(x), slack = (timeline.to - timeline.from) * TL.length / $("timeline").clientWidth;
	if (!row || x < gutter()) return null;
	if (row.group) return { strip: row.group, t };
	if (row.load) return { load: row.load, t };
	if (row.more) return null;
	const l = row.lane, dy = y - AXIS + timeline.top - row.y, off = l.states ? STATE_HEIGHT + 1 : 0;
	const spans = dy < off ? l.states : l.levels[Math.floor((dy - off) / LANE)];
	if (!spans) return null;
	const k = endsAfter(spans, t - slack);
	return k < spans.n && spans.start[k] <= t + slack ? { lane: l, spans, k, state: dy < off } : null;
}

function timelineTip(at) {
	if (at.load) return loadTip(at);
	if (at.strip) {
		const v = at.strip.strip.values[Math.floor(at.t / TL.bin)] || 0;
		return { heading: pickName(at.strip.pick), rows: [["goroutines in calls", (v / TL.bin).toFixed(1), ""], ["at", time(at.t), ""], ["shown below", count(at.strip.lanes.length) + " of " + count(at.strip.pick.goroutines), ""]] };
	}
	const { spans, k, lane } = at, length = spans.end[k] - spans.start[k];
	const rows = [["from", time(spans.start[k]), ""], [spans.count[k] > 1 ? "spanning" : "for", time(length || (at.state ? 0 : NaN)), ""]];
	if (spans.count[k] > 1) rows.push(["together", time(spans.busy[k]), ""]);
	const waker = at.state ? wakerOf(lane, k) : null;
	if (waker) rows.push(["woken by", waker.runtime ? "the runtime" : (waker.goid ? "goroutine " + waker.goid : "a goroutine") + (waker.f < 0 ? "" : " in " + label(waker.f)), ""]);
	if (at.state)
		return { heading: (spans.count[k] > 1 ? count(spans.count[k]) + " states, mostly " : "") + ((spans.what[k] & 255) === 3 ? "waiting: " : "") + codeName(spans.what[k]), where: laneName(lane), rows };
	return { f: T.func[spans.what[k]], where: laneName(lane), rows: spans.count[k] > 1 ? [["calls, mostly of this", count(spans.count[k]), ""], ...rows] : rows };
}

// ---- moving about

function showStretch(from, to) {
	const span = Math.min(1, Math.max(to - from, 20 / Math.max(20, TL.length)));
	timeline.from = Math.max(0, Math.min(1 - span, from));
	timeline.to = timeline.from + span;
	later(drawTimeline);
	remember();
}

function zoomTimeline(factor, at = 0.5) {
	const span = timeline.to - timeline.from, middle = timeline.from + at * span;
	showStretch(middle - at * span * factor, middle + (1 - at) * span * factor);
}

function scrollTimeline(top) {
	timeline.top = Math.max(0, Math.min(Math.max(0, timeline.height + AXIS + 20 - $("timeline").clientHeight), top));
	later(drawTimeline);
}

function toggleRow(i) {
	const row = timeline.rows[i];
	if (row && row.more) {
		timeline.all.add(row.more.pick.group);
		remember();
		timelineRows();
		timelineLegend();
		later(drawTimeline);
		say("all goroutines of " + pickName(row.more.pick));
	}
	if (!row || !row.group) return;
	const g = row.group.pick.group;
	if (!timeline.open.delete(g)) timeline.open.add(g);
	timeline.chosen = true;
	remember();
	timelineRows();
	scrollTimeline(timeline.top);
	timelineLegend();
	say((timeline.open.has(g) ? "open: " : "closed: ") + pickName(row.group.pick));
}

function chooseRow(i) {
	const row = timeline.rows[i];
	if (!row) return;
	timeline.at = i;
	if (row.y < timeline.top) scrollTimeline(row.y);
	if (row.y + row.height > timeline.top + $("timeline").clientHeight - AXIS) scrollTimeline(row.y + row.height - $("timeline").clientHeight + AXIS + 8);
	say(row.load ? row.load.name + ": " + row.load.tells : row.more ? plural(row.n, "more goroutine") : row.group ? pickName(row.group.pick) + ", " + plural(row.group.lanes.length, "goroutine") : laneName(row.lane));
	later(drawTimeline);
}

// Calls one by one, those of the function in focus that took longest, or those of all that spent most time themselves.
function slowest() {
	const found = [], focus = S.focus;
	for (const l of lanes())
		for (const [level, row] of l.levels.entries()) {
			for (let k = 0; row && k < row.n; k++) {
				if (row.count[k] > 1 || (focus >= 0 && T.func[row.what[k]] !== focus)) continue;
				let ns = row.end[k] - row.start[k];
				if (found.length >= 50 && ns <= found[49].ns) continue;
				const below = focus < 0 ? l.levels[level + 1] : null;
				for (let i = below ? endsAfter(below, row.start[k]) : 0; below && i < below.n && below.start[i] < row.end[k]; i++) ns -= below.busy[i];
				found.push({ ns, lane: l, level, row, k });
				if (found.length > 200) found.sort((a, b) => b.ns - a.ns).splice(50);
			}
		}
	return found.sort((a, b) => b.ns - a.ns).slice(0, 50);
}

function goToSlow(step) {
	if (SLOW.has(S.focus)) { set({ call: Math.max(0, Math.min(SLOW.get(S.focus).length - 1, S.call + step)) }); return; }
	const all = slowest();
	timeline.none = !all.length;
	if (!all.length) { say("no single call is shown"); timelineLegend(); return; }
	timeline.slow = Math.max(0, Math.min(all.length - 1, timeline.slow + step));
	const x = all[timeline.slow], start = x.row.start[x.k], length = x.row.end[x.k] - start || 1;
	wantLane(x.lane);
	showStretch((start - length) / TL.length, (start + 2 * length) / TL.length);
	const i = timeline.rows.findIndex((r) => r.lane === x.lane);
	if (i >= 0) chooseRow(i);
	timelineLegend();
	if (i < 0) return;
	const box = $("timeline").getBoundingClientRect(), y = AXIS + timeline.rows[i].y - timeline.top + (x.lane.states ? STATE_HEIGHT + 1 : 0) + x.level * LANE;
	showTip(timelineTip({ lane: x.lane, spans: x.row, k: x.k, state: false }), box.left + gutter() + (box.width - gutter()) / 3, box.top + Math.min(y, box.height - 40));
	say(label(T.func[x.row.what[x.k]]) + ", " + time(x.ns) + ", call " + (timeline.slow + 1) + " of " + all.length);
}

// The row of a slow call.
const laneOf = (c) => lanes().find((l) => l.goid === c.goid && l.system === c.system && l.image === c.image);

// To the call that the address names, once.
function showCall() {
	const c = slowCall(), lane = c && laneOf(c);
	if (!c || timeline.shown === c) { timeline.shown = c; return; }
	timeline.shown = c;
	timeline.wanted.clear();
	if (lane) wantLane(lane);
	// Who ended its waits is there, too: an arrow comes from it.
	for (const w of waitsOfCall().slice(0, 8)) if (laneOfWaker(w.lane, w.waker)) wantLane(laneOfWaker(w.lane, w.waker));
	showStretch((c.start - c.ns / 4) / TL.length, (c.start + 1.25 * c.ns) / TL.length);
	const i = timeline.rows.findIndex((r) => r.lane === lane);
	if (lane && i >= 0) { chooseRow(i); scrollTimeline(Math.max(timeline.rows[i].y - 40, timeline.rows[i].y + c.level * LANE - $("timeline").clientHeight / 2)); }
	say(label(c.f) + ", " + time(c.ns) + ", call " + (c.k + 1) + " of " + SLOW.get(c.f).length);
}

// Kinds of states that rows have, with what they are called.
let kindsCache = null;
function kindsShown() {
	if (kindsCache) return kindsCache;
	const codes = new Set((TL.loads || []).map((s) => s.code).concat(lanes().flatMap((l) => l.states ? [...new Set(l.states.what)] : [])));
	return kindsCache = ordered([...codes].map((code) => [code, 1])).reduce((kinds, [code]) => {
		const names = kinds.get(kindOf(code)) || [];
		return kinds.set(kindOf(code), names.includes(codeName(code)) ? names : [...names, codeName(code)]);
	}, new Map());
}

// What the address tells of it: which part of the time is seen, which rows are open.
const timelineAddress = () => ({ at: timeline.from > 0 || timeline.to < 1 ? Math.round(timeline.from * TL.length) + "-" + Math.round(timeline.to * TL.length) : "",
	open: timeline.chosen ? [...timeline.open].join(".") || "none" : "", all: [...timeline.all].join(".") });
function timelineFrom(q) {
	const m = /^(\d+)-(\d+)$/.exec(q.get("at") || ""), open = q.get("open");
	timeline.chosen = Boolean(open);
	timeline.open = open ? new Set(open.split(".").map(Number)) : null;
	timeline.all = new Set((q.get("all") || "").split(".").filter(Boolean).map(Number));
	if (m && Number(m[1]) < Number(m[2])) showStretch(Number(m[1]) / TL.length, Number(m[2]) / TL.length);
	else showStretch(0, 1);
	if (m) timeline.shown = slowCall();
}

function timelineLegend() {
	const whole = timeline.from === 0 && timeline.to === 1, stretch = S.pick.kind === "stretch";
	$("timeline-legend").replaceChildren(...[callCrumb(),
		timeline.none ? el("span", { class: "mark" }, "No call of " + label(S.focus) + " is shown by itself.") : null,
		S.call >= 0 ? null : el("span", {}, "Drag the time line for a stretch: all views then show it alone."),
		TL.apart ? el("span", {}, "Calls that fit into " + time(TL.apart) + " are one.") : null,
		...[...kindsShown()].map(([kind, names]) => el("span", { title: names.join(", ") }, el("span", { class: "swatch", style: { background: kindInk(kind) } }), names.length > 2 ? names[0] + ", …" : names.join(", "))),
		TL.gaps.length ? el("span", {}, el("span", { class: "swatch lost" }), "events lost") : null,
		TL.left_out ? el("span", {}, plural(TL.lanes.length, "goroutine") + " of " + count(D.trace.goroutines) + (TL.lanes.length === 1 ? " has a row." : " have rows: some of each go statement, those of the slowest calls, those that did most.")) : null,
		el("span", { class: "push" }, el("button", { type: "button", title: "A slower call ([)", onclick: () => goToSlow(-1) }, "‹"), " slowest calls ",
			el("button", { type: "button", title: "The next slowest call (])", onclick: () => goToSlow(1) }, "›")),
		TL.too_deep ? el("span", {}, plural(TL.too_deep, "call") + " too deep to be kept") : null,
		TL.not_in_strips ? el("span", {}, plural(TL.not_in_strips, "goroutine’s call") + " in no strip: there are too many paths") : null,
		lanes().some((l) => l.levels.length > LEVELS) ? el("span", {}, "Calls more than " + LEVELS + " deep are not drawn.") : null,
		stretch ? el("button", { type: "button", onclick: () => set({ pick: PICKS[0] }) }, "All of the time") : null,
		whole ? null : el("button", { type: "button", onclick: () => { showStretch(0, 1); timelineLegend(); } }, "Whole line (0)")].filter(Boolean));
}

function renderTimeline() {
	if (timeline.focus !== S.focus) Object.assign(timeline, { slow: -1, none: false });
	timeline.focus = S.focus;
	timelineRows();
	timelineLegend(); // its height says where the call is in sight
	showCall();
	timelineLegend();
	scrollTimeline(timeline.top);
	drawTimeline();
}

function timelineKey(e) {
	const span = timeline.to - timeline.from;
	if (e.key === "ArrowLeft" || e.key === "ArrowRight") { const d = span * (e.key === "ArrowLeft" ? -0.2 : 0.2); showStretch(timeline.from + d, timeline.to + d); }
	else if (e.key === "+" || e.key === "=") zoomTimeline(0.6);
	else if (e.key === "-") zoomTimeline(1 / 0.6);
	else if (e.key === "0") showStretch(0, 1);
	else if (e.key === "ArrowUp") chooseRow(Math.max(0, timeline.at - 1));
	else if (e.key === "ArrowDown") chooseRow(Math.min(timeline.rows.length - 1, timeline.at + 1));
	else if (e.key === "Enter" || e.key === " ") toggleRow(timeline.at);
	else if (e.key === "]") goToSlow(1);
	else if (e.key === "[") goToSlow(-1);
	else return false;
	timelineLegend();
	return true;
}

function startTimeline() {
	if (!TL) return;
	drags($("timeline"), {
		down: (x, y, e) => { timeline.brush = (y < AXIS || e.shiftKey) && x >= gutter() ? [timeAt(x), timeAt(x)] : null; },
		move: (dx, dy, x) => {
			if (timeline.brush) timeline.brush[1] = timeAt(Math.max(x, gutter()));
			else {
				const d = dx / ($("timeline").clientWidth - gutter()) * (timeline.to - timeline.from);
				showStretch(timeline.from - d, timeline.to - d);
				scrollTimeline(timeline.top - dy);
			}
			later(drawTimeline);
		},
		up: (moved) => {
			const b = timeline.brush;
			timeline.brush = null;
			if (moved && b && b[0] !== b[1]) set({ pick: pickStretch(...b) });
		},
		click: (x, y) => {
			const i = rowAt(y), at = spanAt(x, y);
			if (y < AXIS) { if (S.pick.kind === "stretch") set({ pick: PICKS[0] }); return; }
			chooseRow(i);
			if (i >= 0 && (timeline.rows[i].group || timeline.rows[i].more)) toggleRow(i);
			else if (at && at.spans && !at.state) focusOn(T.func[at.spans.what[at.k]]);
			else clearFocus();
		},
		hover: (x, y, e) => {
			const at = spanAt(x, y);
			if (at) showTip(timelineTip(at), e.clientX, e.clientY);
			else hideTip();
			const over = at && at.state && wakerOf(at.lane, at.k) ? at : null;
			if ((over && over.k) !== (timeline.over && timeline.over.k) || (over && over.lane) !== (timeline.over && timeline.over.lane)) later(drawTimeline);
			timeline.over = over;
		},
		wheel: (e, x) => {
			if (e.shiftKey) scrollTimeline(timeline.top + e.deltaY);
			else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
				const d = e.deltaX / $("timeline").clientWidth * (timeline.to - timeline.from);
				showStretch(timeline.from + d, timeline.to + d);
			} else zoomTimeline(Math.exp(e.deltaY * 0.0015), Math.max(0, (x - gutter()) / ($("timeline").clientWidth - gutter())));
			timelineLegend();
		},
	});
}
