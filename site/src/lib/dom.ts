// Pages make elements only with these functions: text stays text, and an attribute is one of a list.

import type { Address } from "./address";

export type Child = Node | string | number | null | undefined | false | Child[];

const PLAIN = /^(?:id|class|for|type|name|value|title|role|tabindex|scope|colspan|open|hidden|checked|selected|disabled|multiple|size|lang|datetime|download|placeholder|autocomplete|method|width|height|viewBox|preserveAspectRatio|transform|d|x|y|x1|x2|y1|y2|cx|cy|r|rx|points|aria-[a-z]+|data-[a-z-]+)$/;
const SVG = "http://www.w3.org/2000/svg";

export type Attributes = Record<string, string | number | boolean | null | undefined> & { href?: never };
export interface Linked {
  href: Address | null;
}

function fill<E extends Element>(element: E, attributes: Record<string, unknown>, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name !== "href" && !PLAIN.test(name)) throw new Error(`The attribute ${name} is not for pages.`);
    element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(parent: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.append(child instanceof Node ? child : String(child));
  }
}

/** An HTML element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of a picture. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A link; without an address, the text alone. */
export function link(href: Address | null, attributes: Attributes, ...children: Child[]): HTMLElement {
  if (href === null) return h("span", attributes, ...children);
  return fill(document.createElement("a"), { ...attributes, href }, children);
}

/** A picture of this site, with its alternative text. */
export function image(src: Address, alt: string): HTMLImageElement {
  const picture = document.createElement("img");
  picture.src = src;
  picture.alt = alt;
  return picture;
}

/** The element with this id, which the template of the page has to have. */
export function need<E extends HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element as E;
}

/** Replaces the content of an element. */
export function put(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}
