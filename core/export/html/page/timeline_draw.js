// The timeline as a picture.

const gutter = () => Math.min(230, Math.round($("timeline").clientWidth * 0.3));
const timeAt = (x) => (timeline.from + (x - gutter()) / ($("timeline").clientWidth - gutter()) * (timeline.to - timeline.from)) * TL.length;

function stepOf(span, most) {
	const least = span / most, ten = 10 ** Math.floor(Math.log10(least || 1));
	return [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= least) || ten * 10;
}

function drawTimeline() {
	const box = $("timeline"), canvas = box.firstElementChild, ratio = devicePixelRatio || 1, width = box.clientWidth, height = box.clientHeight;
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	const c = canvas.getContext("2d"), left = gutter(), from = timeline.from * TL.length, span = (timeline.to - timeline.from) * TL.length;
	const p = { c, left, width, height, from, to: from + span, scale: (width - left) / span, ink: ink("ink"), soft: ink("soft"), line: ink("line"), bar: ink("bar"),
		warn: ink("warn"), ground: ink("ground"), raised: ink("sunken"), accent: ink("accent"), mono: "12px " + ink("mono"), sans: "12.5px " + ink("sans"), letter: 0, kinds: {}, bright: litFrames(T), hidden: hiddenNodes() };
	for (const kind of [...kindsShown().keys(), "collector", "other"]) p.kinds[kind] = ink("kind-" + kind);
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	c.textBaseline = "middle";
	c.font = p.mono;
	p.letter = c.measureText("MMMMMMMMMM").width / 10;
	const ticks = ticksOf(p);
	c.fillStyle = p.line;
	for (const t of ticks) c.fillRect(Math.round(left + (t - from) * p.scale), AXIS - 5, 1, height);
	c.save();
	c.beginPath();
	c.rect(0, AXIS, width, height - AXIS);
	c.clip();
	for (const [i, row] of timeline.rows.entries()) {
		const y = AXIS + row.y - timeline.top;
		if (y + row.height < AXIS || y > height) continue;
		if (row.load) drawLoad(row, y, p, i === timeline.at);
		else if (row.more) nameRow("… " + plural(row.n, "more goroutine"), y, MORE, i === timeline.at, 26, p);
		else if (row.group) drawStrip(row, y, p, i === timeline.at);
		else drawLane(row.lane, y, p, i === timeline.at);
	}
	drawArrows(p);
	c.restore();
	drawAxis(ticks, p);
}

function ticksOf({ left, width, from, to }) {
	const step = stepOf(to - from, Math.max(2, (width - left) / 110)), ticks = [];
	for (let k = Math.ceil(from / step); k * step <= to; k++) ticks.push(k * step);
	return ticks;
}

function drawAxis(ticks, { c, left, width, height, from, scale, soft, line, ground, accent, sans }) {
	c.fillStyle = ground;
	c.fillRect(0, 0, width, AXIS);
	c.font = sans;
	c.fillStyle = soft;
	c.fillText("time", 8, AXIS / 2);
	const named = ticks.map((t) => t ? time(Math.round(t)) : "0"), alike = new Set(named).size < named.length;
	for (const [i, t] of ticks.entries()) {
		// Close to each other they read the same: the first is named, the others by how much later they are.
		const x = left + (t - from) * scale, label = alike && i ? "+" + time(Math.round(t - ticks[0])) : named[i];
		if (x + c.measureText(label).width + 4 < width) c.fillText(label, x + 4, AXIS / 2);
	}
	c.fillStyle = line;
	c.fillRect(0, AXIS - 1, width, 1);
	const b = timeline.brush || (S.pick.kind === "stretch" ? [S.pick.from, S.pick.to] : null);
	if (!b) return;
	const x0 = Math.max(left, left + (Math.min(...b) - from) * scale), x1 = Math.min(width, left + (Math.max(...b) - from) * scale);
	c.globalAlpha = 0.13;
	c.fillStyle = accent;
	if (x1 > x0) c.fillRect(x0, 0, x1 - x0, height);
	c.globalAlpha = 1;
	for (const x of [x0, x1 - 1]) if (x1 > x0) c.fillRect(x, 0, 1, height);
}

function nameRow(text, y, height, current, indent, { c, left, ink, raised, accent, mono, letter }) {
	if (current) {
		c.fillStyle = raised;
		c.fillRect(0, y, left, height);
		c.fillStyle = accent;
		c.fillRect(0, y, 3, height);
	}
	c.font = mono;
	c.fillStyle = ink;
	c.fillText(fitting(text, left - indent - 10, letter), indent, y + Math.min(height, STRIP) / 2);
}

