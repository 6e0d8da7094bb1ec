// Who ended the waits of goroutines: arrows on the timeline.

// Of a lane's k-th state, if it is a wait by itself.
function wakerOf(l, k) {
	const s = l.states;
	return s && (s.what[k] & 255) === 3 && k + 1 < s.n && s.start[k + 1] === s.end[k] ? s.wakers.get(k + 1) || null : null;
}

// The waits of the call that is looked at, but for short ones; the longest first.
function waitsOfCall() {
	const c = slowCall(), l = c && laneOf(c), found = [];
	if (!l || !l.states) return found;
	for (let k = endsAfter(l.states, c.start); k < l.states.n && l.states.start[k] < c.start + c.ns; k++)
		if (wakerOf(l, k) && l.states.end[k] - l.states.start[k] > c.ns / 20) found.push({ lane: l, k, ns: l.states.end[k] - l.states.start[k], waker: wakerOf(l, k) });
	return found.sort((a, b) => b.ns - a.ns);
}

const laneOfWaker = (l, waker) => waker.goid ? lanes().find((x) => x.goid === waker.goid && !x.system && x.image === l.image) : null;

// To the goroutine that ended a wait, at that time.
function goToWaker(l, waker) {
	const by = laneOfWaker(l, waker);
	if (!by) return;
	wantLane(by);
	const i = timeline.rows.findIndex((r) => r.lane === by);
	if (i >= 0) { scrollTimeline(timeline.rows[i].y - 40); chooseRow(i); }
	timelineLegend();
}

// Who ended the longest wait of the call, for the line above the timeline.
function wakerCrumb() {
	const [w] = waitsOfCall();
	if (!w || w.waker.runtime || w.waker.f < 0) return null;
	return ["Its longest wait, " + time(w.ns) + " (" + codeName(w.lane.states.what[w.k]) + "), was ended by ", nameOf(w.waker.f), ". ",
		laneOfWaker(w.lane, w.waker) ? el("button", { type: "button", id: "waker", onclick: () => goToWaker(w.lane, w.waker) }, "Goroutine " + w.waker.goid) : "(goroutine " + w.waker.goid + ") ", " "];
}

// From the waker's row to the end of the wait; a row that is not there is above or below all.
function drawArrow(l, k, { c, left, width, height, from, scale, accent }) {
	const waker = wakerOf(l, k), x = left + (l.states.end[k] - from) * scale, row = (lane) => lane && timeline.rows.find((r) => r.lane === lane);
	const to = row(l), by = row(laneOfWaker(l, waker));
	if (!to || !by || by === to || x < left || x > width) return;
	const y1 = AXIS + to.y - timeline.top + STATE_HEIGHT / 2, y0 = AXIS + by.y - timeline.top + STATE_HEIGHT / 2, way = Math.sign(y1 - y0);
	c.strokeStyle = c.fillStyle = accent;
	c.lineWidth = 1.5;
	c.beginPath();
	c.arc(x, y0, 3, 0, 7);
	c.fill();
	c.beginPath();
	c.moveTo(x, y0);
	c.lineTo(x, y1 - 4 * way);
	c.stroke();
	c.beginPath();
	c.moveTo(x, y1);
	c.lineTo(x - 4, y1 - 8 * way);
	c.lineTo(x + 4, y1 - 8 * way);
	c.fill();
	c.lineWidth = 1;
}

function drawArrows(p) {
	for (const w of waitsOfCall().slice(0, 8)) drawArrow(w.lane, w.k, p);
	if (timeline.over) drawArrow(timeline.over.lane, timeline.over.k, p);
}
