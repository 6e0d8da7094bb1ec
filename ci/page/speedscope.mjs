// Exports for speedscope, opened by speedscope: each function has the self time, and each profile the name, that it was written with.
//   node ci/page/speedscope.mjs FOLDER      of NAME.speedscope.json; $SPEEDSCOPE is the folder that ci/page/npm.sh prints
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { Browser } from "./browser.mjs";

const folder = resolve(process.argv[2]);
const address = pathToFileURL(join(process.env.SPEEDSCOPE, "dist/release/index.html")).href;
const browser = await Browser.start();

// As speedscope prints a time: three digits or so, in a unit that fits.
function printed(ns) {
	for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3]])
		if (ns / size >= 1) return (ns / size).toFixed(2) + unit;
	return ns.toFixed(2) + "ns";
}

// Self time of each function of a profile, by its name.
function selves(file, profile) {
	const sums = {};
	profile.samples.forEach((stack, i) => {
		const name = file.shared.frames[stack[stack.length - 1]].name;
		sums[name] = (sums[name] ?? 0) + profile.weights[i];
	});
	return sums;
}

async function shows(p, what) {
	for (let i = 0; i < 100; i++) {
		const text = await p.run("document.body.innerText");
		if (text.includes(what)) return text;
		await new Promise((done) => setTimeout(done, 100));
	}
	throw new Error("nothing says " + what + ": " + await p.run("document.body.innerText"));
}

async function check(name) {
	const path = join(folder, name), file = JSON.parse(readFileSync(path)), p = await browser.page({ height: 4000 });
	await p.open(address);
	await p.page.setInputFiles("input[type=file]", path);
	await shows(p, file.profiles[0].name + (file.profiles.length > 1 ? " (1/" + file.profiles.length + ")" : ""));
	assert.equal(await p.run("document.title"), file.name + " - speedscope");
	await p.press("3"); // functions in a table
	const lines = (await shows(p, "Symbol Name")).split("\n").map((line) => line.trim());
	const table = Object.entries(selves(file, file.profiles[0]));
	assert.ok(table.length > 1);
	for (const [symbol, ns] of table) {
		const at = lines.indexOf(symbol);
		assert.ok(at > 0, symbol + " is not there");
		assert.equal(lines[at - 1].split(" ")[0], printed(ns), symbol);
	}
	for (let i = 1; i < file.profiles.length; i++) { // "n": the next profile
		await p.press("n");
		await shows(p, file.profiles[i].name + " (" + (i + 1) + "/" + file.profiles.length + ")");
	}
	assert.deepEqual(p.problems.filter((line) => !line.startsWith("console: ")), []);
	await p.close();
}

let passed = 0, failed = 0;
for (const name of readdirSync(folder).filter((f) => f.endsWith(".speedscope.json")).sort())
	try {
		await check(name);
		passed++;
		console.log("  ok       speedscope opens " + name);
	} catch (e) {
		failed++;
		console.log("  FAIL     speedscope opens " + name + "\n" + e.stack);
	}
await browser.stop();
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed || !passed ? 1 : 0;
