// Notes that a reader pins to classes and cells; they are in the address, and so in every link to the page.

import { button, byId, el, name } from "./dom.js";

const keyOf = ({ focus, cell }) => (cell ? cell.join(".") : String(focus));

/** A field for the note of what is open. */
export function noteField(store) {
  const key = keyOf(store.get());
  const keep = (event) => {
    const notes = new Map(store.get().notes);
    const text = event.target.value.trim();
    if (text) notes.set(key, text);
    else notes.delete(key);
    store.set({ notes });
  };
  return el("div", { class: "row" },
    el("input", { class: "note", "aria-label": "Note", placeholder: "Pin a note to the address", maxlength: "300",
      value: store.get().notes.get(key) ?? "", onchange: keep }));
}

/** All notes, above the tables. */
export function showNotes(data, store) {
  const place = el("ul", { class: "card pinned", "aria-label": "Notes" });
  byId("headline").after(place);
  const show = ({ notes }) => {
    place.hidden = !notes.size;
    place.replaceChildren(...[...notes].map(([key, text]) => {
      const ids = key.split(".").map(Number);
      const open = () => store.open(ids.length > 1 ? { cell: ids } : { focus: ids[0] });
      const title = ids.flatMap((id, at) => [at ? " → " : "", name(data.names[id])]);
      return el("li", {}, button(open, title), " ", el("bdi", {}, text));
    }));
  };
  store.listen(show, "notes");
  show(store.get());
}
