// Starts a page that is drawn from documents, and says so when one can't be had.

import { h, need, put } from "./dom";
import { LoadError } from "./load";
import { painted } from "./painted";
import { onReturn } from "./state";

/** Makes the page once what the template says is painted, then draws it, and again whenever the reader goes back or forward. */
export async function drawn(make: () => Promise<{ show(): Promise<void> }>): Promise<void> {
  const failed = (error: unknown): void => {
    if (!(error instanceof LoadError)) throw error;
    put(need("view"), h("p", { class: "note bad", role: "alert" }, error.message));
  };
  need("filters").addEventListener("submit", (event) => event.preventDefault());
  await painted();
  try {
    const page = await make();
    const show = (): void => void page.show().catch(failed);
    onReturn(show);
    show();
  } catch (error) {
    failed(error);
  }
}
