/*
 * The page: what the user has chosen is the state, which the address has behind its "#", so that it can be linked to:
 * #search=TEXT, function=NAME, zoom=NAME;NAME..., view=icicle, theme=dark, sort=COLUMN, joined by "&".
 *
 * SPDX-License-Identifier: ISC
 */
const profile = readProfile(JSON.parse(byId("data").textContent));
const initial = { search: "", fn: null, zoom: null, icicle: false, theme: null, sort: "self", rising: false };
const state = { ...initial };
const darkPreferred = matchMedia("(prefers-color-scheme: dark)");

const graph = makeGraph(profile, (d) => change({ zoom: d }, true));
const functionTable = makeTable(profile,
	(key) => change({ sort: key, rising: state.sort === key ? !state.rising : key === "name" }),
	(fn) => change({ fn: state.fn === fn ? null : fn }, true));

function isDark() {
	return state.theme === null ? darkPreferred.matches : state.theme === "dark";
}

function hash() {
	const parts = [];

	if (state.search !== "")
		parts.push("search=" + encodeURIComponent(state.search));
	if (state.fn !== null)
		parts.push("function=" + encodeURIComponent(state.fn.name));
	if (state.zoom !== null)
		parts.push("zoom=" + graph.path(state.zoom).map(encodeURIComponent).join(";"));
	if (state.icicle)
		parts.push("view=icicle");
	if (state.theme !== null)
		parts.push("theme=" + state.theme);
	if (state.sort !== initial.sort || state.rising)
		parts.push("sort=" + state.sort + (state.rising ? ",rising" : ""));
	return parts.length > 0 ? "#" + parts.join("&") : "#";
}

function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function fromHash() {
	const wanted = new Map(location.hash.slice(1).split("&").map((part) => [part.split("=", 1)[0], part.slice(part.indexOf("=") + 1)]));
	const name = wanted.has("function") ? decoded(wanted.get("function")) : null;
	const [sort, order] = (wanted.get("sort") || initial.sort).split(",");

	return {
		search: decoded(wanted.get("search") || ""),
		fn: profile.functions.filter((f) => f.name === name).sort((a, b) => b.self - a.self)[0] || null,
		zoom: wanted.get("zoom") ? graph.find(wanted.get("zoom").split(";").map(decoded)) : null,
		icicle: wanted.get("view") === "icicle",
		theme: ["dark", "light"].includes(wanted.get("theme")) ? wanted.get("theme") : null,
		sort: functionTable.has(sort) ? sort : initial.sort,
		rising: order === "rising",
	};
}

// What belongs to a step back of the browser is `lasting`.
function change(what, lasting) {
	Object.assign(state, what);
	try {
		history[lasting ? "pushState" : "replaceState"](null, "", hash());
	} catch {
		// Some browsers forbid it to pages from files, or when it comes too often: then there is no link.
	}
	show(what);
}

function matcher() {
	const term = state.search.toLowerCase();
	return (name) => name.toLowerCase().includes(term);
}

function showFound() {
	const matches = matcher();
	const test = state.fn !== null ? (frame) => frame.fn === state.fn
		: state.search !== "" ? (frame) => matches(frame.fn === null ? frame.name : frame.fn.name) : null;
	const { frames, ticks } = graph.highlight(test);
	const rows = functionTable.show({
		key: state.sort, rising: state.rising, chosen: state.fn, matches: (f) => matches(f.name),
	});

	byId("found").textContent = test === null ? ""
		: (state.fn !== null ? state.fn.shown : count(rows) + (rows === 1 ? " function" : " functions")) +
		": " + count(frames) + (frames === 1 ? " frame, " : " frames, ") + seconds(profile, ticks) + ", " + percent(profile, ticks);
}

function showTheme() {
	document.documentElement.dataset.theme = isDark() ? "dark" : "light";
	byId("theme").textContent = isDark() ? "Light" : "Dark";
	graph.theme(isDark());
}

function showView() {
	byId("flame").setAttribute("aria-pressed", !state.icicle);
	byId("icicle").setAttribute("aria-pressed", state.icicle);
	graph.view(state.icicle);
}

// Shows what of the state has changed.
function show(what) {
	if ("theme" in what)
		showTheme();
	if ("icicle" in what)
		showView();
	if ("search" in what && byId("search").value !== state.search)
		byId("search").value = state.search;
	if ("search" in what || "fn" in what || "sort" in what)
		showFound();
	if ("fn" in what && state.fn !== null)
		showFunction(profile, state.fn, (fn) => change({ fn }, true));
	else if ("fn" in what)
		showLines(profile);
}

function takeHash() {
	Object.assign(state, fromHash());
	show(state);
	if (graph.root !== null && (state.zoom !== null || graph.isZoomed()))
		graph.zoom(state.zoom);
}

function showHead() {
	const date = new Date(profile.date * 1000).toISOString();
	const n = profile.files.length;
	const facts = [
		seconds(profile, profile.ticks) + " of " + (profile.time === "cpu" ? "CPU" : profile.time) + " time",
		...(profile.time !== "cpu" ? [] : [
			count(Math.round(profile.ticks)) + " ticks at " + count(profile.rate) + " Hz" + (profile.measured ? " with call stacks" : ""),
		]),
		profile.calls > 0 ? count(profile.calls) + " calls" : "no calls were counted",
		n === 1 ? "1 file" : count(n) + " files",
		date.slice(0, 10) + " " + date.slice(11, 16) + " UTC",
		profile.build_id === "" ? "no build ID" : "build ID " + profile.build_id,
	];

	if (profile.runtime_ticks > 0)
		facts.splice(1, 0, seconds(profile, profile.runtime_ticks) + " for counting, left out");
	document.title = profile.tree.name + ": profile";
	byId("program").textContent = shortened(profile.program);
	byId("facts").replaceChildren(...facts.map((fact) => element("span", null, fact)));
	byId("files").querySelector("summary").textContent = n === 1 ? "The file" : "The files";
	byId("files").querySelector("ul").replaceChildren(...profile.files.map((file) => element("li", null, file)));
	byId("notice").hidden = profile.measured;
	byId("made").textContent = "Made by profsup-export " + profile.profsup + "; graph by d3-flame-graph.";
}

// Esc undoes one thing at a time.
function undo() {
	if (!byId("tip").hidden)
		byId("tip").hidden = true;
	if (state.search !== "")
		change({ search: "" });
	else if (state.fn !== null)
		change({ fn: null }, true);
	else if (graph.root !== null && graph.isZoomed())
		graph.reset();
}

document.addEventListener("keydown", (event) => {
	if (event.altKey || event.ctrlKey || event.metaKey)
		return;
	if (event.key === "/" && document.activeElement !== byId("search")) {
		event.preventDefault();
		byId("search").focus();
		byId("search").select();
	} else if (event.key === "Escape") {
		event.preventDefault();
		undo();
	} else if (event.key === "Enter" && document.activeElement === byId("search"))
		byId("chart").focus();
});
byId("search").addEventListener("input", () => change({ search: byId("search").value, fn: null }));
byId("flame").addEventListener("click", () => change({ icicle: false }));
byId("icicle").addEventListener("click", () => change({ icicle: true }));
byId("reset").addEventListener("click", () => graph.root !== null && graph.reset());
byId("theme").addEventListener("click", () => change({ theme: isDark() ? "light" : "dark" }));
darkPreferred.addEventListener("change", showTheme);
window.addEventListener("beforeprint", () => graph.theme(false));
window.addEventListener("afterprint", showTheme);
window.addEventListener("popstate", takeHash);
window.addEventListener("hashchange", takeHash);

showHead();
takeHash();
