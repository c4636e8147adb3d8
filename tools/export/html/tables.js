/*
 * The table of functions, and what is shown of one function: its source lines, its callers and what it called.
 *
 * SPDX-License-Identifier: ISC
 */
const MOST_ROWS = 100, MOST_LINES = 15, MOST_ARCS = 25;

function columnsOf(profile) {
	const each = (ticks, fn) => (fn.calls > 0 ? ticks / fn.calls : -1);

	return [
		{ key: "name", title: "Function", sort: (f) => f.name },
		{ key: "self", title: "Self", sort: (f) => f.self, text: (f) => seconds(profile, f.self) },
		{ title: "", text: (f) => percent(profile, f.self) },
		{ key: "total", title: "Total", sort: (f) => f.total, text: (f) => seconds(profile, f.total) },
		{ title: "", text: (f) => percent(profile, f.total) },
		{ key: "calls", title: "Calls", sort: (f) => f.calls, text: (f) => (f.calls + f.bySelf > 0 ? count(f.calls) : "-") },
		{ key: "selfcall", title: "Self/call", sort: (f) => each(f.body, f), text: (f) => perCall(profile, f.body, f.calls) },
		{ key: "totalcall", title: "Total/call", sort: (f) => each(f.total, f), text: (f) => perCall(profile, f.total, f.calls) },
	];
}

// onSort and onChoose are told what the user has clicked on.
function makeTable(profile, onSort, onChoose) {
	const columns = columnsOf(profile);
	const body = document.querySelector("#functions tbody");
	let all = false;
	let last = null;

	document.querySelector("#functions thead tr").append(...columns.map((c) => element("th",
		{ scope: "col", class: c.key === undefined ? "percent" : null, "data-key": c.key || null },
		...(c.key === undefined ? [] : [element("button", { type: "button", onclick: () => onSort(c.key) }, c.title)]))));

	function row(fn, isChosen) {
		return element("tr", { "aria-selected": isChosen ? "true" : "false", onclick: () => onChoose(fn) },
			...columns.map((c) => c.key === "name"
				? element("td", { title: fn.shown }, element("button", { type: "button", class: "link" }, fn.shown))
				: element("td", { class: c.key === undefined ? "percent quiet" : null }, c.text(fn))));
	}

	function compare(column, rising) {
		const order = (a, b) => (column.sort(a) < column.sort(b) ? -1 : column.sort(a) > column.sort(b) ? 1 : 0);
		return (a, b) => (rising ? order(a, b) : order(b, a)) || b.self - a.self || b.total - a.total || b.calls - a.calls || a.id - b.id;
	}

	function show(what) {
		const { key, rising, chosen, matches } = (last = what);
		const column = columns.find((c) => c.key === key);
		const found = profile.functions.filter(matches).sort(compare(column, rising));
		const shown = all ? found : found.slice(0, MOST_ROWS);

		if (chosen !== null && !shown.includes(chosen))
			shown.unshift(chosen);
		for (const th of document.querySelectorAll("#functions th[data-key]"))
			if (th.dataset.key === key)
				th.setAttribute("aria-sort", rising ? "ascending" : "descending");
			else
				th.removeAttribute("aria-sort");
		body.replaceChildren(...shown.map((f) => row(f, f === chosen)));
		byId("more").replaceChildren(...(shown.length >= found.length ? [] : [element("button", {
			type: "button",
			onclick() {
				all = true;
				show(last);
			},
		}, "Show all " + count(found.length))]));
		return found.length;
	}

	return { show, has: (key) => columns.some((c) => c.key !== undefined && c.key === key) };
}

function table(titles, rows) {
	return element("div", { class: "wide" }, element("table", null,
		element("thead", null, element("tr", null, ...titles.map((t) => element("th", { scope: "col" }, t)))),
		element("tbody", null, ...rows)));
}

function lineRow(profile, line, fn) {
	return element("tr", null,
		element("td", { title: shortened(line.file) + ":" + line.line }, place(line)),
		...(fn === undefined ? [] : [element("td", { class: "quiet rest", title: fn }, fn)]),
		element("td", null, seconds(profile, line.ticks)),
		element("td", { class: "quiet" }, percent(profile, line.ticks)));
}

function arcTable(profile, title, arcs, other, onChoose) {
	const rows = [...arcs].sort((a, b) => b.ticks - a.ticks || b.calls - a.calls);

	if (rows.length === 0)
		return [];
	return [
		element("h3", null, title + (rows.length > MOST_ARCS ? ` (${MOST_ARCS} of ${count(rows.length)})` : "")),
		table(["", "Calls", "Time", "Each"], rows.slice(0, MOST_ARCS).map((arc) => element("tr", null,
			element("td", null, element("button",
				{ type: "button", class: "link", title: arc[other].shown, onclick: () => onChoose(arc[other]) },
				arc[other].shown)),
			element("td", null, arc.calls > 0 ? count(arc.calls) : "-"),
			element("td", null, seconds(profile, arc.ticks)),
			element("td", null, arc.caller === arc.callee ? "-" : perCall(profile, arc.ticks, arc.calls))))),
	];
}

function showFunction(profile, fn, onChoose) {
	const parts = [
		element("h2", null, fn.shown),
		element("p", { class: "quiet" }, fn.start === null ? "" : place(fn.start)),
		factList([
			["self", seconds(profile, fn.self) + ", " + percent(profile, fn.self)],
			["total", seconds(profile, fn.total) + ", " + percent(profile, fn.total)],
			...functionFacts(profile, fn),
		]),
	];

	if (fn.lines.length > 0)
		parts.push(element("h3", null, "Lines with most self time"),
			table(["", "Self", ""], fn.lines.slice(0, MOST_LINES).map((line) => lineRow(profile, line))));
	parts.push(...arcTable(profile, "Called by", fn.callers, "caller", onChoose));
	parts.push(...arcTable(profile, "Calls", fn.callees, "callee", onChoose));
	byId("detail").replaceChildren(...parts);
	byId("detail").className = "";
	byId("below").className = "";
}

// With no function chosen: the lines of all.
function showLines(profile) {
	const lines = profile.functions.flatMap((f) => f.lines.map((line) => ({ line, name: f.shown })))
		.sort((a, b) => b.line.ticks - a.line.ticks).slice(0, 2 * MOST_LINES);

	byId("detail").replaceChildren(...(lines.length === 0 ? [] : [
		element("h2", null, "Source lines with most self time"),
		table(["", "", "Self", ""], lines.map(({ line, name }) => lineRow(profile, line, name))),
	]));
	byId("detail").className = "all";
	byId("below").className = lines.length === 0 ? "single" : "";
}
