// What is shown, as one value; and its spelling behind the # of the address, so that a view can be shared. Pure.

export const NORMS = ["none", "actual", "predicted", "all", "excess", "cost"];
/** What `show` says where two models are compared instead of one being shown. */
export const BOTH = "difference";

/** A value that tells its listeners when it changes. */
export function createStore(initial) {
  let state = initial;
  const listeners = [];
  return {
    get: () => state,
    set(change) {
      const before = state;
      state = { ...state, ...change };
      for (const listener of listeners) listener(state, before);
    },
    listen: (listener) => listeners.push(listener),
  };
}

const rounded = (value) => String(Number(value.toFixed(2)));

/** The words behind the #: only what differs from the beginning. */
export function toHash(state, initial) {
  const words = new URLSearchParams();
  const put = (name, value, usual) => value !== usual && words.set(name, value);
  put("show", String(state.show), String(initial.show));
  put("base", String(state.base), String(initial.base));
  put("with", String(state.other), String(initial.other));
  put("norm", state.norm, initial.norm);
  put("order", state.order, initial.order);
  put("one", state.one ? "1" : "", initial.one ? "1" : "");
  put("fold", [...state.fold].sort((a, b) => a - b).join("."), [...initial.fold].join("."));
  put("class", state.focus === null ? "" : String(state.focus), "");
  put("cell", state.cell === null ? "" : state.cell.join("."), "");
  put("view", state.view === null ? "" : state.view.map(rounded).join(","), "");
  put("only", String(Number(state.only)), String(Number(initial.only)));
  put("find", state.find, "");
  put("sort", state.sort.join("."), initial.sort.join("."));
  put("pairs", state.pairs, "");
  put("by", state.by.join("."), initial.by.join("."));
  for (const [key, note] of state.notes) words.append("note", `${key}:${note}`);
  return words.toString();
}

/** A whole number below a limit, or null. */
function index(text, limit) {
  const value = /^\d+$/.test(text ?? "") ? Number(text) : NaN;
  return value < limit ? value : null;
}

/** The state that some words mean; whatever cannot be is left as it was in the beginning. */
export function fromHash(text, initial, limits) {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  const state = { ...initial };
  const models = limits.models;
  if (words.get("show") === BOTH && limits.compares) state.show = BOTH;
  else state.show = index(words.get("show"), models) ?? initial.show;
  state.base = index(words.get("base"), models) ?? initial.base;
  state.other = index(words.get("with"), models) ?? initial.other;
  if (NORMS.includes(words.get("norm"))) state.norm = words.get("norm");
  if (limits.orders.includes(words.get("order"))) state.order = words.get("order");
  state.one = words.get("one") === "1";
  if (words.has("fold")) {
    const ids = words.get("fold").split(".").map((id) => index(id, limits.groups));
    state.fold = new Set(ids.filter((id) => id !== null));
  }
  state.focus = index(words.get("class"), limits.names);
  const cell = (words.get("cell") ?? "").split(".").map((at) => index(at, limits.names));
  state.cell = cell.length === 2 && !cell.includes(null) ? cell : null;
  const view = (words.get("view") ?? "").split(",").map(Number);
  state.view = view.length === 3 && view.every(Number.isFinite) && view[2] > 0 ? view : null;
  const notes = words.getAll("note").map((word) => /^(\d+(?:\.\d+)?):([^]{1,300})$/.exec(word)).filter(Boolean);
  state.notes = new Map(notes.slice(0, 20).filter(([, key]) => key.split(".").every((at) => index(at, limits.names) !== null))
    .map(([, key, note]) => [key, note]));
  state.find = (words.get("find") ?? "").slice(0, 200);
  state.pairs = (words.get("pairs") ?? "").slice(0, 200);
  if (["0", "1"].includes(words.get("only"))) state.only = words.get("only") === "1";
  for (const [word, key, columns] of [["sort", "sort", limits.columns], ["by", "by", limits.ranks]]) {
    const [column, direction] = (words.get(word) ?? "").split(".");
    if (columns.includes(column) && ["up", "down"].includes(direction)) state[key] = [column, direction];
  }
  return state;
}
