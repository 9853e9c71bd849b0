// Starts a page that is drawn from documents, and shows an error when a document can't be loaded.

import { h, need, put } from "./dom";
import { LoadError } from "./load";
import { painted } from "./painted";
import { onReturn } from "./state";

/** Shows in place of the view why a document can't be loaded. */
export function showError(error: unknown): void {
  if (!(error instanceof LoadError)) throw error;
  put(need("view"), h("p", { class: "note bad", role: "alert" }, error.message));
}

/** Makes and draws the page after the template is painted; draws it again whenever the reader goes back or forward. */
export async function drawn(make: () => Promise<{ show(): Promise<void> }>): Promise<void> {
  need("filters").addEventListener("submit", (event) => event.preventDefault());
  await painted();
  try {
    const page = await make();
    const show = (): void => void page.show().catch(showError);
    onReturn(show);
    show();
  } catch (error) {
    showError(error);
  }
}
