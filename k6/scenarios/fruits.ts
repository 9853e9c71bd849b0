// Workload fruits: fruits with their prices and stores, out of the database.

import { iterate, type Operation } from "../lib/load.ts";
import { optionsOf } from "../lib/options.ts";
import { readParams } from "../lib/params.ts";
import { summarize } from "../lib/summary.ts";
import { vu } from "../lib/vu.ts";

const params = readParams(open(__ENV.PLUMBLINE_LOAD ?? ""));

const one: Operation = { method: "GET", path: `/fruits/${encodeURIComponent(params.name)}`, status: 200 };
const add: Operation = {
  method: "POST",
  path: "/fruits",
  status: 201,
  writes: 1,
  // Unique in the trial: phases share one database, VUs and their requests are numbered.
  body: (n) => JSON.stringify({ name: `${params.phase} ${vu()} ${n}`, description: params.name }),
};

const operations: Record<string, Operation> = {
  "GET /fruits": { method: "GET", path: "/fruits", status: 200 },
  "GET /fruits/{name}": one,
  "POST /fruits": add,
  // One fruit and not the list, whose answer would grow with every POST.
  "GET /fruits/{name} (5% POST)": { ...one, mixed: { every: 20, other: add } },
};

export const options = optionsOf(params);
export default iterate(params, operations);
export const handleSummary = (data: Parameters<typeof summarize>[1]) => summarize(params, data);
