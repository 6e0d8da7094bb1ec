// The flame graph: a canvas, outermost functions on top, siblings by weight. What is narrower than a
// pixel is skipped by bisection, so that drawing costs the same for a million frames as for a thousand.

const FRAME = 22, LEAST_SHARE = 1e-4;

// ---- frames: parallel arrays, parents before children, and rows of them from left to right

function framesOf(n, parent, level, func, go, node, self) {
	return arrange({ n, parent, level, func, go, node, self, value: subtrees(self) });
}

function arrange(m) {
	const { n, parent, level, value } = m, x = new Float64Array(n), next = new Float64Array(n);
	let depth = 0;
	for (let i = 1; i < n; i++) {
		x[i] = next[parent[i]];
		next[parent[i]] += value[i];
		next[i] = x[i];
		if (value[i] && level[i] > depth) depth = level[i];
	}
	const start = new Uint32Array(depth + 3);
	for (let i = 1; i < n; i++) if (value[i]) start[level[i] + 1]++;
	for (let l = 1; l < start.length; l++) start[l] += start[l - 1];
	const order = new Uint32Array(start[depth + 1]), at = start.slice();
	for (let i = 1; i < n; i++) if (value[i]) order[at[level[i]]++] = i;
	return Object.assign(m, { x, depth, start, order, whole: value[0], left: 0 });
}

// From callers to callees: width is subtree time.
function topDown() {
	const v = valuesOf(S.pick), self = new Float64Array(T.n);
	for (let i = 1; i < T.n; i++)
		self[i] = S.by === "calls" ? v.calls[i] : S.by === "grow" ? v.grow[i] : v.self[i] + v.grow[i] + v.preempt[i];
	const m = framesOf(T.n, T.parent, T.level, T.func, T.go, null, self);
	m.states = S.by === "total" && v.states ? v.states.map(subtrees) : null;
	return m;
}

function subtrees(self) {
	const sum = Float64Array.from(self);
	for (let i = T.n - 1; i > 0; i--) sum[T.parent[i]] += sum[i];
	return sum;
}

// From functions to their callers: width is self time. Frames below a ten-thousandth are left out.
function bottomUp() {
	const v = valuesOf(S.pick).self, parent = [0], level = [0], func = [0], go = [0], value = [0];
	let first = [];
	for (let i = 1; i < T.n; i++) if (v[i]) {
		value[0] += v[i];
		first.push(i, i);
	}
	const least = value[0] * LEAST_SHARE;
	let left = 0;
	// pairs: the path whose time it is, the node on it that the frame stands for
	const grow = (at, pairs) => {
		const by = new Map();
		for (let k = 0; k < pairs.length; k += 2) {
			const key = 2 * T.func[pairs[k + 1]] + (at && T.go[childOf(pairs, k, at)] ? 1 : 0);
			const g = by.get(key) || { sum: 0, pairs: [] };
			by.set(key, g);
			g.sum += v[pairs[k]];
			g.pairs.push(pairs[k], pairs[k + 1]);
		}
		const made = [];
		for (const [key, g] of [...by].sort((a, b) => b[1].sum - a[1].sum || a[0] - b[0])) {
			if (g.sum < least) { left += g.sum; continue; }
			made.push([parent.push(at) - 1, g.pairs]);
			level.push(level[at] + 1);
			func.push(key >> 1);
			go.push(key & 1);
			value.push(g.sum);
		}
		return made;
	};
	const childOf = (pairs, k) => pairs.from[k / 2];
	first.from = [];
	const work = grow(0, first).reverse();
	while (work.length) {
		const [at, pairs] = work.pop(), up = [];
		up.from = [];
		for (let k = 0; k < pairs.length; k += 2) {
			const above = T.parent[pairs[k + 1]];
			if (!above) continue;
			up.push(pairs[k], above);
			up.from.push(pairs[k + 1]);
		}
		if (up.length) work.push(...grow(at, up).reverse());
	}
	const m = arrange({ n: parent.length, parent, level, func, go, value, self: null, node: null });
	m.left = left;
	return m;
}

