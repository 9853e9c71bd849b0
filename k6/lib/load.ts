// One request an iteration, as cheap as k6 does it: no tags, bodies discarded except for the sampled ones.

import { check } from "k6";
import exec from "k6/execution";
import http, { type RefinedResponse, type ResponseType } from "k6/http";
import { Counter, Gauge, Trend } from "k6/metrics";
import { countFailure, tellOnce } from "./failures.ts";
import type { Params } from "./params.ts";

type Response = RefinedResponse<ResponseType | undefined>;

/** How an operation is asked for. `body` makes the n-th request body of this VU. */
export interface Operation {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly status: number;
  readonly body?: (n: number) => string;
  /** True when each success must have written a row. */
  readonly writes?: boolean;
}

// A late answer is one that came after the window; counting these few is cheaper than counting all others.
const late = new Counter("late");
const writes = new Counter("writes");
const lag = new Trend("lag", true);
const started = new Gauge("started_ms");

const JSON_HEADERS = { "Content-Type": "application/json" };

/** The function that k6 calls for each iteration. */
export function iterate(params: Params, operations: Readonly<Record<string, Operation>>): () => void {
  const operation = operations[params.operation];
  if (operation === undefined) {
    throw new Error(`Operation '${params.operation}' is none of ${Object.keys(operations).join(", ")}.`);
  }
  http.setResponseCallback(http.expectedStatuses(operation.status));
  const { method, status, body } = operation;
  const url = params.base_url + operation.path;
  const headers = body === undefined ? {} : JSON_HEADERS;
  const timeout = params.timeout_s * 1000;
  const quiet = { headers, timeout };
  const sampled = { headers, timeout, responseType: "text" as const };
  const open = params.executor === "constant-arrival-rate";
  const span_ms = params.cycles * (params.duration_s + params.pause_s) * 1000;
  const golden = params.golden;
  const isGolden = (response: Response): boolean => response.body === golden;

  let start_ms = 0;
  let n = 0;
  // Spread over VUs: the first one looks at its first answer, the others at later ones.
  let until_check = (__VU + params.check_every - 1) % params.check_every;

  return () => {
    if (start_ms === 0) {
      start_ms = exec.scenario.startTime;
      started.add(start_ms);
    }
    if (open) lag.add(Date.now() - (start_ms + (exec.scenario.iterationInTest * 1000) / params.rate_per_s));
    const look = golden !== null && until_check === 0;
    until_check = until_check === 0 ? params.check_every - 1 : until_check - 1;
    const response = http.request(method, url, body === undefined ? null : body(n++), look ? sampled : quiet);
    if (response.status !== status) {
      countFailure(response);
      return;
    }
    if (Date.now() >= start_ms + span_ms) late.add(1);
    if (operation.writes) writes.add(1);
    if (look && !check(response, { golden: isGolden })) {
      tellOnce(`wrong body: ${String(response.body).slice(0, 200)}`);
    }
  };
}
