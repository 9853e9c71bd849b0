// One request an iteration, as cheap as k6 does it: no tags, bodies discarded except for the sampled ones.

import { check } from "k6";
import exec from "k6/execution";
import http, { type RefinedResponse, type ResponseType } from "k6/http";
import { Counter, Gauge, Trend } from "k6/metrics";
import { countFailure, tellOnce } from "./failures.ts";
import type { Params } from "./shapes.ts";

type Response = RefinedResponse<ResponseType | undefined>;

/** How an operation is asked for. Functions are given n, the number of the request among those of this VU. */
export interface Operation {
  readonly method: "GET" | "POST";
  readonly path: string | ((n: number) => string);
  readonly status: number;
  readonly body?: (n: number) => string;
  /** Rows that each success must have written. */
  readonly writes?: number;
  /** For answers that differ by what was asked: whether a body answers request n. Looked at in place of a golden one. */
  readonly answers?: (n: number, body: string) => boolean;
  /** For answers that are few and differ: looked at each time, on top of the sampled comparison with the golden one. */
  readonly expects?: (body: string) => boolean;
  /** Of `every` requests one is this other operation. */
  readonly mixed?: { readonly every: number; readonly other: Operation };
}

// A late answer is one that came after the window; counting these few is cheaper than counting all others.
export const late = new Counter("late");
export const writes = new Counter("writes");
export const removed = new Counter("removed");
export const wrongLength = new Counter("wrong_length");
export const fresh = new Counter("fresh");
export const lag = new Trend("lag", true);
export const started = new Gauge("started_ms");

const JSON_HEADERS = { "Content-Type": "application/json" };

/** The function that k6 calls for each iteration. */
export function iterate(params: Params, operations: Readonly<Record<string, Operation>>): () => void {
  const operation = operations[params.operation];
  if (operation === undefined) {
    throw new Error(`Operation '${params.operation}' is none of ${Object.keys(operations).join(", ")}.`);
  }
  const mixed = operation.mixed;
  http.setResponseCallback(http.expectedStatuses(operation.status));
  const timeout = params.timeout_s * 1000;
  const open = params.executor === "constant-arrival-rate";
  const span_ms = params.cycles * (params.duration_s + params.pause_s) * 1000;
  const { golden, changed, golden_bytes } = params;
  const usual = requestOf(operation, params.base_url, timeout);
  const other = mixed === undefined ? usual : requestOf(mixed.other, params.base_url, timeout);
  const { answers } = operation;
  const comparable = golden !== null || answers !== undefined;
  const isRight = (n: number, response: Response): boolean => {
    if (golden === null) return isAnswer(answers!, n, String(response.body));
    if (changed !== null && response.body === changed) {
      fresh.add(1);
      return true;
    }
    return response.body === golden;
  };
  const share = shareOf(params);

  let start_ms = 0;
  let n = 0;
  let compared = 0;

  // Nobody but k6 knows which answers are compared: some by chance, and as many as this VU is behind its part of the
  // phase, so that they lie evenly in its time.
  const isDue = (): boolean =>
    Math.random() < share.by_chance || compared < (share.a_vu * (Date.now() - start_ms)) / span_ms;

  return () => {
    if (start_ms === 0) {
      start_ms = exec.scenario.startTime;
      started.add(start_ms);
    }
    // Counted by n alone, all VUs would send the other operation at the same time. k6 numbers the arrivals of open load;
    // in closed load each VU begins elsewhere.
    const turn = open ? exec.scenario.iterationInTest : n + __VU;
    if (open) lag.add(Date.now() - (start_ms + (turn * 1000) / params.rate_per_s));
    const isOther = mixed !== undefined && turn % mixed.every === mixed.every - 1;
    const request = isOther ? other : usual;
    const look = comparable && !isOther && isDue();
    const number = n++;
    const response = request.send(number, look);
    if (response.status !== request.status) {
      countFailure(response);
      return;
    }
    if (Date.now() >= start_ms + span_ms) late.add(1);
    if (request.writes !== undefined) writes.add(request.writes);
    if (look) {
      compared++;
      if (!check(response, { right: (r) => isRight(number, r) })) tellWrong(response);
    }
    if (golden_bytes > 0 && !isOther) {
      const length = response.headers["Content-Length"];
      // An answer in chunks does not say its length. To read all such bodies would cost this load more than others.
      if (length !== undefined && Number(length) !== golden_bytes) {
        wrongLength.add(1);
        tellOnce(`wrong length: ${length} bytes instead of ${golden_bytes}`);
      }
    }
    if (request.expects !== undefined && !check(response, { expected: (r) => request.expects!(String(r.body)) })) {
      tellWrong(response);
    }
  };
}

function isAnswer(answers: (n: number, body: string) => boolean, n: number, body: string): boolean {
  try {
    return answers(n, body);
  } catch {
    // No JSON, or another one.
    return false;
  }
}

/** How many answers are compared by chance (a share of all), and how many of the phase by each VU. */
function shareOf(params: Params): { by_chance: number; a_vu: number } {
  const least = 1 / params.check_every;
  if (params.executor === "constant-arrival-rate" || params.executor === "shared-iterations") {
    const expected = params.iterations > 0 ? params.iterations : params.rate_per_s * params.duration_s;
    // A tenth more than wanted, since chance may leave some out.
    return { by_chance: Math.min(1, Math.max(least, (1.1 * params.compared_min) / expected)), a_vu: 0 };
  }
  return { by_chance: least, a_vu: params.compared_min / params.vus };
}

function tellWrong(response: Response): void {
  tellOnce(`wrong body: ${String(response.body).slice(0, 200)}`);
}

/** An operation with all that can be made before the load. */
function requestOf(operation: Operation, base_url: string, timeout: number) {
  const { method, status, path, body, writes, expects } = operation;
  const headers = body === undefined ? {} : JSON_HEADERS;
  // The callback set for all is of the usual operation; another one says its own.
  const responseCallback = http.expectedStatuses(status);
  const quiet = { headers, timeout, responseCallback };
  const sampled = { ...quiet, responseType: "text" as const };
  const url = typeof path === "string" ? base_url + path : null;
  const urlOf = typeof path === "string" ? () => base_url + path : (n: number) => base_url + path(n);
  return {
    status,
    writes,
    expects,
    send: (n: number, look: boolean): Response =>
      http.request(
        method,
        url ?? urlOf(n),
        body === undefined ? null : body(n),
        look || expects !== undefined ? sampled : quiet,
      ),
  };
}
