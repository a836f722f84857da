/* The page from its data: who, what, how it ended, pictures, video, charts. Everything is set as text, never as markup. */
const page = JSON.parse(document.getElementById("data").textContent);
const run = page.run;

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

const count = value => (value === undefined ? "–" : String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f"));
const many = (value, word) => count(value) + " " + word + (value === 1 ? "" : "s");
const bytes = value => (value < 1e6 ? show(value / 1e3, 3) + " kB" : value < 1e9 ? show(value / 1e6, 3) + " MB" : show(value / 2 ** 30, 3) + " GiB");
function seconds(value) {
  if (value < 1e-3) return show(value * 1e6, 3) + " µs";
  if (value < 1) return show(value * 1e3, 3) + " ms";
  if (value < 60) return show(value, 3) + " s";
  const whole = Math.round(value), minutes = Math.round(value / 60);
  if (whole < 3600) return Math.floor(whole / 60) + " min " + (whole % 60) + " s";
  return Math.floor(minutes / 60) + " h " + (minutes % 60) + " min";
}
const length = metres => (metres < 0.001 ? show(metres * 1e6, 4) + " µm" : metres < 0.1 ? show(metres * 1e3, 4) + " mm" : show(metres, 4) + " m");

/* A column of a table by its name; undefined: it has none. */
const column = (table, name) => (page[table].find(c => c.name === name) || {}).values;
const series = name => column("series", name);
const times = series("time") || [];
const last = values => (values && values.length ? values[values.length - 1] : undefined);
const finite = values => (values || []).filter(v => v !== null);
const most = values => finite(values).reduce((a, b) => Math.max(a, b), -Infinity);
const mean = values => finite(values).reduce((a, b) => a + b, 0) / Math.max(1, finite(values).length);
const moves = values => finite(values).some(v => v !== 0);

const sections = [];
function section(id, title, about, ...children) {
  const node = make("section", {id}, make("h2", {text: title}), about ? make("p", {text: about}) : null, ...children);
  document.getElementById("main").append(node);
  sections.push([id, title]);
  return node;
}
const none = (...words) => make("p", {class: "none"}, ...words);
const code = text => make("code", {text});

/* How it ended. */
function verdict() {
  const words = {
    finished: ["good", "Finished"], interrupted: ["warn", "Stopped"], failed: ["bad", "Failed"],
    running: run.gone ? ["bad", "Ended without saying so"] : ["warn", "Still running"],
  }[run.state] || ["warn", run.state];
  const why = run.exit_reason || (run.gone ? "the process is gone; what it wrote until then is shown here"
    : "this page shows what there was when it was made");
  const node = document.getElementById("verdict");
  node.className = "verdict " + words[0];
  node.append(make("b", {text: words[1]}), " – " + why.replace(/\.?$/, "."));
}

/* The volume that particles of sources and sinks do not explain, relative, in percent. */
const flows = moves(series("added")) || moves(series("removed"));
const particlesCount = moves(series("particle_volume"));
const relative = values => values.map(v => (v === null || !values[0] ? null : 100 * (v / values[0] - 1)));
function volumeDrift() {
  const volume = series("volume") || [], carried = series("particle_volume") || [];
  if (flows && particlesCount) return volume.map((v, i) => (carried[i] ? 100 * (v / carried[i] - 1) : null));
  return relative(volume);
}

/* No step had liquid: only bodies are told of. */
const dry = times.length > 0 && !moves(series("liquid_cells"));

/* The highest speed of a body's centre of mass. */
function fastest(body) {
  const momentum = ["x", "y", "z"].map(axis => (body.table.find(c => c.name === "momentum_" + axis) || {}).values);
  if (!body.mass || momentum.some(values => !values)) return undefined;
  return most(momentum[0].map((v, i) => Math.hypot(...momentum.map(values => values[i])) / body.mass));
}

function tiles() {
  const host = document.getElementById("tiles");
  const add = (value, words) => host.append(make("div", {class: "tile"}, make("b", {text: value}), make("span", {text: words})));
  add(show(run["totals.time"], 4) + " s", "simulated, in " + many(run["totals.steps"], "step"));
  add(seconds(run["totals.wall_seconds"]), run["totals.steps"] > 0
    ? "of computing, " + seconds(run["totals.wall_seconds"] / run["totals.steps"]) + " a step" : "of computing");
  const cells = run["grid.cells.0"];
  if (cells) add(count(cells * run["grid.cells.1"] * run["grid.cells.2"]), "cells, " + length(run["grid.dx"]) + " wide");
  if (!times.length) return;
  if (moves(series("particles"))) add(count(last(series("particles"))), "particles at the end");
  if (page.bodies.length) add(count(page.bodies.length), (page.bodies.length === 1 ? "elastic body, " : "elastic bodies, ")
    + many(page.bodies.reduce((sum, body) => sum + body.nodes, 0), "node"));
  if (dry) {
    const speeds = page.bodies.map(fastest).filter(v => v !== undefined);
    if (speeds.length) add(show(Math.max(...speeds), 3) + " m/s", "highest speed of a body's centre");
    return;
  }
  add(show(last(volumeDrift()), 2) + " %", flows ? "surface against particles at the end" : "volume drift at the end");
  add(show(most(series("max_speed")), 3) + " m/s", "highest speed");
  const solves = finite(series("iterations")), fewest = solves.reduce((a, b) => Math.min(a, b), Infinity);
  add(fewest === most(solves) ? count(fewest) : count(fewest) + "–" + count(most(solves)), "iterations a solve");
}

/* Words that a shell would cut or change are quoted; a line breaks between words. */
function commandLine(words) {
  const quoted = words.map(word => (/^[\w@%+=:,.\/-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'"));
  return make("code", {class: "words"}, ...quoted.flatMap(word => [make("span", {text: word}), " "]));
}

/* The scene's words for how liquid and bodies are solved together. */
const couplings = {
  schur: "pressure alone, bodies eliminated", spd: "pressure and velocities, positive definite", indefinite: "pressure and velocities, by BiCGSTAB",
  minres: "pressure and velocities, by MINRES", weak: "bodies under the last pressure, then liquid between them", damping_only: "elastic forces explicit, damping coupled",
};

/* A list of names and values; what is not known is left out. */
function factList() {
  const list = make("dl");
  const add = (name, value, wide) => {
    if (value !== undefined && value !== "" && !String(value).includes("undefined"))
      list.append(make("div", {class: wide && "wide"}, make("dt", {text: name}), make("dd", {}, value)));
  };
  return [list, add];
}

function facts() {
  const [list, add] = factList();
  const n = [0, 1, 2].map(a => run["grid.cells." + a]), dx = run["grid.dx"];
  const name = run["scene.path"];
  add("Scene", name === run["scene.name"] ? name : run["scene.name"] + (name ? " (" + name + ")" : ""));
  if (n[0]) {
    add("Grid", n.join(" × ") + " cells of " + length(dx));
    add("Box", n.map(k => show(k * dx, 4)).join(" × ") + " m");
  }
  add("Time", show(run["totals.time"], 5) + " s" + (run["time.end"] ? " of " + show(run["time.end"], 5) + " s" : ""));
  add("Steps", count(run["totals.steps"]) + ", " + many(run["totals.frames"], "frame"));
  if (dry) add("Liquid", "none");
  else if (times.length) add("Liquid", count(last(series("liquid_cells"))) + " cells, " + many(last(series("particles")), "particle") + " at the end");
  add("Motion", run["liquid.transfer"] && run["liquid.transfer"] + (run["time.cfl"] ? ", at most " + show(run["time.cfl"], 3) + " cells a step" : ""));
  if (page.bodies.length) add("Bodies", page.bodies.map(body => body.name).join(", "));
  add("Coupling", run["pressure.coupling"] && run["pressure.coupling"] + (couplings[run["pressure.coupling"]] ? ": " + couplings[run["pressure.coupling"]] : ""));
  if (times.length && !dry) add("Iterations", show(mean(series("iterations")), 3) + " a solve on average, at most " + count(most(series("iterations"))));
  add("Pressure", run["pressure.solver"] && run["pressure.solver"] + ", to " + show(run["pressure.tolerance"], 3));
  add("Wall time", seconds(run["totals.wall_seconds"]));
  add("Threads", run.threads + (run["machine.cores"] ? " on " + many(run["machine.cores"], "core") : ""));
  add("Processor", run["machine.cpu"]);
  add("Memory", run["machine.memory_bytes"] && show(run["machine.memory_bytes"] / 2 ** 30, 3) + " GiB");
  add("System", run["machine.kernel"]);
  add("Version", "Velella " + run.version + (run.compiler ? ", " + run.compiler : ""));
  add("Started", run.started && run.started.replace("T", " ").replace("Z", " UTC"));
  add("Finished", run.finished && run.finished.replace("T", " ").replace("Z", " UTC"));
  if (run.command.length) add("Command", commandLine(run.command), true);
  const node = section("run", "The run", "What was simulated, how, and on which machine.", list);
  if (run["scene.text"]) {
    const settings = run["scene.settings"].map(text => "# --set " + text).join("\n");
    node.append(make("details", {}, make("summary", {text: "The scene file" + (settings ? ", and what the command line changed in it" : "")}),
      make("pre", {text: run["scene.text"].replace(/\s+$/, "") + (settings ? "\n\n" + settings : "")})));
  }
}

const pictured = dry ? "The bodies" : page.bodies.length ? "Liquid and bodies" : "The liquid";
function frameText(picture) {
  const rate = run["time.frames_per_second"];
  return rate ? (picture.frame / rate).toFixed(2) + " s" : "frame " + picture.frame;
}

function lookAt(index) {
  const look = document.getElementById("look"), picture = page.pictures[index];
  if (!picture) return;
  const go = by => event => { event.stopPropagation(); lookAt((index + by + page.pictures.length) % page.pictures.length); };
  look.replaceChildren(make("img", {src: picture.src, alt: pictured + " at " + frameText(picture), onclick: () => look.close()}),
    make("p", {}, make("button", {text: "‹ earlier", onclick: go(-1)}), frameText(picture), make("button", {text: "later ›", onclick: go(1)})));
  look.onkeydown = event => { if (event.key === "ArrowLeft") go(-1)(event); if (event.key === "ArrowRight") go(1)(event); };
  if (!look.open) look.showModal();
}

function pictures() {
  if (!page.pictures.length) {
    section("pictures", "Pictures", "", none("This run has no pictures. They come from ", code("velella render"), " on its folder; then make this page again."));
    return;
  }
  const sheet = make("div", {class: "sheet"});
  page.pictures.forEach((picture, index) => sheet.append(make("figure", {},
    make("button", {onclick: () => lookAt(index), "aria-label": "Enlarge the picture at " + frameText(picture)},
      make("img", {src: picture.src, width: picture.width, height: picture.height, alt: pictured + " at " + frameText(picture)})),
    make("figcaption", {text: frameText(picture)}))));
  section("pictures", page.preview ? "Previews" : "Pictures", page.pictures.length === page.rendered ? "All that were rendered."
    : page.pictures.length + " of " + page.rendered + " rendered frames, evenly spread.", sheet);
}

function video() {
  if (!page.video) {
    section("video", "Video", "", none("This run has no video. It comes from ", code("velella render"), " on its folder; then make this page again."));
    return;
  }
  const about = page.video.inside ? bytes(page.video.bytes) + ", inside this page."
    : "At " + bytes(page.video.bytes) + " too large to be inside this page: it is played from " + page.video.src + " beside it.";
  section("video", "Video", about, make("video", {src: page.video.src, poster: page.pictures.length ? page.pictures[0].src : undefined, controls: true, loop: true, playsinline: true, preload: "metadata"}));
}

/* Charts of a section; lines without values, and charts without lines, are left out. */
function chartSection(id, title, about, list, ...more) {
  const shown = list.map(chart => ({times, ...chart, lines: chart.lines.filter(line => finite(line.values).length)})).filter(chart => chart.lines.length);
  if (!shown.length && !more.length) return;
  const host = make("div", {class: "charts"});
  section(id, title, about, ...more, host);
  for (const chart of shown) {
    const plot = make("div");
    host.append(make("div", {class: "chart"},
      make("h3", {}, chart.title, make("span", {text: chart.unit ? " · " + chart.unit : ""})), make("p", {text: chart.note}), plot));
    chart.host = plot;
  }
  for (const chart of shown) drawChart(chart.host, chart);
}

const axesOf = (find, name) => ["x", "y", "z"].map(a => ({label: a, values: find(name + "_" + a)}));
const axes = name => axesOf(series, name);
const positive = values => values && values.map(v => (v > 0 ? v : null));

function volumeCharts() {
  const volume = series("volume") || [], carried = series("particle_volume") || [];
  const drift = flows
    ? {title: "Surface against particles", unit: "%", note: "How much more the surface holds than the particles carry; sources and sinks take part in both.",
      lines: [{label: "difference", values: volumeDrift(), digits: 3}]}
    : {title: "Volume drift", unit: "%", note: "Against the first step. Water keeps its volume: the nearer to 0, the better.",
      lines: [{label: "inside the surface", values: relative(volume), digits: 3}, {label: "of the particles", values: particlesCount ? relative(carried) : [], digits: 3}]};
  chartSection("volume", "Volume", "Whether liquid was lost or made up.", [drift,
    {title: "Volume", unit: "m³", note: "Grows with the sources, shrinks with the sinks.",
      lines: !flows ? [] : [{label: "inside the surface", values: volume}, {label: "of the particles", values: particlesCount ? carried : []}]},
    {title: "Filling", unit: "", note: "Particles in a cell inside the liquid, against the start; 1 is as dense as then.",
      lines: particlesCount ? [{label: "filling", values: series("filling")}] : []},
    {title: "Stuck particles", unit: "", counts: true, note: "That could not move in a step without entering a solid.", lines: moves(series("stuck")) ? [{label: "stuck", values: series("stuck")}] : []},
    {title: "Lost particles", unit: "", counts: true, note: "Taken away in a step because they ended deep inside an elastic body.", lines: moves(series("lost")) ? [{label: "lost", values: series("lost")}] : []},
  ]);
}

function motionCharts() {
  const kinetic = series("kinetic_energy") || [], potential = series("potential_energy") || [];
  const lines = [{label: "kinetic", values: kinetic}];
  if (moves(potential)) {
    const least = finite(potential).reduce((a, b) => Math.min(a, b), Infinity), above = potential.map(v => (v === null ? null : v - least));
    lines.push({label: "potential", values: above}, {label: "sum", values: kinetic.map((k, i) => k + above[i]), colour: "c6"});
  }
  chartSection("energy", "Energy and momentum", "Without sources the sum of energies should only fall; momentum changes by gravity and walls.", [
    {title: "Energy", unit: "J", note: "Potential energy counts from its lowest value in this run.", lines},
    {title: "Momentum", unit: "kg m/s", note: "Of all particles, along the three axes; y is up.", lines: moves(series("momentum_y")) || moves(series("momentum_x")) || moves(series("momentum_z")) ? axes("momentum") : []},
  ]);
  const dx = run["grid.dx"], speed = series("max_speed") || [], dt = series("dt") || [];
  chartSection("speed", "Speed and time step", "Fast liquid asks for short steps.", [
    {title: "Highest speed", unit: "m/s", note: "Through any face of a cell next to liquid.", lines: [{label: "speed", values: speed}]},
    {title: "Time step", unit: "ms", note: "Steps end at frames, so some are shorter than they need to be.", lines: [{label: "step", values: dt.map(v => v && v * 1e3)}]},
    {title: "Cells crossed in a step", unit: "", note: "By the fastest liquid; the scene sets the most.",
      lines: dx ? [{label: "cells", values: speed.map((v, i) => v * dt[i] / dx), digits: 3},
        ...(run["time.cfl"] ? [{label: "limit", values: times.map(() => run["time.cfl"]), dash: true, colour: "soft"}] : [])] : []},
  ]);
}

function solveCharts() {
  const tolerance = run["pressure.tolerance"];
  const residual = [{label: "residual", values: positive(series("residual")), digits: 3}];
  if (tolerance) residual.push({label: "tolerance", values: times.map(() => tolerance), dash: true, colour: "soft"});
  chartSection("pressure", "Pressure solve", "How hard the pressure was to find, and how well it keeps the liquid's volume.", [
    {title: "Iterations", unit: "", counts: true, note: "Of the solver in each step.", lines: [{label: "iterations", values: series("iterations")}]},
    {title: "Residual", unit: "", log: true, note: "What is left of the right-hand side; below the tolerance the solver stops.", lines: residual},
    {title: "Largest divergence", unit: "1/s", log: true, note: "Net outflow of the worst cell over its volume.", lines: [{label: "divergence", values: positive(series("max_divergence")), digits: 3}]},
    {title: "Liquid cells", unit: "", counts: true, note: "Unknown pressures in the system.", lines: [{label: "cells", values: series("liquid_cells")}]},
  ]);
}

function wallCharts() {
  const force = axes("wall_force"), weight = axes("weight");
  const main = weight.reduce((a, b) => (most((b.values || []).map(Math.abs)) > most((a.values || []).map(Math.abs)) ? b : a));
  const found = new Map((page.walls || []).slice(2).map(c => [c.name, c.values]));
  const names = [...found.keys()].filter(n => n.endsWith("_force_x")).map(n => n.slice(0, -8));
  const parts = (name, what) => axesOf(n => found.get(n), name + "_" + what);
  const felt = names.filter(name => parts(name, "force").some(line => moves(line.values)));
  const push = page.bodies.length ? axes("body_force") : [];
  if (!force.some(line => moves(line.values))) return;
  chartSection("walls", push.length ? "Walls and bodies" : "Walls", "The pressure's push on solids and the sides of the box. Liquid at rest pushes with its weight.", [
    {title: "Force on the walls", unit: "N", note: "Along the three axes; the dashed line is what liquid at rest would give along " + main.label + ".",
      lines: [...force, {label: "at rest, " + main.label, values: main.values, dash: true, colour: "soft"}]},
    {title: "Force on the bodies", unit: "N", note: "The pressure's push on all elastic bodies together.", lines: push},
    ...felt.map(name => ({title: "Force on " + name, unit: "N", note: /^[xyz][-+]$/.test(name) ? "The side of the box at the " + (name[1] === "-" ? "lower" : "upper") + " end of " + name[0] + "." : "The static solid of this name.",
      lines: parts(name, "force")})),
  ]);
}

/* One or three columns of probes.csv from column i on; three columns share a chart. */
function probeChart(columns, i) {
  const {name, unit, values} = columns[i], base = name.replace(/_x$/, "");
  const three = base !== name && columns[i + 1]?.name === base + "_y" && columns[i + 2]?.name === base + "_z";
  const kinds = {"m": three ? "How far the node of the body has moved from its place at rest." : "Height of the surface, or depth of the liquid, above the probe.",
    "Pa": "Pressure above that of the air.", "m/s": "Velocity of the liquid there.", "m3/s": "Flow of liquid through the rectangle."};
  return {name: three ? base : name, title: three ? base : name, unit: unit.replace("m3", "m³"), note: kinds[unit] || "As the scene names it.", width: three ? 3 : 1,
    lines: three ? ["x", "y", "z"].map((a, k) => ({label: a, values: columns[i + k].values})) : [{label: name, values}]};
}
function probeList() {
  const list = [], columns = page.probes.slice(2);
  for (let i = 0; i < columns.length; i += list[list.length - 1].width) list.push(probeChart(columns, i));
  return list;
}

/* What a body is made of, then what it did. */
function bodyFacts(body) {
  const [list, add] = factList();
  const pascal = value => (value >= 1e9 ? show(value / 1e9, 4) + " GPa" : value >= 1e6 ? show(value / 1e6, 4) + " MPa" : value >= 1e3 ? show(value / 1e3, 4) + " kPa" : show(value, 4) + " Pa");
  add("Mesh", many(body.nodes, "node") + (body.elements > 0 ? ", " + count(body.elements) + " " + body.element + " tetrahedra" : " on its surface"));
  add("Mass", show(body.mass, 4) + " kg");
  add("Density", show(body.density, 4) + " kg/m³");
  add("Model", body.model && body.model.replace("_", "-"));
  if (body.model !== "rigid" && body.model !== "scripted") {
    add("Stiffness", "Young " + pascal(body.young) + ", Poisson " + show(body.poisson, 3));
    add("Damping", show(body.mass_damping, 3) + " /s of mass, " + show(body.stiffness_damping, 3) + " s of stiffness");
    add("Time scheme", body.scheme && body.scheme.replace("_", " "));
  }
  add("Volume", body.missing_volume > 0 ? show(100 * body.missing_volume, 2) + " % less than its shape" : undefined);
  add("Pins", body.pins ? many(body.pins, "pin") + " on " + many(body.pinned_nodes, "node") : body.model === "scripted" ? undefined : "none, it is free");
  return list;
}

function bodyCharts(body, index) {
  const of = name => (body.table.find(c => c.name === name) || {}).values;
  const energy = ["kinetic_energy", "elastic_energy", "potential_energy"].map(of);
  const least = finite(energy[2]).reduce((a, b) => Math.min(a, b), Infinity);
  if (energy[2]) energy[2] = energy[2].map(v => (v === null ? null : v - least));
  const start = body.mass / body.density, volume = (of("volume") || []).map(v => (v === null || !start ? null : 100 * (v / start - 1)));
  const probes = probeList().filter(chart => body.probes.includes(chart.name));
  chartSection("body-" + index, body.name, (body.model === "rigid" ? "A rigid body" : "An elastic body") + (dry ? "." : ", solved together with the liquid."), [
    {title: "Centre of mass", unit: "m", note: "Its place in the box; y is up.", lines: axesOf(of, "center")},
    ...probes.map(chart => ({...chart, title: "Node at " + chart.title})),
    {title: "Momentum", unit: "kg m/s", note: "Along the three axes.", lines: axesOf(of, "momentum")},
    {title: "Force of the liquid", unit: "N", note: "The pressure's push, mean over each step; at rest it is the buoyancy.", lines: axesOf(of, "load_force")},
    {title: "Force of the pins", unit: "N", note: "What holds the pinned nodes pushes the body with this.", lines: body.pins ? axesOf(of, "reaction") : []},
    {title: "Energy", unit: "J", note: "Potential energy counts from its lowest value in this run.", lines: ["kinetic", "elastic", "potential"].map((label, i) => ({label, values: energy[i]}))},
    {title: "Volume change", unit: "%", note: "Of the space inside its surface, against that at rest.", lines: [{label: "change", values: volume, digits: 3}]},
    {title: "Inverted elements", unit: "", counts: true, note: "Tetrahedra that are inside out; they turn back by themselves.", lines: moves(of("inverted")) ? [{label: "inverted", values: of("inverted")}] : []},
  ], bodyFacts(body));
  const title = document.querySelector("#body-" + index + " h2");
  if (title && body.color) title.prepend(make("span", {class: "swatch", style: "background:" + body.color, title: "its color in pictures"}));
}

/* Those on nodes of bodies stand with their body. */
function probeCharts() {
  const all = probeList(), list = all.filter(chart => !page.bodies.some(body => body.probes.includes(chart.name)));
  if (all.length && !list.length) return;
  if (list.length) chartSection("probes", "Probes", "What the scene's probes measured after each step.", list);
  else section("probes", "Probes", "", none("This scene has no probes. ", code("velella help probes"), " tells how to place them."));
}

function stageCharts() {
  /* clocks are noisy: means over stretches of steps, at the end of each */
  const stretch = Math.ceil(times.length / 150), ends = times.filter((t, i) => (i + 1) % stretch === 0 || i === times.length - 1);
  const means = values => ends.map((t, k) => 1e3 * mean(values.slice(k * stretch, (k + 1) * stretch)));
  const stages = page.timings.slice(1).map((c, i) => ({label: c.name.replace("_", " "), name: c.name, values: means(c.values), colour: "c" + (i % 7), digits: 3}));
  for (const stage of stages) stage.shown = stage.values;
  const totals = stages.map(stage => run["totals.stage_seconds." + stage.name] || 0), sum = totals.reduce((a, b) => a + b, 0);
  const shares = make("div", {class: "shares"});
  const largest = Math.max(...totals);
  stages.forEach((stage, i) => shares.append(make("span", {text: stage.label}), make("i", {style: `width:${largest > 0 ? (100 * totals[i]) / largest : 0}%;background:var(--${stage.colour})`}),
    make("span", {class: "number", text: (100 * totals[i] < sum ? "< 1" : Math.round((100 * totals[i]) / sum)) + " % · " + seconds(totals[i])})));
  chartSection("stages", "Stage times", "Where the computing time went; writing files is not counted.", [
    {title: "Time of a step", unit: "ms", note: "Stages stacked on each other" + (page.steps > 150 ? ", as means over " + Math.ceil(page.steps / 150) + " steps." : "."), times: ends, stacked: true, lines: stages},
  ], make("div", {class: "charts"}, make("div", {class: "chart"}, make("h3", {text: "All steps together"}), shares)));
}

function main() {
  document.title = run["scene.name"] + " – Velella report";
  document.getElementById("name").textContent = run["scene.name"].replace(/_/g, " ");
  document.getElementById("about").textContent = run["scene.about"] || "";
  verdict();
  tiles();
  facts();
  pictures();
  video();
  if (!times.length) {
    section("steps", "Charts", "", none("No step was finished, so there is nothing to draw yet."));
  } else {
    if (times.length === 1) section("steps", "Charts", "", none("The run made one step only: each chart is a single point."));
    if (!dry) volumeCharts();
    if (!dry) motionCharts();
    if (!dry) solveCharts();
    if (!dry) wallCharts();
    page.bodies.forEach(bodyCharts);
    probeCharts();
    stageCharts();
  }
  const links = make("div", {}, ...sections.map(([id, title]) => make("a", {href: "#" + id, text: title})));
  document.getElementById("nav").append(links);
  document.body.append(make("button", {id: "reset", hidden: true, text: "Show the whole run", onclick: () => zoomTo(null)}));
  const drawn = page.points < page.steps ? " Charts draw " + count(page.points) + " points for " + count(page.steps) + " steps: the least and the largest value of each stretch." : "";
  document.getElementById("foot").textContent = "Made by velella report from the run's own files; needs no network." + drawn;
}

main();
