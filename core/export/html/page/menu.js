// What can be done with a function: by the right button, a long press, or the menu key.

function copy(text) {
	const put = (e) => { e.clipboardData.setData("text/plain", text); e.preventDefault(); };
	document.addEventListener("copy", put);
	say(document.execCommand("copy") ? "copied: " + text : "nothing was copied: the browser refused it");
	document.removeEventListener("copy", put);
}

// ---- an editor, by an address that the reader chooses; nothing is opened unless he asks

const EDITOR = "gotrace editor", VSCODE = "vscode://file/PATH:LINE";
const kept = { editor: null };

// A page of a file may have no storage: the choice holds for as long as it is open, then.
function editorOf() {
	try { kept.editor ??= localStorage.getItem(EDITOR); } catch { /* refused */ }
	return kept.editor || VSCODE;
}

function keepEditor(address) {
	kept.editor = address;
	try { localStorage.setItem(EDITOR, address); } catch { /* refused */ }
}

// Of a program's own choice of scheme, but none that runs code here or loads a page.
const isEditor = (address) => /^[a-z][a-z0-9+.-]*:/i.test(address) && !/^(javascript|data|blob|https?|vbscript|about):/i.test(address) && address.includes("PATH");
const inEditor = (f) => editorOf().replace("PATH", () => F.file[f].split("/").map(encodeURIComponent).join("/")).replace("LINE", () => String(F.line[f]));

function openInEditor(f) {
	const a = el("a", { href: inEditor(f) });
	say("opening " + a.href);
	a.click();
}

function chooseEditor() {
	const field = el("input", { id: "editor", type: "text", value: editorOf(), spellcheck: "false", "aria-describedby": "editor-says" }), said = el("p", { id: "editor-says", role: "status" },
		"PATH and LINE stand for the file and the line. Others: idea://open?file=PATH&line=LINE, zed://file/PATH:LINE, subl://open?url=file://PATH&line=LINE.");
	const take = () => {
		if (!isEditor(field.value.trim())) { said.textContent = "It needs a scheme of an editor, such as vscode:, and PATH."; field.focus(); return; }
		keepEditor(field.value.trim());
		$("help").close();
	};
	$("help").replaceChildren(el("h2", {}, "Address that opens an editor"), el("p", {}, el("label", { for: "editor" }, "Address"), " ", field), said,
		el("p", {}, el("button", { type: "button", onclick: take }, "Keep"), " ", el("button", { type: "button", onclick: () => $("help").close() }, "Cancel")));
	$("help").showModal();
	field.addEventListener("keydown", (e) => { if (e.key === "Enter") take(); });
	field.focus();
}

// ---- what can be given to others

// The command that makes the report of what is seen; names are quoted for a shell.
function commandOf() {
	const quoted = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
	const parts = ["gotrace", "report"], p = S.pick, file = D.file || "FILE";
	if (WAS) return ["gotrace", "diff", quoted(D.was.file), quoted(D.file)].join(" ");
	if (S.view === "slow" || S.call >= 0) parts.push("--by=call", "-s", "total");
	else if (S.view === "flame" || S.view === "sankey") parts.push("--by=path");
	if (S.focus >= 0 && S.focus < F.n) parts.push("--focus=" + quoted(F.names[S.focus]));
	for (const f of S.hidden) parts.push("--ignore=" + quoted(F.names[f]));
	if (p.kind === "goroutine" && !p.system) parts.push("--goid=" + p.goid);
	if (p.kind === "stretch") parts.push("--from=" + p.from + "ns", "--to=" + p.to + "ns");
	if (S.parked) parts.push("--parked");
	return [...parts, quoted(file)].join(" ");
}

function savePicture(canvas) {
	const copy = el("canvas", { width: canvas.width, height: canvas.height }), c = copy.getContext("2d");
	c.fillStyle = ink("ground");
	c.fillRect(0, 0, copy.width, copy.height);
	c.drawImage(canvas, 0, 0);
	el("a", { href: copy.toDataURL(), download: $("title").textContent + "-" + S.view + ".png" }).click();
}

