// What is shown, as one value; and its spelling behind the # of the address, so that a view can be shared. Pure.

const NORMS = ["none", "actual", "predicted", "all", "excess", "cost"];
/** What `show` says where two models are compared instead of one being shown. */
export const BOTH = "difference";

/** A value that tells its listeners when it changes, or when some of its keys do. */
export function createStore(initial) {
  let state = initial;
  const listeners = [];
  return {
    get: () => state,
    set(change) {
      const before = state;
      state = { ...state, ...change };
      for (const [listener, keys] of listeners) {
        if (!keys.length || keys.some((key) => state[key] !== before[key])) listener(state, before);
      }
    },
    /** Opens a class or a cell, or neither. */
    open(what) {
      this.set({ focus: null, cell: null, ...what });
    },
    listen: (listener, ...keys) => listeners.push([listener, keys]),
  };
}

/** The models that are looked at: one, or the two that are compared, the base first. */
export const modelsOf = ({ models }, { show, base, other }) => (show === BOTH ? [models[base], models[other]] : [models[show]]);

const rounded = (value) => String(Number(value.toFixed(2)));

/** A whole number below a limit, or null. */
function index(text, limit) {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  return value < limit ? value : null;
}

/** Some numbers below a limit, or null where one is not. */
function indices(text, limit) {
  const all = text.split(".").map((at) => index(at, limit));
  return all.includes(null) ? null : all;
}

const model = (word, { models }) => index(word, models);
const sorting = (columns) => (word, limits) => {
  const [column, direction, more] = word.split(".");
  return limits[columns].includes(column) && ["up", "down"].includes(direction) && !more ? [column, direction] : null;
};
const flag = [(value) => String(Number(value)), (word) => ({ 0: false, 1: true })[word]];
const text = [String, (word) => word.slice(0, 200)];

/** The words behind the #: of each the part of the state, how it is written, and how it is read. */
const WORDS = {
  show: ["show", String, (word, limits) => (word === BOTH && limits.compares ? BOTH : model(word, limits))],
  base: ["base", String, model],
  with: ["other", String, model],
  norm: ["norm", String, (word) => (NORMS.includes(word) ? word : null)],
  order: ["order", String, (word, { orders }) => (orders.includes(word) ? word : null)],
  one: ["one", ...flag],
  fold: ["fold", (fold) => [...fold].sort((a, b) => a - b).join("."), (word, limits) =>
    new Set(word.split(".").map((id) => index(id, limits.groups)).filter((id) => id !== null))],
  class: ["focus", (focus) => String(focus ?? ""), (word, limits) => index(word, limits.names)],
  cell: ["cell", (cell) => cell?.join(".") ?? "", (word, limits) => {
    const cell = indices(word, limits.names);
    return cell?.length === 2 ? cell : null;
  }],
  view: ["view", (view) => view?.map(rounded).join(",") ?? "", (word) => {
    const view = word.split(",").map(Number);
    return view.length === 3 && view.every(Number.isFinite) && view[2] > 0 ? view : null;
  }],
  only: ["only", ...flag],
  find: ["find", ...text],
  sort: ["sort", (sort) => sort.join("."), sorting("columns")],
  pairs: ["pairs", ...text],
  by: ["by", (by) => by.join("."), sorting("ranks")],
};

/** The words behind the #: only what differs from the beginning. */
export function toHash(state, initial) {
  const words = new URLSearchParams();
  for (const [word, [key, write]] of Object.entries(WORDS)) {
    if (write(state[key]) !== write(initial[key])) words.set(word, write(state[key]));
  }
  for (const [key, note] of state.notes) words.append("note", `${key}:${note}`);
  return words.toString();
}

/** The state that some words mean; whatever cannot be is left as it was in the beginning. */
export function fromHash(hash, initial, limits) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { ...initial };
  for (const [word, [key, , read]] of Object.entries(WORDS)) {
    if (words.has(word)) state[key] = read(words.get(word), limits) ?? initial[key];
  }
  const notes = words.getAll("note").map((word) => /^(\d+(?:\.\d+)?):([^]{1,300})$/.exec(word)).filter(Boolean);
  state.notes = new Map(notes.slice(0, 20).filter(([, key]) => indices(key, limits.names)).map(([, key, note]) => [key, note]));
  return state;
}
