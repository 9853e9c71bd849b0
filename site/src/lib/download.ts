// Downloads the data of a chart as a file.

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

/** Starts the download of a file. */
export function give(name: string, type: string, text: string): void {
  const address = blobAddress(new Blob([text], { type }));
  const anchor = link(address, { download: name.replace(/[^0-9A-Za-z._-]+/g, "_") });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Two buttons that download the data: as CSV and as JSON. */
export function buttons(name: string, table: () => { head: string[]; rows: Cell[][] }, content: () => unknown): HTMLElement[] {
  const downloadButton = (label: string, action: () => void): HTMLElement => {
    const button = h("button", { type: "button" }, label);
    button.addEventListener("click", action);
    return button;
  };
  return [
    downloadButton("CSV", () => {
      const { head, rows } = table();
      give(`${name}.csv`, "text/csv", csv(head, rows));
    }),
    downloadButton("JSON", () => give(`${name}.json`, "application/json", JSON.stringify(content(), null, 1))),
  ];
}