const flame = { key: null, m: null, from: 0, to: 1, top: 0, over: -1, at: -1, zoom: 0, up: false };

function flameFrames() {
	const key = S.by + scopeKey();
	if (flame.key === key) return;
	flame.key = key;
	flame.m = S.by === "self" ? bottomUp() : topDown();
	Object.assign(flame, { from: 0, to: 1, top: 0, over: -1, at: -1, zoom: 0 });
}

// ---- drawing

function fillOf(m, i) {
	if (WAS) return changeColour(S.by === "self" ? changeOf(m.func[i]) : nodeChange(i));
	return colour(m.func[i]);
}

// Callees hang below their callers, or stand on them.
const frameTop = (l) => flame.up ? $("flame").clientHeight - l * FRAME + flame.top : (l - 1) * FRAME - flame.top;

function frameLabel(m, i) {
	const again = S.by === "self" ? 0 : T.recursion.get(i);
	return (m.go[i] ? "go " : "") + label(m.func[i]) + (again ? "  ↻" + again : "");
}

function drawFlame() {
	const box = $("flame"), canvas = box.firstElementChild, ratio = devicePixelRatio || 1;
	const width = box.clientWidth, height = box.clientHeight, m = flame.m;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	const paint = { c, width, ink: ink("ink"), soft: ink("soft"), ground: ink("ground"), warn: ink("warn"),
		font: "12px " + ink("mono"), letter: 0, states: STATES.map(([, , name]) => ink("state-" + name)), bright: litFrames(m) };
	c.font = paint.font;
	c.textBaseline = "middle";
	paint.letter = c.measureText("MMMMMMMMMM").width / 10;
	if (!m.whole) {
		c.fillStyle = paint.soft;
		c.fillText(S.by === "grow" ? "No stack grew in what is shown." : "Nothing to show: no call was recorded.", 20, 30);
		return;
	}
	const scale = width / ((flame.to - flame.from) * m.whole), origin = flame.from * m.whole;
	const first = Math.max(1, Math.floor(flame.top / FRAME) + 1), last = Math.min(m.depth, first + Math.ceil(height / FRAME));
	for (let l = first; l <= last; l++) drawRow(m, l, scale, origin, paint);
}

