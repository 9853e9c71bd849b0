// Starts a page that is drawn from documents, and shows an error when a document can't be loaded.

import { h, need, put } from "./dom";
import { LoadError } from "./load";
import { painted } from "./painted";
import { onReturn } from "./state";

/** Makes and draws the page after the template is painted; draws it again whenever the reader goes back or forward. */
export async function drawn(make: () => Promise<{ show(): Promise<void> }>): Promise<void> {
  const showError = (error: unknown): void => {
    if (!(error instanceof LoadError)) throw error;
    put(need("view"), h("p", { class: "note bad", role: "alert" }, error.message));
  };
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
