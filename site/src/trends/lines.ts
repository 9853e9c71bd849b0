// Loads the chosen series with the older parts that the range needs.

import type { SeriesEntry, SubjectEntry } from "../data/api";
import { load } from "../lib/load";
import { whole, type Line } from "./join";

/** The chosen series in the order of `chosen`, back to `from` (seconds); null: the newest part alone, -Infinity: everything. */
export async function linesOf(
  chosen: readonly SeriesEntry[],
  subjects: readonly SubjectEntry[],
  from: number | null,
): Promise<Line[]> {
  return Promise.all(
    chosen.map(async (entry): Promise<Line> => {
      const file = await load(entry.path, "series");
      const olderParts = from === null ? [] : file.older.filter((part) => part.to_t >= from);
      const parts = await Promise.all(olderParts.map((part) => load(part.path, "series-part")));
      const subject = subjects.find((candidate) => candidate.slug === entry.subject);
      return {
        short: subject?.short ?? entry.subject,
        mark: subject?.mark ?? null,
        file: { ...file, refused: [...parts.flatMap((part) => part.refused), ...file.refused] },
        columns: whole([...parts.map((part) => part.columns), file.columns]),
        first: olderParts[0]?.first ?? file.first,
      };
    }),
  );
}
