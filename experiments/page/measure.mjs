// How long a page takes to open and to move, in headless Chromium:
//   node experiments/page/measure.mjs PAGE.html     one line of values
//   node experiments/page/measure.mjs --columns     their names
//   open_VIEW      wall_ms from the start of the navigation until the view is drawn; cpu_ms of the page's main thread,
//                  which does all of the page's own work
//   hover, zoom, pan, search in the flame graph; sankey_pan, timeline_zoom, timeline_pan: the longest wait of a step for its frame, cpu_ms a step
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "../../ci/page/browser.mjs";

const columns = ["open_overview", "open_table", "open_flame", "hover", "zoom", "pan", "search", "open_sankey", "sankey_pan", "open_timeline", "timeline_zoom", "timeline_pan"];
const [file] = process.argv.slice(2);
if (file === "--columns") {
	console.log(columns.map((c) => c + "_wall_ms," + c + "_cpu_ms").join(","));
	process.exit(0);
}
const url = pathToFileURL(resolve(file)).href;
const browser = await Browser.start();

const cpu = async (p) => 1000 * (await p.session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
const values = {};
const took = (what, wall, cpu_ms) => { values[what] = wall.toFixed(1) + "," + cpu_ms.toFixed(1); };

// Steps one by one, each until it is drawn: the longest and the processor time of all.
async function steps(p, what, list) {
	let longest = 0;
	const before = await cpu(p);
	for (const step of list) {
		const start = performance.now();
		await step();
		longest = Math.max(longest, performance.now() - start);
	}
	took(what, longest, (await cpu(p) - before) / list.length);
}

const repeat = (n, f) => Array.from({ length: n }, (_, i) => () => f(i));

for (const view of ["overview", "table", "flame", "sankey", "timeline"]) {
	const p = await browser.page();
	p.session = await p.context.newCDPSession(p.page);
	await p.session.send("Performance.enable", { timeDomain: "threadTicks" });
	const wall = await p.open(url + "#view=" + view);
	took("open_" + view, wall, await cpu(p));
	if (p.problems.length) throw new Error(p.problems.join("\n"));
	if (view === "flame") {
		const [x, y] = await p.placeOf("#flame"), at = [x, y - 250];
		await steps(p, "hover", repeat(20, (i) => p.move(50 + i * 60, at[1])));
		await steps(p, "zoom", repeat(20, () => p.wheel(...at, -120)));
		await p.page.mouse.down();
		await steps(p, "pan", repeat(30, (i) => p.move(at[0] - 10 * i, at[1])));
		await p.page.mouse.up();
		await p.press("/");
		await steps(p, "search", [..."Function12"].map((c) => () => p.type(c)));
	}
	if (view === "sankey") {
		const at = await p.placeOf("#sankey");
		await p.move(at[0], at[1] + 200);
		await p.page.mouse.down();
		await steps(p, "sankey_pan", repeat(20, (i) => p.move(at[0] + 8 * i, at[1] + 200)));
	}
	if (view === "timeline") {
		const [x, y] = await p.placeOf("#timeline"), at = [x, y - 150];
		await steps(p, "timeline_zoom", repeat(20, () => p.wheel(...at, -120)));
		await p.page.mouse.down();
		await steps(p, "timeline_pan", repeat(30, (i) => p.move(at[0] - 10 * i, at[1])));
		await p.page.mouse.up();
	}
	await p.close();
}
await browser.stop();
for (const c of columns) if (!values[c]) throw new Error(c + " was not measured");
console.log(columns.map((c) => values[c]).join(","));
