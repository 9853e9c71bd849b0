// Finds the entries that match a search, best first.

import type { Found } from "../data/api";

const GROUPS: Record<Found["group"], string> = {
  page: "page",
  framework: "framework",
  subject: "subject",
  scenario: "workload",
  measure: "measure",
  setting: "setting",
  host: "host",
  alert: "alert",
  term: "glossary",
  run: "run",
  study: "study",
  rule: "rule",
  section: "method",
};

/** The name of a group, for readers. */
export function groupName(group: Found["group"]): string {
  return GROUPS[group];
}

/** The entries that contain every word of the query. A word counts most as the whole title, then at the start of the title,
 * at the start of a word of the title, and elsewhere. */
export function search(entries: readonly Found[], query: string, most = 30): Found[] {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}.+/_@-]+/u).filter(Boolean);
  if (words.length === 0) return entries.filter((entry) => entry.group === "page").slice(0, most);
  return entries
    .map((entry, order) => ({ entry, order, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, most)
    .map(({ entry }) => entry);
}

function scoreOf(entry: Found, words: readonly string[]): number {
  const title = entry.title.toLowerCase();
  let score = 0;
  for (const word of words) {
    if (title === word) score += 8;
    else if (title.startsWith(word)) score += 5;
    else if (new RegExp(`[^a-z0-9]${word.replace(/[^a-z0-9]/g, "\\$&")}`).test(title)) score += 4;
    else if (title.includes(word)) score += 2;
    else if (entry.words.includes(word)) score += 1;
    else return 0;
  }
  return score;
}
