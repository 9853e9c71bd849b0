// Workload companies: rows by key asked for from outside, and whole batches in one request (study 001).

import crypto from "k6/crypto";
import { Trend } from "k6/metrics";
import { iterate, type Operation } from "../lib/load.ts";
import { optionsOf } from "../lib/options.ts";
import { readParams } from "../lib/params.ts";
import { summarize } from "../lib/summary.ts";
import { vu } from "../lib/vu.ts";

const params = readParams(open(__ENV.PLUMBLINE_LOAD ?? ""));

const COMPANIES = 100000;
// Coprime to the number of companies, as in the batches.
const STRIDE = 7919;

// The threads that took the rows of each batch, as the application counts them.
const threads = new Trend("batch_threads");

/** `query=one&count=20000` out of the operation's own words, with the rows that it must have read. */
function batch(operation: string): Operation {
  const path = operation.split(" ")[1] ?? "";
  const [, query, count] = /query=(\w+)&count=(\d+)/.exec(path) ?? [];
  const rows = Number(count) * (query === "hundred" ? 100 : 1);
  const isWhole = (body: string): boolean => {
    const said = JSON.parse(body);
    threads.add(said.threads);
    return said.rows === rows;
  };
  return { method: "GET", path, status: 200, expects: isWhole };
}

const idOf = (n: number): number => 1 + ((vu() * 1009 + n * STRIDE) % COMPANIES);

// As apps/contract/sql/*/rows.sql has it.
const company = (id: number): string => JSON.stringify({ id, name: crypto.md5(`company ${id}`, "hex") });

// The harness gives this one another name of the same length in mid-phase, and looks for it itself.
const CHANGED = 1;

const isRow = (id: number, body: string): boolean =>
  body === company(id) || (id === CHANGED && body.length === company(id).length);

const operations: Record<string, Operation> = {
  "GET /companies/{id}": {
    method: "GET",
    path: (n) => `/companies/${idOf(n)}`,
    status: 200,
    answers: (n, body) => isRow(idOf(n), body),
  },
  "GET /companies?limit=100": { method: "GET", path: "/companies?limit=100", status: 200 },
};
if (params.operation.startsWith("GET /benchmark?")) operations[params.operation] = batch(params.operation);

export const options = optionsOf(params);
export default iterate(params, operations);
export const handleSummary = (data: Parameters<typeof summarize>[1]) => summarize(params, data);
