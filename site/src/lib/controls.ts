// The controls of filters, alike on all pages.

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
  onChoice: (value: string) => void,
): HTMLElement {
  const list = h(
    "select",
    { id },
    options.map((option) => h("option", { value: option.value, selected: option.value === value }, option.label)),
  );
  list.addEventListener("change", () => onChoice(list.value));
  return h("div", { class: "field" }, h("label", { for: id }, label), list);
}

/** A group of check boxes, of which at most `most` may be checked. */
export function boxes(
  id: string,
  label: string,
  options: readonly (Option & { before?: Node })[],
  values: readonly string[],
  onChoice: (values: string[]) => void,
  most = Infinity,
): HTMLElement {
  const inputs = options.map((option, index) => {
    const checked = values.includes(option.value);
    return h("input", { type: "checkbox", id: `${id}-${index}`, value: option.value, checked, disabled: !checked && values.length >= most });
  });
  const group = h(
    "fieldset",
    { class: "field", id },
    h("legend", {}, label),
    h(
      "div",
      { class: "chips" },
      options.map((option, index) => h("label", { class: "chip" }, inputs[index], option.before, h("span", {}, option.label))),
    ),
  );
  group.addEventListener("change", () => onChoice(inputs.filter((input) => input.checked).map((input) => input.value)));
  return group;
}

/** One check box. */
export function box(id: string, label: string, on: boolean, onChoice: (on: boolean) => void): HTMLElement {
  const input = h("input", { type: "checkbox", id, checked: on });
  input.addEventListener("change", () => onChoice(input.checked));
  return h("label", { class: "check" }, input, label);
}

/** A button. */
export function button(label: string, action: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", action);
  return element;
}

/** A fold that makes its content when the reader first opens the fold. */
export function fold(summary: string, makeContent: () => HTMLElement): HTMLDetailsElement {
  const details = h("details", {}, h("summary", {}, summary));
  details.addEventListener("toggle", () => details.append(makeContent()), { once: true });
  return details;
}

/** Draws the content of `parent` again, and leaves the focus on the control that had the focus. */
export function keepFocus(parent: HTMLElement, draw: () => void): void {
  const active = document.activeElement;
  const id = active instanceof HTMLElement && parent.contains(active) ? active.id : "";
  draw();
  if (id !== "") document.getElementById(id)?.focus({ preventScroll: true });
}