function openShare() {
	const r = $("share").getBoundingClientRect(), canvas = document.querySelector("#view-" + S.view + " canvas");
	showMenu("Share", [item("Copy the address of this view", () => copy(location.href)), item("Copy as a gotrace command", () => copy(commandOf())),
		canvas ? item("Save as a picture", () => savePicture(canvas)) : null, item("Print", () => print()),
		location.protocol === "file:" ? el("p", { class: "fn", role: "presentation" }, "The address works where this file is. Give the file, too.") : null], r.right - 240, r.bottom + 4);
}

// ---- the menu

let menuFrom = null;

function closeMenu() {
	if ($("menu").hidden) return;
	$("menu").hidden = true;
	if (menuFrom) menuFrom.focus({ preventScroll: true });
}

const item = (text, go) => el("button", { type: "button", role: "menuitem", tabindex: -1, onclick: () => { closeMenu(); go(); } }, text);

function showMenu(name, items, x, y) {
	const menu = $("menu");
	menuFrom = document.activeElement;
	hideTip();
	menu.setAttribute("aria-label", name);
	menu.replaceChildren(...items.filter(Boolean));
	menu.hidden = false;
	const r = menu.getBoundingClientRect();
	menu.style.left = Math.max(4, Math.min(x, innerWidth - r.width - 4)) + "px";
	menu.style.top = Math.max(4, Math.min(y, innerHeight - r.height - 4)) + "px";
	menu.querySelector("button").focus();
}

// zoom: shows what was pressed larger; null: there is nothing to be zoomed.
function openMenu(f, x, y, zoom) {
	showMenu(F.names[f], [el("div", { class: "fn", role: "presentation" }, label(f)), zoom ? item("Zoom to it", zoom) : null,
		item("Callers and callees", () => focusOn(f)), S.view === "flame" ? null : item("In the flame graph", () => set({ view: "flame", focus: f })),
		SLOW.has(f) ? item("Its slowest calls", () => set({ view: "slow", focus: f })) : null,
		WAS || S.hidden.includes(f) ? null : item("Hide it and all below it", () => set({ hidden: [...S.hidden, f], focus: -1 })),
		item("Copy its name", () => copy(F.names[f])), ...(F.file[f] ? [item("Copy file and line", () => copy(F.file[f] + ":" + F.line[f])),
			item("Open in an editor", () => openInEditor(f)), item("Choose the editor …", chooseEditor)] : [])], x, y);
}

// The function at a place, and how to zoom to it; null: there is none.
function functionAt(e) {
	const box = e.target.closest("#flame, #timeline"), named = e.target.closest("[data-f]"), key = !e.clientX && !e.clientY;
	if (named) return { f: Number(named.dataset.f), zoom: null };
	if (!box) return null;
	const r = box.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
	if (box.id === "flame") {
		const i = key || e.button !== 2 ? flame.at : frameAt(x, y);
		return i > 0 ? { f: flame.m.func[i], zoom: () => { zoomTo(i); set({}); } } : null;
	}
	const at = spanAt(x, y);
	if (!at || !at.spans || at.state) return null;
	const from = at.spans.start[at.k], to = at.spans.end[at.k], slack = (to - from || 1) / 10;
	return { f: T.func[at.spans.what[at.k]], zoom: () => { showStretch((from - slack) / TL.length, (to + slack) / TL.length); timelineLegend(); } };
}

function startMenu() {
	$("share").addEventListener("click", openShare);
	document.addEventListener("contextmenu", (e) => {
		const at = functionAt(e), r = e.target.getBoundingClientRect();
		if (!at || at.f >= F.all) return;
		e.preventDefault();
		openMenu(at.f, e.clientX || r.left + 30, e.clientY || r.top + 30, at.zoom);
	});
	document.addEventListener("pointerdown", (e) => { if (!$("menu").contains(e.target)) $("menu").hidden = true; });
	$("menu").addEventListener("keydown", (e) => {
		const all = [...$("menu").querySelectorAll("button")], step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (step) all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
		else if (e.key === "Escape" || e.key === "Tab") closeMenu();
		else if (e.key === "Enter" || e.key === " ") document.activeElement.click();
		else return;
		e.preventDefault();
		e.stopPropagation();
	});
}
