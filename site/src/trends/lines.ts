// The chosen series with as many of their older parts as the range asks for.

import type { SeriesEntry, SubjectEntry } from "../data/api";
import { load } from "../lib/load";
import { whole, type Line } from "./join";

/** Series in the order chosen. `from` (seconds) says how far back; null: the newest part alone, -Infinity: everything. */
export async function linesOf(
  chosen: readonly SeriesEntry[],
  subjects: readonly SubjectEntry[],
  from: number | null,
): Promise<Line[]> {
  return Promise.all(
    chosen.map(async (entry): Promise<Line> => {
      const file = await load(entry.path, "series");
      const wanted = from === null ? [] : file.older.filter((part) => part.to_t >= from);
      const parts = await Promise.all(wanted.map((part) => load(part.path, "series-part")));
      const subject = subjects.find((one) => one.slug === entry.subject);
      return {
        short: subject?.short ?? entry.subject,
        mark: subject?.mark ?? null,
        file,
        columns: whole([...parts.map((part) => part.columns), file.columns]),
        first: wanted[0]?.first ?? file.first,
      };
    }),
  );
}
