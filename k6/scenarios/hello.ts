// Workload hello: a greeting, the same with every fifth request asleep for 2 ms, and sleep alone.

import { iterate, type Operation } from "../lib/load.ts";
import { optionsOf } from "../lib/options.ts";
import { readParams } from "../lib/params.ts";
import { summarize } from "../lib/summary.ts";

const params = readParams(open(__ENV.PLUMBLINE_LOAD ?? ""));

const operations: Record<string, Operation> = {
  "GET /hello/{name}": { method: "GET", path: `/hello/${encodeURIComponent(params.name)}`, status: 200 },
  "GET /split/{name}": { method: "GET", path: `/split/${encodeURIComponent(params.name)}`, status: 200 },
  "GET /sleep": { method: "GET", path: "/sleep", status: 200 },
  "GET /sleep-async": { method: "GET", path: "/sleep-async", status: 200 },
};

export const options = optionsOf(params);
export default iterate(params, operations);
export const handleSummary = (data: Parameters<typeof summarize>[1]) => summarize(params, data);
