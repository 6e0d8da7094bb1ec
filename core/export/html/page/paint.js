// A colour for each package, distinguished by lightness as well as by hue (after Okabe and Ito's set).

const FILLS = {
	light: ["#8fbbe0", "#ecb46c", "#86c9a8", "#cda9da", "#efe08e", "#e89a80", "#a5dbe6"],
	dark: ["#2f6594", "#97621b", "#2c7457", "#77508a", "#7d701d", "#954733", "#2f7683"],
};
const REST = { light: "#cfcfc9", dark: "#4a5056" };

let theme = "light";

// The packages with the most self time get the colours, in that order.
const ranked = (() => {
	const self = new Map();
	for (let f = 0; f < F.n; f++)
		self.set(F.pkg[f], (self.get(F.pkg[f]) || 0) + F.self_ns[f]);
	return [...self].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([pkg]) => pkg);
})();
const slot = F.names.map((name, f) => f < F.n ? ranked.indexOf(F.pkg[f]) : -1);

// A package's colour, lighter or darker by function, so that neighbours are told apart.
const shadesCache = { light: [], dark: [] };
function colour(f) {
	const known = shadesCache[theme];
	if (known[f]) return known[f];
	const fills = FILLS[theme], fill = slot[f] >= 0 && slot[f] < fills.length ? fills[slot[f]] : REST[theme];
	let hash = 0;
	for (const c of F.names[f]) hash = (hash * 31 + c.codePointAt(0)) % 1009;
	return known[f] = mix(fill, theme === "dark" ? "#14171a" : "#ffffff", hash / 1009 * 0.3);
}

// Packages and their colours, for a legend.
function legend() {
	const shown = ranked.slice(0, FILLS.light.length).filter((p) => p), lasts = shown.map(lastOf);
	// Two of one name are told apart by the folder that they are in.
	const short = (pkg, i) => lasts.indexOf(lasts[i]) === lasts.lastIndexOf(lasts[i]) ? lasts[i] : pkg.split("/").slice(-2).join("/");
	return shown.map((pkg, i) => el("span", { title: pkg },
		el("span", { class: "swatch", style: { background: FILLS[theme][i] } }), S.full ? pkg : short(pkg, i)))
		.concat(ranked.length > shown.length ? [el("span", {}, el("span", { class: "swatch", style: { background: REST[theme] } }), "others")] : []);
}

// In a comparison: how much slower (1) or faster (-1), by the change as a share of the larger.
function mix(a, b, t) {
	const part = (c, i) => parseInt(c.slice(1 + 2 * i, 3 + 2 * i), 16);
	return "rgb(" + [0, 1, 2].map((i) => Math.round(part(a, i) + (part(b, i) - part(a, i)) * t)).join(" ") + ")";
}
const CHANGE = { light: ["#e6e6e1", "#e0762b", "#4a94d2"], dark: ["#3a4047", "#b85a14", "#2a73b4"] };
function changeColour(d) {
	const [same, slow, fast] = CHANGE[theme];
	return d >= 0 ? mix(same, slow, Math.min(1, d)) : mix(same, fast, Math.min(1, -d));
}

const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
