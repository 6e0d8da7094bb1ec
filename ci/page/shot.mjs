// A picture of a page: node ci/page/shot.mjs PAGE.html OUT.png [--view=VIEW] [--by=WHAT] [--focus=FUNCTION]
//   [--pick=KEY] [--call=NUMBER] [--parked=1] [--q=SEARCH] [--size=WIDTHxHEIGHT] [--dark]
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [page, out, ...options] = process.argv.slice(2);
const o = Object.fromEntries(options.map((x) => { const [k, ...v] = x.replace(/^--/, "").split("="); return [k, v.join("=") || true]; }));
const [width, height] = (o.size || "1440x900").split("x").map(Number);
const browser = await Browser.start();
let failed = false;
try {
	const p = await browser.page({ width, height, dark: Boolean(o.dark) });
	const hash = new URLSearchParams(["view", "by", "focus", "pick", "q", "call", "parked"].filter((k) => o[k]).map((k) => [k, o[k]]));
	await p.open(pathToFileURL(resolve(page)).href + "#" + hash);
	await p.settle();
	writeFileSync(out, await p.screenshot());
	for (const problem of p.problems) console.error(problem);
	failed = p.problems.length > 0;
} finally {
	await browser.stop();
}
process.exitCode = failed ? 1 : 0;