// The first frame of row [lo, hi) that ends right of v.
function after(m, lo, hi, v) {
	while (lo < hi) {
		const mid = (lo + hi) >> 1, i = m.order[mid];
		if (m.x[i] + m.value[i] <= v) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

// Frames that are not pale: those found, else the function in focus with its callers and all below it.
const lit = { m: null, f: -1, query: "", of: null };
function litFrames(m) {
	if (!hits && S.focus < 0) return null;
	if (lit.m === m && lit.f === S.focus && lit.query === S.query) return lit.of;
	const of = new Uint8Array(m.n);
	for (let i = 1; i < m.n; i++) of[i] = hits ? hits[m.func[i]] : m.func[i] === S.focus || of[m.parent[i]] ? 1 : 0;
	for (let i = m.n - 1; i > 0 && !hits; i--) if (of[i]) of[m.parent[i]] = 1;
	return Object.assign(lit, { m, f: S.focus, query: S.query, of }).of;
}

function drawRow(m, l, scale, origin, paint) {
	const y = frameTop(l), hi = m.start[l + 1];
	for (let k = after(m, m.start[l], hi, origin); k < hi;) {
		const i = m.order[k], x0 = (m.x[i] - origin) * scale, x1 = x0 + m.value[i] * scale;
		if (x0 > paint.width) break;
		if (x1 - x0 >= 0.7) {
			drawFrame(m, i, Math.max(0, x0), Math.min(paint.width, x1), y, paint);
			k++;
			continue;
		}
		// Many within a pixel: one mark for all of them.
		paint.c.globalAlpha = hits || S.focus >= 0 ? 0.25 : 0.6;
		paint.c.fillStyle = fillOf(m, i);
		paint.c.fillRect(x0, y, 1, FRAME - 1);
		paint.c.globalAlpha = 1;
		k = Math.max(k + 1, after(m, k, hi, origin + (x0 + 1) / scale));
	}
}

// What is written on a pale frame still has a contrast of 4.5 to 1.
const PALE = 0.3;

function drawFrame(m, i, x0, x1, y, { c, ink, soft, warn, letter, states, bright }) {
	const f = m.func[i], w = x1 - x0, dim = bright && !bright[i];
	c.globalAlpha = dim ? PALE : 1;
	c.fillStyle = fillOf(m, i);
	c.fillRect(x0, y, Math.max(0.7, w - (w > 3 ? 1 : 0)), FRAME - 1);
	// The strip at the bottom is the function's self time.
	if (m.self && w > 4 && m.self[i]) {
		c.fillStyle = ink;
		c.globalAlpha = dim ? 0.12 : 0.45;
		c.fillRect(x0, y + FRAME - 4, (w - 1) * Math.min(1, m.self[i] / m.value[i]), 3);
		c.globalAlpha = dim ? PALE : 1;
	}
	// The strip on top says what the subtree's time was: running, waiting and so on.
	if (m.states && w > 4) {
		let x = x0;
		for (const [k, sum] of m.states.entries()) {
			const part = (w - 1) * sum[i] / m.value[i];
			c.fillStyle = states[k];
			c.fillRect(x, y, part, 4);
			x += part;
		}
	}
	if (m.go[i] && w > 3) {
		c.strokeStyle = ink;
		c.setLineDash([4, 3]);
		c.strokeRect(x0 + 0.5, y + 0.5, w - 2, FRAME - 2);
		c.setLineDash([]);
	}
	if (S.by !== "self" && w > 5 && ALL.suspect.has(i)) {
		c.fillStyle = warn;
		c.beginPath();
		c.moveTo(x0 + w - 9, y);
		c.lineTo(x0 + w - 1, y);
		c.lineTo(x0 + w - 1, y + 8);
		c.fill();
	}
	if (i === flame.over || i === flame.at || f === S.focus) {
		c.strokeStyle = ink;
		c.lineWidth = i === flame.at ? 2 : 1;
		c.strokeRect(x0 + 0.5, y + 0.5, w - 2, FRAME - 2);
		c.lineWidth = 1;
	}
	const again = S.by === "self" ? 0 : T.recursion.get(i);
	const text = fittingName(f, (m.go[i] ? "go " : "") + (again ? "↻" + again + " " : ""), w - 9, letter);
	c.globalAlpha = 1;
	if (text) {
		const more = amount(m.value[i]) + " " + share(m.value[i], m.whole), at = x0 + 4 + text.length * letter + 12;
		c.fillStyle = dim ? soft : ink;
		c.fillText(text, x0 + 4, y + FRAME / 2 - 0.5);
		if (at + more.length * letter < x0 + w - 6) {
			c.globalAlpha = dim ? 1 : 0.85;
			c.fillText(more, at, y + FRAME / 2 - 0.5);
		}
	}
	c.globalAlpha = 1;
}

// ---- moving about

function frameAt(px, py) {
	const m = flame.m, l = Math.floor(((flame.up ? $("flame").clientHeight - py : py) + flame.top) / FRAME) + 1;
	if (!m.whole || l < 1 || l > m.depth) return -1;
	const v = (flame.from + px / $("flame").clientWidth * (flame.to - flame.from)) * m.whole;
	const k = after(m, m.start[l], m.start[l + 1], v), i = m.order[k];
	return k < m.start[l + 1] && m.x[i] <= v ? i : -1;
}

function showRange(from, to) {
	const span = Math.min(1, Math.max(to - from, 1e-9));
	flame.from = Math.max(0, Math.min(1 - span, from));
	flame.to = flame.from + span;
}

function scrollFlame(top) {
	flame.top = Math.max(0, Math.min(Math.max(0, flame.m.depth * FRAME - $("flame").clientHeight + 30), top));
}

function zoomTo(i) {
	const m = flame.m;
	flame.zoom = i > 0 ? i : 0;
	flame.at = i > 0 ? i : -1;
	if (i > 0) showRange(m.x[i] / m.whole, (m.x[i] + m.value[i]) / m.whole);
	else showRange(0, 1);
	if (i > 0 && ((m.level[i] - 1) * FRAME < flame.top || (m.level[i] + 3) * FRAME > flame.top + $("flame").clientHeight))
		scrollFlame((m.level[i] - 3) * FRAME);
	later(drawFlame);
	flameLegend();
	remember();
}

function zoomFlame(factor, at = 0.5) {
	const span = (flame.to - flame.from) * factor, middle = flame.from + at * (flame.to - flame.from);
	showRange(middle - at * span, middle + (1 - at) * span);
	later(drawFlame);
}

function flameTip(i) {
	const m = flame.m, f = m.func[i];
	if (S.by === "self")
		return { f, go: m.go[i], rows: [[m.parent[i] ? "self time of the function at the top, called on this path" : "self time", time(m.value[i]), share(m.value[i], m.whole)]] };
	const v = valuesOf(S.pick), rows = [];
	rows.push(["total", time(v.total[i]), ""]);
	if (S.by === "total") rows.push(["with goroutines", time(m.value[i]), share(m.value[i], m.whole)]);
	for (const [k, sum] of (m.states || []).entries())
		if (sum[i]) rows.push([STATES[k][0], time(sum[i]), share(sum[i], m.value[i])]);
	rows.push(["self", time(v.self[i]), S.by === "total" ? share(v.self[i], m.whole) : ""]);
	rows.push([MANY, count(v.calls[i]), S.by === "calls" ? share(v.calls[i], m.whole) : ""]);
	if (S.by === "calls") rows.push(["with goroutines", count(m.value[i]), share(m.value[i], m.whole)]);
	if (v.grow[i] || S.by === "grow") rows.push(["stack growth", time(v.grow[i]), ""]);
	if (S.by === "grow") rows.push(["with goroutines", time(m.value[i]), share(m.value[i], m.whole)]);
	if (v.preempt[i]) rows.push(["preempted", time(v.preempt[i]), ""]);
	if (WAS) rows.push(["before, with goroutines", amount(nodeBelow(WAS, i)), ""]);
	return { f, go: m.go[i], group: T.go[i], recursion: T.recursion.get(i), suspect: ALL.suspect.get(i), unfinished: ALL.unfinished.get(i),
		unwound: ALL.unwound.get(i), rows };
}

function turnFlame() {
	flame.up = !flame.up;
	flame.top = 0;
	say(flame.up ? "callees above" : "callees below");
	flameLegend();
	later(drawFlame);
}

// What the address tells of it.
const flameAddress = () => ({ zoom: flame.zoom ? String(flame.zoom) : "", up: flame.up ? "1" : "" });
function flameFrom(q) {
	const zoom = Number(q.get("zoom"));
	flame.up = q.get("up") === "1";
	flameFrames();
	if (Number.isInteger(zoom) && zoom !== flame.zoom && zoom >= 0 && zoom < flame.m.n) zoomTo(zoom);
}

function flameLegend() {
	const what = { total: "Width: time with goroutines: a function, all that it called and the goroutines started there.",
		self: "Width: self time of a function; below it, its callers.",
		calls: "Width: " + MANY + " of a function and of all below it.",
		grow: "Width: time growing stacks, of a function and of all below it." }[S.by];
	$("flame-legend").replaceChildren(...[el("span", {}, what), S.by === "self" ? null : el("span", {}, el("span", { class: "swatch self" }), "self"),
		el("span", {}, el("span", { class: "go" }, "go"), "started by a go statement"),
		...(flame.m.states ? [el("span", {}, "Strip on top:"), ...STATES.filter((_, k) => flame.m.states[k][0]).map(([what, , name]) => el("span", {},
			el("span", { class: "swatch", style: { background: `var(--state-${name})` } }), what))] : []),
		WAS ? el("span", {}, "Width as in B; colour: ", el("b", { class: "slower" }, "slower"), " or ", el("b", { class: "faster" }, "faster"), " than A.") : null,
		...(WAS ? [] : legend()),
		flame.m.left ? el("span", {}, "Left out: callers below 0.01%, " + share(flame.m.left, flame.m.whole) + " together.") : null,
		el("button", { type: "button", class: "push", title: "Callees below or above their callers (i)", onclick: turnFlame }, flame.up ? "Callees below" : "Callees above"),
		flame.zoom || flame.to - flame.from < 1 ? el("button", { type: "button", onclick: () => zoomTo(0) }, "Whole graph (0)") : null].filter(Boolean));
}

function renderFlame() {
	flameFrames();
	flameLegend();
	drawFlame();
}

function flameKey(e) {
	const m = flame.m, i = flame.at;
	if (!m.whole) return false;
	const row = (l, d) => { const k = m.order.subarray(m.start[l], m.start[l + 1]).indexOf(i) + d; return m.order[m.start[l] + k]; };
	let to = -1;
	if (e.key === "+" || e.key === "=") zoomFlame(0.7);
	else if (e.key === "-") zoomFlame(1 / 0.7);
	else if (e.key === "0") zoomTo(0);
	else if (e.key === "i") turnFlame();
	else if ((e.key === "Enter" || e.key === " ") && i > 0) { zoomTo(i); focusOn(m.func[i]); }
	else if (/^Arrow/.test(e.key)) {
		const up = flame.up ? "ArrowDown" : "ArrowUp", down = flame.up ? "ArrowUp" : "ArrowDown";
		if (i < 1) to = m.order[0];
		else if (e.key === up) to = m.parent[i];
		else if (e.key === down) { const k = after(m, m.start[m.level[i] + 1], m.start[m.level[i] + 2] || 0, m.x[i]); to = m.order[k]; if (m.parent[to] !== i) to = -1; }
		else if (e.key === "ArrowLeft" && m.order[m.start[m.level[i]]] !== i) to = row(m.level[i], -1);
		else if (e.key === "ArrowRight" && m.order[m.start[m.level[i] + 1] - 1] !== i) to = row(m.level[i], 1);
		if (to > 0) {
			flame.at = to;
			if ((m.level[to] - 1) * FRAME < flame.top) scrollFlame((m.level[to] - 2) * FRAME);
			if ((m.level[to] + 1) * FRAME > flame.top + $("flame").clientHeight) scrollFlame(m.level[to] * FRAME - $("flame").clientHeight + 40);
			say(frameLabel(m, to) + ", " + amount(m.value[to]) + ", " + share(m.value[to], m.whole));
			const box = $("flame").getBoundingClientRect(), x = (m.x[to] / m.whole - flame.from) / (flame.to - flame.from) * box.width;
			showTip(flameTip(to), box.left + Math.max(10, Math.min(x, box.width - 300)), box.top + frameTop(m.level[to]) + FRAME);
			later(drawFlame);
		}
	} else return false;
	return true;
}

function startFlame() {
	drags($("flame"), {
		move: (dx, dy) => {
			const span = flame.to - flame.from;
			showRange(flame.from - dx / $("flame").clientWidth * span, flame.to - dx / $("flame").clientWidth * span);
			scrollFlame(flame.top - (flame.up ? -dy : dy));
			later(drawFlame);
		},
		click: (x, y) => {
			const i = frameAt(x, y);
			zoomTo(i);
			if (i > 0) focusOn(flame.m.func[i]);
			else clearFocus();
		},
		hover: (x, y, e) => {
			const i = frameAt(x, y);
			if (i !== flame.over) { flame.over = i; later(drawFlame); }
			if (i > 0) showTip(flameTip(i), e.clientX, e.clientY);
			else hideTip();
		},
		wheel: (e, x) => {
			if (e.shiftKey) scrollFlame(flame.top + e.deltaY);
			else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
				const d = e.deltaX / $("flame").clientWidth * (flame.to - flame.from);
				showRange(flame.from + d, flame.to + d);
			} else zoomFlame(Math.exp(e.deltaY * 0.0015), x / $("flame").clientWidth);
			flameLegend();
			later(drawFlame);
		},
	});
}
