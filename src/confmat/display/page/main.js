// Puts the page together when it is opened.

import { announce, byId, el, startTips } from "./dom.js";
import { Answers } from "./answers.js";
import { ClassTable } from "./classes.js";
import { ConfusionList, showHeadline } from "./confusions.js";
import { follows } from "./differences.js";
import { connectDownloads } from "./downloads.js";
import { connectSearch } from "./search.js";
import { createStore, fromHash, toHash } from "./state.js";
import { Details } from "./details.js";
import { showKinds } from "./kinds.js";
import { showNotes } from "./notes.js";
import { MapCard } from "./mapcard.js";
import { readPayload } from "./payload.js";
import { connectSweep } from "./sweep.js";

/** Confusions and classes on paper. */
const MOST_ON_PAPER = [40, 400];

function start() {
  const data = readPayload(byId("data").textContent);
  const initial = {
    show: data.sweep?.open ?? 0, base: 0, other: Math.min(1, data.models.length - 1), norm: data.normalize, order: data.order, fold: new Set(),
    one: false, focus: null, cell: null, notes: new Map(), view: null, find: "", sort: data.sort,
    only: data.only, pairs: "", by: ["", "down"],
  };
  if (data.compares) initial.show = "difference";
  // Of matrices that follow each other, the last is compared with the one before it.
  if (follows(data)) [initial.base, initial.other] = [data.models.length - 2, data.models.length - 1];
  const limits = {
    models: data.models.length, compares: data.compares, groups: data.groups.length, names: data.names.length,
    orders: ["given", "alphabetical", "support", "worst", ...Object.keys(data.orders)],
    ranks: ["rank", "pair", "count", "share", "excess", "cost", "lift", "rate", "reverse", "old", "new", "gap"],
    columns: ["name", "support", "lost", "low", ...data.metrics.map((metric) => metric.key)],
  };
  const store = createStore(fromHash(location.hash, initial, limits));
  fillChoices(data);
  startTips();
  showHeadline(data, byId("headline"), store.get().show);
  if (data.sweep) {
    store.listen((state) => showHeadline(data, byId("headline"), state.show), "show");
    connectSweep(data, store);
  }
  const card = new MapCard(data, store);
  const details = new Details(data, store, (row, col) => card.reveal(row, col));
  const lists = [new ConfusionList(data, store), new ClassTable(data, store)];
  if (data.kinds) showKinds(data, store);
  if (data.tests?.pairs.some(({ answers }) => answers)) new Answers(data, store);
  showNotes(data, store);
  connectTheme(card);
  card.start();
  connectSearch(byId("search"), byId("search-list"), data.names, (index) => {
    store.open({ focus: index });
    card.reveal(index, index);
  });
  connectDownloads(data, byId("downloads"), card.map);
  connectAddress(store, initial, limits);
  connectPaper(card, lists);
  keepFocus(store, details);
  card.map.draw();
  // Milliseconds since the page was asked for.
  document.documentElement.dataset.drawn = performance.now().toFixed(1);
}

/** Models and orders that there are to choose from. */
function fillChoices(data) {
  const option = (value, text) => el("option", { value: String(value) }, text);
  if (data.compares) byId("show").append(option("difference", "difference"));
  for (const id of ["show", "base", "other"]) byId(id).append(...data.models.map((model, at) => option(at, model.name)));
  if (data.models[0].costs) byId("norm").append(option("cost", "cost"));
  if (data.orders.cluster) byId("order").append(option("cluster", "confused side by side"));
  if (data.orders.hierarchy) byId("order").append(option("hierarchy", "by group"));
}

/** Light or dark: as the system has it, until the reader chooses. */
function connectTheme(card) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  let paper = false;
  const apply = () => {
    const theme = paper ? "light" : chosen ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
    card.setTheme(theme);
  };
  byId("theme").addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    apply();
    announce(`${chosen} colours`);
  });
  system.addEventListener("change", apply);
  card.onPaper = (on) => {
    paper = on;
    apply();
  };
  apply();
}

/** The state is behind the # of the address; what comes in there becomes the state. */
function connectAddress(store, initial, limits) {
  let told = location.hash;
  let travels = false;
  store.listen((state, before) => {
    const words = toHash(state, initial);
    const hash = words ? `#${words}` : "";
    if (hash === told) return;
    told = hash;
    // To open a class or a cell is a step that "Back" undoes.
    const opens = !travels && (state.focus ?? state.cell) !== null && (state.focus !== before.focus || state.cell !== before.cell);
    try {
      history[opens ? "pushState" : "replaceState"](null, "", hash || location.pathname + location.search);
    } catch {
      // Some viewers of files allow no address of one's own; the page works without.
    }
  });
  window.addEventListener("hashchange", () => {
    if (location.hash === told) return;
    told = location.hash;
    const state = fromHash(location.hash, initial, limits);
    travels = true;
    // Notes are no steps either.
    store.set({ ...state, notes: new Map([...store.get().notes, ...state.notes]) });
    travels = false;
  });
}

/** On paper: light colours, a map of a size that fits, and more rows of the tables. */
function connectPaper(card, lists) {
  window.addEventListener("beforeprint", () => {
    card.onPaper(true);
    lists.forEach((list, at) => list.table.expand(MOST_ON_PAPER[at]));
    card.map.setRoom(660, 620);
    card.map.draw();
  });
  window.addEventListener("afterprint", () => {
    lists.forEach((list) => list.table.shrink());
    card.room = null;
    card.onPaper(false);
    card.fitRoom();
  });
}

/** Details that were opened by a key get the focus back to where it was when they close. */
function keepFocus(store, details) {
  let opener = null;
  store.listen((state, before) => {
    const open = state.focus !== null || state.cell !== null;
    const was = before.focus !== null || before.cell !== null;
    if (open && !was) opener = document.activeElement;
    if (open && (state.focus !== before.focus || state.cell !== before.cell)) announce(details.place.querySelector("h2").textContent);
    if (!open && was && document.activeElement === document.body) opener?.focus?.();
  });
}

start();
