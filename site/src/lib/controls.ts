// Controls of filters, made alike on all pages.

import { h } from "./dom";

export interface Option {
  value: string;
  label: string;
}

/** A labelled list of choices. */
export function select(
  id: string,
  label: string,
  options: readonly Option[],
  value: string | undefined,
  chosen: (value: string) => void,
): HTMLElement {
  const list = h(
    "select",
    { id },
    options.map((one) => h("option", { value: one.value, selected: one.value === value }, one.label)),
  );
  list.addEventListener("change", () => chosen(list.value));
  return h("div", { class: "field" }, h("label", { for: id }, label), list);
}

/** A group of boxes, any number of which may be on. */
export function boxes(
  id: string,
  label: string,
  options: readonly (Option & { before?: Node })[],
  values: readonly string[],
  chosen: (values: string[]) => void,
): HTMLElement {
  const inputs = options.map((one, index) =>
    h("input", { type: "checkbox", id: `${id}-${index}`, value: one.value, checked: values.includes(one.value) }),
  );
  const group = h(
    "fieldset",
    { class: "field", id },
    h("legend", {}, label),
    h(
      "div",
      { class: "chips" },
      options.map((one, index) => h("label", { class: "chip" }, inputs[index], one.before, h("span", {}, one.label))),
    ),
  );
  group.addEventListener("change", () => chosen(inputs.filter((one) => one.checked).map((one) => one.value)));
  return group;
}

/** One box. */
export function box(label: string, on: boolean, chosen: (on: boolean) => void): HTMLElement {
  const input = h("input", { type: "checkbox", checked: on });
  input.addEventListener("change", () => chosen(input.checked));
  return h("label", { class: "check" }, input, label);
}

/** A button. */
export function button(label: string, act: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const made = h("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** A fold whose inside is made when it is first opened. */
export function fold(summary: string, inside: () => HTMLElement): HTMLDetailsElement {
  const made = h("details", {}, h("summary", {}, summary));
  made.addEventListener("toggle", () => made.append(inside()), { once: true });
  return made;
}

/** Draws anew what is inside, and leaves the focus on the control that had it. */
export function keepFocus(parent: HTMLElement, draw: () => void): void {
  const active = document.activeElement;
  const id = active instanceof HTMLElement && parent.contains(active) ? active.id : "";
  draw();
  if (id !== "") document.getElementById(id)?.focus({ preventScroll: true });
}
