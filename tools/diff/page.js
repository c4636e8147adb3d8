'use strict';
// The page of profsup-diff: a table of functions, one of arcs, and an icicle of the stacks.  Names are anybody's: they
// become text, never markup.
const data = JSON.parse(document.getElementById('data').textContent);
const name = id => data.functions[id].name;
const seconds = x => x.toFixed(3);
const signed = (x, digits = 3) => (x < 0 ? '\u2212' : '+') + Math.abs(x).toFixed(digits);
const kind = x => x > 0 ? 'more' : x < 0 ? 'less' : 'same';

function add(parent, tag, text, className) {
	const e = parent.appendChild(document.createElement(tag));
	if (text !== undefined)
		e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

function heading() {
	const t = data.total, runs = [data.before, data.after].map(s => s.runs.length).join(' and ');
	const share = t.before > 0 ? ` (${signed(100 * t.change / t.before, 1)} %)` : '';
	add(document.body, 'h1', `${data.before.program} \u2192 ${data.after.program}`);
	add(document.body, 'p', `CPU time ${seconds(t.before)} s \u2192 ${seconds(t.after)} s: ${signed(t.change)} s \u00b1 ` +
		`${seconds(t.error)} s${share}; runs: ${runs}.`);
	if (data.noise_percent !== undefined)
		add(document.body, 'p', `One run each: that a run's time varies by ${data.noise_percent} % is assumed.`);
}

const part = (time, key) => time[key] === undefined ? '\u2013' : signed(time[key]);
const columns = [
	['function', r => r.text, r => r.text],
	['before s', r => r.time.before, r => seconds(r.time.before)],
	['after s', r => r.time.after, r => seconds(r.time.after)],
	['change', r => Math.abs(r.time.change), r => signed(r.time.change)],
	['\u00b1', r => r.time.error, r => seconds(r.time.error)],
	['', r => r.time.change, null],
	['by calls', r => r.time.by_calls || 0, r => part(r.time, 'by_calls')],
	['by cost', r => r.time.by_cost || 0, r => part(r.time, 'by_cost')],
	['calls before', r => r.calls.before, r => r.calls.before.toLocaleString('en')],
	['calls after', r => r.calls.after, r => r.calls.after.toLocaleString('en')],
];

// From the middle: to the left for less time, to the right for more.
function bar(cell, change, most) {
	const e = add(cell, 'div', undefined, 'bar'), i = add(e, 'i', undefined, kind(change));
	const half = most > 0 ? 50 * Math.abs(change) / most : 0;
	i.style.width = half + '%';
	i.style.marginLeft = (change < 0 ? 50 - half : 50) + '%';
}

function table(title, rows) {
	let order = 3, up = false, all = false;
	const most = Math.max(0, ...rows.map(r => Math.abs(r.time.change)));
	add(document.body, 'h2', title);
	const label = add(document.body, 'label'), box = add(label, 'input');
	box.type = 'checkbox';
	add(label, 'span', ' show what chance may explain, too');
	const t = add(document.body, 'table'), head = add(add(t, 'thead'), 'tr'), body = add(t, 'tbody');
	const none = add(document.body, 'p', 'Nothing has changed by more than chance explains.');
	const draw = () => {
		const key = columns[order][1];
		const shown = rows.filter(r => all || r.time.significant).sort((a, b) =>
			(up ? 1 : -1) * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)).slice(0, 2000);
		body.replaceChildren();
		none.hidden = shown.length > 0;
		for (const r of shown) {
			const row = add(body, 'tr', undefined, r.time.significant ? '' : 'chance');
			for (const [title, , text] of columns)
				if (text)
					add(row, 'td', text(r), title === 'change' ? kind(r.time.change) : '');
				else
					bar(add(row, 'td'), r.time.change, most);
		}
	};
	columns.forEach(([text], i) => {
		const button = add(add(head, 'th'), 'button', text);
		button.onclick = () => { up = i === order ? !up : i === 0; order = i; draw(); };
	});
	box.onchange = () => { all = box.checked; draw(); };
	draw();
}

const space = 'http://www.w3.org/2000/svg', height = 18, wide = 1200;

function shape(parent, tag, attributes) {
	const e = parent.appendChild(document.createElementNS(space, tag));
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	return e;
}

// A frame is as wide as its time on both sides; the more of it has changed, the fuller its color; grey is chance.
function frame(svg, node, x, y, scale, choose) {
	const width = (node.before + node.after) * scale, change = node.after - node.before;
	if (width < 0.5)
		return y;
	const sure = node.significant, g = shape(svg, 'g', { tabindex: 0 });
	const rect = shape(g, 'rect', { x, y, width, height, class: sure ? kind(change) : 'same' });
	if (sure)
		rect.setAttribute('fill-opacity', 0.25 + 0.75 * Math.abs(change) / (node.before + node.after));
	shape(g, 'title', {}).textContent = `${node.text}: ${seconds(node.before)} s \u2192 ${seconds(node.after)} s: ` +
		`${signed(change)} s \u00b1 ${seconds(node.error)} s`;
	if (width > 30)
		shape(g, 'text', { x: x + 3, y: y + 13 }).textContent = node.text.slice(0, width / 7);
	g.onclick = () => choose(node);
	g.onkeydown = event => { if (event.key === 'Enter') choose(node); };
	let bottom = y + height;
	for (const call of node.calls) {
		bottom = Math.max(bottom, frame(svg, call, x, y + height, scale, choose));
		x += (call.before + call.after) * scale;
	}
	return bottom;
}

function icicle(calls) {
	const root = { ...data.total, text: 'all', calls };
	const label = node => { node.text = name(node.id); node.calls.forEach(label); };
	calls.forEach(label);
	add(document.body, 'h2', 'Stacks: red has more time, blue less; click to enlarge');
	const svg = document.body.appendChild(document.createElementNS(space, 'svg'));
	const draw = node => {
		svg.replaceChildren();
		const bottom = frame(svg, node, 0, 0, wide / (node.before + node.after || 1),
			n => draw(n === node ? root : n));
		svg.setAttribute('viewBox', `0 0 ${wide} ${bottom + 1}`);
	};
	draw(root);
}

const state = { both: '', after: ' (new)', before: ' (gone)' };
const arc = a => `${name(a.caller)} \u2192 ${name(a.callee)}`;
heading();
table('Functions themselves', data.functions.map(f => ({ text: f.name + state[f.in], time: f.self, calls: f.calls })));
if (data.measured) {
	table('Functions with what they called', data.functions.map(f => ({ text: f.name, time: f.total, calls: f.calls })));
	icicle(data.stacks);
}
table('What was called, by caller', data.arcs.map(a => ({ text: arc(a), time: a.time, calls: a.calls })));
