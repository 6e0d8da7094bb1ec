// Rows above the goroutines: what all of them did at each moment, those of the runtime, too.

const LOAD = 22, CPUS = Number(D.trace.info["host.cpus"]) || 0;
// The collector's workers wait by this name while they mark on a system stack.
const MARKS = "GC worker (active)";

// A row for each thing that the trace knows of; parts: from below, what it is called, its colour and how many goroutines at each moment.
const LOADS = [];
if (TL && TL.loads) {
	const strips = TL.loads.map((s) => ({ kind: s.collector || codeName(s.code) === MARKS ? "marks" : kindOf(s.code), values: sparseArray(s.bins, 1024).map((ns) => ns / TL.load_bin) }));
	const part = (what, kind, ink = kind) => {
		const found = strips.filter((s) => s.kind === kind);
		return { what, ink, values: found.length ? found[0].values.map((_, k) => found.reduce((sum, s) => sum + s.values[k], 0)) : null };
	};
	const put = (name, tells, all, least = 0) => {
		const parts = all.filter((x) => x.values);
		if (!parts.length) return;
		const sum = parts[0].values.map((_, k) => parts.reduce((n, x) => n + x.values[k], 0)), most = Math.max(...sum);
		LOADS.push({ name: name + (least ? "" : ", at most " + (most < 0.05 ? "<0.1" : most < 9.95 ? most.toFixed(1) : count(most))), tells, parts, most: Math.max(most, least), cpus: least });
	};
	put(CPUS ? "running, of " + plural(CPUS, "processor") : "running", "goroutines that ran on a processor", [part("running", "run"), part("marking for the garbage collector", "marks", "collector")], CPUS);
	put("ready to run", "goroutines that would have run", [part("runnable: Go’s scheduler did not run them", "ready"), part("without a processor: the machine ran something else", "off-cpu")]);
	put("system calls", "goroutines in system calls", [part("in system calls", "syscall")]);
	put("network", "goroutines that waited for the network, or for a pipe", [part("waiting for it", "network")]);
	put("GC", "the garbage collector’s workers, and goroutines that waited for it", [part("marking", "marks", "collector"), part("waiting for it", "collector", "other")]);
}

function drawLoad(row, y, p, current) {
	const { c, left, width, from, to, scale, line, soft } = p, { parts, most, cpus, name } = row.load, bin = TL.load_bin, n = parts[0].values.length, high = LOAD - 2;
	nameRow(name.length * p.letter > left - 18 ? name.replace(/,.*/, "") : name, y, LOAD, current, 8, p);
	for (let k = Math.max(0, Math.floor(from / bin)); k < n && k * bin < to; k++) {
		const x0 = Math.max(left, Math.round(left + (k * bin - from) * scale)), x1 = Math.min(width, Math.round(left + ((k + 1) * bin - from) * scale));
		let below = 0;
		for (const part of parts) {
			const y0 = Math.round(below / most * high), y1 = Math.round((below += part.values[k]) / most * high);
			c.fillStyle = p.kinds[part.ink];
			if (y1 > y0) c.fillRect(x0, y + LOAD - 1 - y1, Math.max(1, x1 - x0), y1 - y0);
		}
	}
	c.fillStyle = line;
	c.fillRect(left, y + LOAD - 1, width - left, 1);
	c.fillStyle = soft;
	if (cpus && most > cpus) c.fillRect(left, y + LOAD - 1 - Math.round(cpus / most * high), width - left, 1);
}

function loadTip({ load, t }) {
	const k = Math.floor(t / TL.load_bin);
	return { heading: load.tells, rows: [...load.parts.map((x) => [x.what, (x.values[k] || 0).toFixed(x.values[k] < 9.95 ? 2 : 0), ""]), ["at " + time(k * TL.load_bin) + ", for", time(TL.load_bin), ""]] };
}
