// What a chart shows, as a file.

import { blobAddress } from "./address";
import { h, link } from "./dom";

export type Cell = string | number | null;

/** RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Hands the reader a file. */
export function give(name: string, type: string, text: string): void {
  const address = blobAddress(new Blob([text], { type }));
  const anchor = link(address, { download: name.replace(/[^0-9A-Za-z._-]+/g, "_") });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Two buttons that do so. */
export function buttons(name: string, table: () => { head: string[]; rows: Cell[][] }, whole: () => unknown): HTMLElement[] {
  const as = (label: string, act: () => void): HTMLElement => {
    const button = h("button", { type: "button" }, label);
    button.addEventListener("click", act);
    return button;
  };
  return [
    as("CSV", () => {
      const { head, rows } = table();
      give(`${name}.csv`, "text/csv", csv(head, rows));
    }),
    as("JSON", () => give(`${name}.json`, "application/json", JSON.stringify(whole(), null, 1))),
  ];
}
