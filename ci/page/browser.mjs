// Drives a headless Chromium over its debugging pipe: no network, no other package.
// Protocol: https://chromedevtools.github.io/devtools-protocol/, messages ended by a NUL on fds 3 and 4.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Browser {
	static async start() {
		const b = new Browser();
		b.profile = mkdtempSync(join(tmpdir(), "gotrace-chromium-"));
		// No sandbox: tests run as root in containers, on pages of our own. No /dev/shm: it is small there.
		b.child = spawn(process.env.CHROMIUM || "chromium", ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-extensions", "--hide-scrollbars",
			"--force-color-profile=srgb", "--font-render-hinting=none", `--user-data-dir=${b.profile}`, "--remote-debugging-pipe",
			"about:blank"], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
		b.errors = "";
		b.child.stderr.on("data", (d) => { b.errors += d; });
		b.waiting = new Map();
		b.listeners = new Set();
		b.next = 1;
		let rest = Buffer.alloc(0);
		b.child.stdio[4].on("data", (d) => {
			rest = Buffer.concat([rest, d]);
			for (let at; (at = rest.indexOf(0)) >= 0; rest = rest.subarray(at + 1)) b.take(JSON.parse(rest.subarray(0, at).toString()));
		});
		b.child.on("exit", (code) => {
			for (const w of b.waiting.values()) w.reject(new Error(`chromium ended with ${code}:\n${b.errors}`));
		});
		b.child.on("error", (e) => {
			for (const w of b.waiting.values()) w.reject(e);
		});
		await b.send("Browser.getVersion");
		return b;
	}

	take(message) {
		const w = this.waiting.get(message.id);
		if (w) {
			this.waiting.delete(message.id);
			if (message.error) w.reject(new Error(`${w.method}: ${message.error.message}`));
			else w.resolve(message.result);
		}
		if (message.method) for (const l of this.listeners) l(message);
	}

	send(method, params = {}, sessionId) {
		const id = this.next++;
		return new Promise((resolve, reject) => {
			this.waiting.set(id, { resolve, reject, method });
			this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
		});
	}

	async page({ width = 1440, height = 900, dark = false, touch = false } = {}) {
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		const p = new Page(this, sessionId, targetId);
		for (const domain of ["Page", "Runtime", "Network", "Log"]) await p.send(domain + ".enable");
		await p.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: touch });
		await p.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
		return p;
	}

	async stop() {
		const gone = new Promise((resolve) => this.child.on("exit", resolve));
		this.child.stdio[3].end();
		const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
		await gone;
		clearTimeout(timer);
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
	}
}

class Page {
	constructor(browser, session, target) {
		Object.assign(this, { browser, session, target, problems: [], requests: [] });
		browser.listeners.add((m) => {
			if (m.sessionId !== session) return;
			if (m.method === "Runtime.exceptionThrown") this.problems.push(m.params.exceptionDetails.exception?.description || m.params.exceptionDetails.text);
			if (m.method === "Runtime.consoleAPICalled") this.problems.push("console: " + m.params.args.map((a) => a.value ?? a.description).join(" "));
			if (m.method === "Log.entryAdded") this.problems.push("log: " + m.params.entry.text);
			if (m.method === "Network.requestWillBeSent") this.requests.push(m.params.request.url);
		});
	}

	send(method, params) {
		return this.browser.send(method, params, this.session);
	}

	// Milliseconds from the start of the navigation until the page has drawn itself.
	async open(url) {
		const loaded = new Promise((resolve) => {
			const l = (m) => {
				if (m.sessionId !== this.session || m.method !== "Page.loadEventFired") return;
				this.browser.listeners.delete(l);
				resolve();
			};
			this.browser.listeners.add(l);
		});
		const { errorText } = await this.send("Page.navigate", { url });
		if (errorText) throw new Error(`${url}: ${errorText}`);
		await loaded;
		return this.run("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))");
	}

	// The value of an expression in the page.
	async run(expression) {
		const r = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
		if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description || r.exceptionDetails.text);
		return r.result.value;
	}

	// Until what was asked for is drawn.
	settle() {
		return this.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
	}

	async mouse(type, x, y, more = {}) {
		await this.send("Input.dispatchMouseEvent", { type, x, y, button: "none", ...more });
	}

	async clickAt(x, y) {
		await this.mouse("mouseMoved", x, y);
		await this.mouse("mousePressed", x, y, { button: "left", buttons: 1, clickCount: 1 });
		await this.mouse("mouseReleased", x, y, { button: "left", clickCount: 1 });
		await this.settle();
	}

	async drag(x0, y0, x1, y1) {
		await this.mouse("mouseMoved", x0, y0);
		await this.mouse("mousePressed", x0, y0, { button: "left", buttons: 1, clickCount: 1 });
		for (let i = 1; i <= 5; i++) await this.mouse("mouseMoved", x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5, { button: "left", buttons: 1 });
		await this.mouse("mouseReleased", x1, y1, { button: "left", clickCount: 1 });
		await this.settle();
	}

	async wheel(x, y, deltaY, deltaX = 0, modifiers = 0) {
		await this.mouse("mouseWheel", x, y, { deltaX, deltaY, modifiers });
		await this.settle();
	}

	// The middle of an element.
	async placeOf(selector) {
		const at = await this.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null;
			e.scrollIntoView?.({ block: "nearest" }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
		if (!at) throw new Error("nothing is " + selector);
		return at;
	}

	async click(selector) {
		await this.clickAt(...await this.placeOf(selector));
	}

	async hover(selector) {
		await this.mouse("mouseMoved", ...await this.placeOf(selector));
		await this.settle();
	}

	// A key by its name: "a", "Enter", "ArrowDown", "Escape", "Tab", "/".
	async press(key, modifiers = 0) {
		const codes = { Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35, PageDown: 34, PageUp: 33 };
		const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
		const event = { key, text, modifiers, windowsVirtualKeyCode: codes[key] || key.toUpperCase().charCodeAt(0) };
		await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event, text: undefined });
		await this.settle();
	}

	async type(text) {
		await this.send("Input.insertText", { text });
		await this.settle();
	}

	async screenshot(clip) {
		const { data } = await this.send("Page.captureScreenshot", { format: "png", ...(clip ? { clip: { ...clip, scale: 1 } } : {}) });
		return Buffer.from(data, "base64");
	}

	async close() {
		await this.browser.send("Target.closeTarget", { targetId: this.target });
	}
}
