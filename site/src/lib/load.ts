// Loads documents of api/v1; a page requests each document once.

import type { PublishedData } from "../data/api";
import { local, rootOf } from "./address";

export type Kind = PublishedData["kind"];
export type DocumentOf<K extends Kind> = Extract<PublishedData, { kind: K }>;

/** The reason why a document could not be loaded, in a sentence for the reader. */
export class LoadError extends Error {}

const requests = new Map<string, Promise<PublishedData>>();

/** The way to the root, as the page states it. */
export function root(): string {
  return rootOf(document.documentElement.dataset["root"], location.origin);
}

/** The document at a path below the root; the document has to be of the given kind. */
export async function load<K extends Kind>(path: string, kind: K): Promise<DocumentOf<K>> {
  let request = requests.get(path);
  if (request === undefined) {
    request = fetched(path);
    requests.set(path, request);
    request.catch(() => requests.delete(path));
  }
  const document = await request;
  if (document.kind !== kind) throw new LoadError(`${path} is not what it should be (${String(document.kind)}).`);
  return document as DocumentOf<K>;
}

async function fetched(path: string): Promise<PublishedData> {
  const address = local(path, root());
  if (address === null) throw new LoadError("That is no path of this site.");
  let answer: Response;
  try {
    answer = await fetch(address);
  } catch {
    throw new LoadError("The network gave no answer. Try again in a moment.");
  }
  if (!answer.ok) throw new LoadError(`${path} is not there (status ${answer.status}).`);
  try {
    return (await answer.json()) as PublishedData;
  } catch {
    throw new LoadError(`${path} is damaged.`);
  }
}