// How many goroutines were in calls, at each moment.
function drawStrip(row, y, p, current) {
	const { c, left, width, from, to, scale, bar, line } = p, g = row.group, v = g.strip.values, most = Math.max(1, ...v), bin = TL.bin;
	nameRow((timeline.open.has(g.pick.group) ? "▾ " : "▸ ") + (g.pick.group ? "go " + label(g.pick.func) : "main and others"), y, STRIP, current, 8, p);
	c.fillStyle = bar;
	for (let k = Math.max(0, Math.floor(from / bin)); k < v.length && k * bin < to; k++) {
		const x0 = Math.max(left, Math.round(left + (k * bin - from) * scale)), x1 = Math.min(width, Math.round(left + ((k + 1) * bin - from) * scale)), h = Math.round(v[k] / most * (STRIP - 3));
		if (h) c.fillRect(x0, y + STRIP - 1 - h, Math.max(1, x1 - x0), h);
	}
	c.fillStyle = line;
	c.fillRect(left, y + STRIP - 1, width - left, 1);
}

function drawSpans(row, y, height, p, paint) {
	const { c, left, width, from, to, scale } = p;
	for (let k = endsAfter(row, from); k < row.n && row.start[k] < to;) {
		const x0 = left + (row.start[k] - from) * scale, x1 = left + (row.end[k] - from) * scale, a = Math.max(left, x0), b = Math.min(width, x1);
		if (row.levelled && p.hidden && p.hidden[row.what[k]]) { k++; continue; }
		c.fillStyle = paint(k);
		if (x1 - x0 < 0.7) {
			c.globalAlpha *= 0.7;
			c.fillRect(a, y, 1, height);
			k = Math.max(k + 1, endsAfter(row, from + (x0 + 1 - left) / scale));
		} else {
			if (row.count[k] > 1) c.globalAlpha *= 0.35 + 0.4 * Math.min(1, row.busy[k] / (row.end[k] - row.start[k] || 1));
			c.fillRect(a, y, Math.max(0.7, b - a - (b - a > 3 ? 0.5 : 0)), height);
			const name = row.levelled ? fittingName(T.func[row.what[k]], row.count[k] > 1 ? count(row.count[k]) + "× " : "", b - a - 6, p.letter) : "";
			c.globalAlpha = 1;
			if (name) {
				c.fillStyle = p.ink;
				c.fillText(name, a + 3, y + height / 2 + 0.5);
			}
			k++;
		}
		c.globalAlpha = 1;
	}
}

function drawLane(l, y, p, current) {
	const { c, left, width, from, to, scale, warn } = p, height = (l.states ? STATE_HEIGHT + 1 : 0) + LANE * Math.min(LEVELS, l.levels.length);
	const id = laneName({ ...l, start: "" }), room = left - 36 - (id.length + 1) * p.letter;
	nameRow(id + (l.start && room > 5 * p.letter ? " " + fitting(shortOf(l.start), room, p.letter) : ""), y, height, current, 26, p);
	if (l.states) {
		drawSpans(l.states, y, STATE_HEIGHT, p, (k) => p.kinds[kindOf(l.states.what[k])]);
		y += STATE_HEIGHT + 1;
	}
	c.font = p.mono;
	for (const [level, row] of l.levels.entries()) {
		if (!row || level >= LEVELS) continue;
		row.levelled = true;
		drawSpans(row, y + level * LANE, LANE - 1, p, (k) => {
			c.globalAlpha = p.bright && !p.bright[row.what[k]] ? PALE : 1;
			return colour(T.func[row.what[k]]);
		});
	}
	markCall(l, y, p);
	c.fillStyle = warn;
	for (const g of TL.gaps) {
		if (g.to < from || g.from > to || (g.goid && (l.system || g.goid !== l.goid))) continue;
		const x0 = Math.max(left, left + (g.from - from) * scale), x1 = Math.min(width, Math.max(left + (g.to - from) * scale, x0 + 1));
		c.globalAlpha = 0.3;
		if (x1 > x0) c.fillRect(x0, y, x1 - x0, height);
		c.globalAlpha = 1;
	}
}

// The call that is looked at has a frame.
function markCall(l, y, { c, left, width, from, scale, ink }) {
	const call = slowCall();
	if (!call || laneOf(call) !== l) return;
	const x0 = Math.max(left, left + (call.start - from) * scale), x1 = Math.min(width, left + (call.start + call.ns - from) * scale);
	c.strokeStyle = ink;
	c.lineWidth = 2;
	if (x1 > x0) c.strokeRect(x0 - 1, y + call.level * LANE - 1, x1 - x0 + 2, LANE + 1);
	c.lineWidth = 1;
}
