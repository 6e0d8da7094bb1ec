// How long a page takes to open and to move, in headless Chromium:
//   node experiments/page/measure.mjs CASE PAGE.html RUNS
// Rows on standard output: case,run,what,wall_ms,cpu_ms,frames
//   open-VIEW     from the start of the navigation until the view is drawn; cpu: the page's main thread,
//                 which does all of the page's own work
//   pan, zoom, hover, search in the flame graph; sankey-pan: per step, the longest wait for its frame
// One run more goes first and is thrown away.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "../../ci/page/browser.mjs";

const [name, file, runs] = process.argv.slice(2);
const url = pathToFileURL(resolve(file)).href;
const browser = await Browser.start();

const cpu = async (p) => 1000 * (await p.session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
const row = (run, what, wall, cpu_ms, frames) => {
	if (run) console.log([name, run, what, wall.toFixed(1), cpu_ms.toFixed(1), frames].join(","));
};

// Steps one by one, each until it is drawn: the longest and the processor time of all.
async function steps(p, run, what, list) {
	let longest = 0;
	const before = await cpu(p);
	for (const step of list) {
		const start = performance.now();
		await step();
		longest = Math.max(longest, performance.now() - start);
	}
	row(run, what, longest, (await cpu(p) - before) / list.length, list.length);
}

const repeat = (n, f) => Array.from({ length: n }, (_, i) => () => f(i));

for (let run = 0; run <= Number(runs); run++) {
	for (const view of ["overview", "table", "flame", "sankey"]) {
		const p = await browser.page();
		p.session = await p.context.newCDPSession(p.page);
		await p.session.send("Performance.enable", { timeDomain: "threadTicks" });
		const wall = await p.open(url + "#view=" + view);
		row(run, "open-" + view, wall, await cpu(p), 1);
		if (p.problems.length) throw new Error(p.problems.join("\n"));
		if (view === "flame") {
			const [x, y] = await p.placeOf("#flame"), at = [x, y - 250];
			await steps(p, run, "hover", repeat(20, (i) => p.move(50 + i * 60, at[1])));
			await steps(p, run, "zoom", repeat(20, () => p.wheel(...at, -120)));
			await p.page.mouse.down();
			await steps(p, run, "pan", repeat(30, (i) => p.move(at[0] - 10 * i, at[1])));
			await p.page.mouse.up();
			await p.press("/");
			await steps(p, run, "search", [..."Function12"].map((c) => () => p.type(c)));
		}
		if (view === "sankey") {
			const at = await p.placeOf("#sankey");
			await p.move(at[0], at[1] + 200);
			await p.page.mouse.down();
			await steps(p, run, "sankey-pan", repeat(20, (i) => p.move(at[0] + 8 * i, at[1] + 200)));
		}
		await p.close();
	}
}
await browser.stop();
