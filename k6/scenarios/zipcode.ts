// Workload zipcode: finds a zip code by its key, and inserts it when there is none (study 000).

import { iterate, type Operation } from "../lib/load.ts";
import { optionsOf } from "../lib/options.ts";
import { readParams } from "../lib/params.ts";
import { summarize } from "../lib/summary.ts";
import { vu } from "../lib/vu.ts";

const params = readParams(open(__ENV.PLUMBLINE_LOAD ?? ""));

// Those of apps/contract/sql/*/rows.sql.
const ZIP_CODES = 12078;
const FIRST = 501;
const STEP = 7;
// Coprime to the number of zip codes: a VU visits all before one comes twice, and no two VUs walk side by side.
const STRIDE = 5003;
const FIELDS = ["type", "city", "state", "county", "timezone"];

const known = (n: number): string => {
  const index = (vu() * 1009 + n * STRIDE) % ZIP_CODES;
  return String(FIRST + index * STEP).padStart(5, "0");
};

const bodyOf = (zip: string): string =>
  JSON.stringify({ zip, type: "STANDARD", city: "Fernwood", state: "VT", county: "Fern County", timezone: "America/New_York" });

// Unique in the trial: phases share one database, VUs and their requests are numbered.
const fresh = (n: number): string => bodyOf(`${params.phase} ${vu()} ${n}`);

// The row that has the key, whoever wrote it.
const isKnown = (n: number, body: string): boolean => {
  const said = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return said.zip === known(n) && FIELDS.every((field) => typeof said[field] === "string");
};

const post = { method: "POST", path: "/zipcode", status: 200 } as const;

const operations: Record<string, Operation> = {
  "GET /zipcode/{zip}": { method: "GET", path: (n) => `/zipcode/${known(n)}`, status: 200, answers: isKnown },
  // On a full table all of these read; on an empty one they insert first and read more and more, as in the study.
  "POST /zipcode": { ...post, body: (n) => bodyOf(known(n)), answers: isKnown },
  "POST /zipcode (fresh)": { ...post, writes: 1, body: fresh, answers: (n, body) => body === fresh(n) },
};

export const options = optionsOf(params);
export default iterate(params, operations);
export const handleSummary = (data: Parameters<typeof summarize>[1]) => summarize(params, data);
