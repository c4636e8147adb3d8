/*
 * Figures and facts in words, and how they come onto the page: as text, never as HTML, since names may be anything.
 *
 * SPDX-License-Identifier: ISC
 */
function element(tag, attributes, ...children) {
	const made = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes || {}))
		if (key === "onclick")
			made.addEventListener("click", value);
		else if (value !== null && value !== false)
			made.setAttribute(key, value === true ? "" : value);
	made.append(...children);
	return made;
}

function byId(id) {
	return document.getElementById(id);
}

function count(n) {
	return n.toLocaleString("en-US");
}

function seconds(profile, ticks) {
	return (ticks / profile.rate).toFixed(3) + " s";
}

function percent(profile, ticks) {
	return profile.ticks > 0 ? ((100 * ticks) / profile.ticks).toFixed(1) + " %" : "-";
}

// What a call has cost, in three digits and a unit.  0: less than the samples can tell.
function perCall(profile, ticks, calls) {
	if (!(calls > 0))
		return "-";
	let cost = (ticks / profile.rate / calls) * 1e9;
	if (cost === 0)
		return "0";
	for (const unit of ["ns", "µs", "ms"]) {
		if (cost < 999.5)
			return cost.toPrecision(3) + " " + unit;
		cost /= 1000;
	}
	return (cost < 999.5 ? cost.toPrecision(3) : cost.toFixed(0)) + " s";
}

function callsOf(fn) {
	if (fn.calls === 0 && fn.bySelf === 0)
		return "not counted";
	return count(fn.calls) + (fn.bySelf > 0 ? " + " + count(fn.bySelf) + " by itself" : "");
}

// Pairs of a label and a text.
function functionFacts(profile, fn) {
	const facts = [["calls", callsOf(fn)]];

	if (fn.calls > 0) {
		facts.push(["self/call", perCall(profile, fn.body, fn.calls)]);
		facts.push([profile.measured ? "total/call" : "total/call by shares", perCall(profile, fn.total, fn.calls)]);
	}
	return facts;
}

// What is known of the calls by which a frame came about.
function arcFacts(profile, caller, fn) {
	const arc = arcBetween(caller, fn);
	const label = "calls from " + caller.shown;

	if (arc === undefined || arc.calls === 0)
		return [[label, "not counted"]];
	if (!profile.measured || caller === fn)
		return [[label, count(arc.calls)]];
	return [[label, count(arc.calls) + ", " + perCall(profile, arc.ticks, arc.calls) + " each with all they called"]];
}

function frameFacts(profile, frame, caller) {
	const facts = [
		["time", seconds(profile, frame.value) + ", " + percent(profile, frame.value)],
		["self", seconds(profile, frame.self) + ", " + percent(profile, frame.self)],
	];

	if (frame.members !== undefined)
		facts.push(["they call each other", frame.members.slice(0, 20).map((f) => f.shown).join(", ")]);
	else if (frame.fn === null)
		facts.push(["calls", profile.calls > 0 ? count(profile.calls) : "not counted"]);
	else {
		if (caller !== null && caller.fn !== null)
			facts.push(...arcFacts(profile, caller.fn, frame.fn));
		facts.push(...functionFacts(profile, frame.fn));
	}
	return facts;
}

function factList(facts) {
	return element("dl", { class: "facts" },
		...facts.map(([label, text]) => element("div", null, element("dt", null, label), element("dd", null, text))));
}

// The last two parts of a path say enough; all of it is in the title.
function place(line) {
	return line.file.split("/").slice(-2).join("/") + ":" + line.line;
}
