// A mix of use cases: each visitor sends a few requests in order, where later ones need what earlier ones answered.
// Response times are kept by use case, and by request within it, on top of those of all.

import { check } from "k6";
import exec from "k6/execution";
import http, { type RefinedResponse, type ResponseType } from "k6/http";
import { Trend } from "k6/metrics";
import { countFailure, tellOnce } from "./failures.ts";
import { late, lag, removed, started, writes } from "./load.ts";
import type { Params, UseCase } from "./shapes.ts";

/** What a visitor knows: which one it is among those of this VU, what it got, and how many of a kind it sent. */
export interface Visit {
  readonly n: number;
  readonly known: Record<string, string>;
}

/**
 * How one request of a use case is made. `learn` compares the answer with what the visitor knows, and takes from it what
 * later requests need; false: it is wrong.
 */
export interface Step {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: (visit: Visit) => string;
  readonly status: number;
  readonly body?: (visit: Visit) => string;
  /** Rows that each success must have written, and taken away. */
  readonly writes?: number;
  readonly removes?: number;
  readonly learn?: (body: string, visit: Visit) => boolean;
}

/** A use case, or one request of it: what is kept of it. */
export interface Part {
  readonly use_case: string;
  readonly request: string | null;
  readonly trend: string;
}

/** The parts of a mix, in the order of the use cases; names of trends are numbers, since k6 takes few characters. */
export function partsOf(params: Params): Part[] {
  return params.use_cases.flatMap((one, i) => [
    { use_case: one.name, request: null, trend: `part_${i}` },
    ...distinct(one).map((request, j) => ({ use_case: one.name, request, trend: `part_${i}_${j}` })),
  ]);
}

function distinct(one: UseCase): string[] {
  return one.requests.filter((request, place) => one.requests.indexOf(request) === place);
}

const JSON_HEADERS = { "Content-Type": "application/json" };
// So long after the window visits go on. k6 waits for as long as one request may take (options.ts): a visit of several slow
// ones would be cut off within a request, which nobody would count.
const VISITS_END_MS = 500;
// Coprime to any sum of arrivals that has no factor of its own: closed visitors do not all begin with one use case.
const STRIDE = 7919;

/** The function that k6 calls for each visitor. */
export function visit(params: Params, steps: Readonly<Record<string, Step>>): () => void {
  for (const request of params.use_cases.flatMap((one) => one.requests)) {
    if (steps[request] === undefined) {
      throw new Error(`Request '${request}' is none of ${Object.keys(steps).join(", ")}.`);
    }
  }
  const timeout = params.timeout_s * 1000;
  const open = params.executor === "constant-arrival-rate";
  const span_ms = params.cycles * (params.duration_s + params.pause_s) * 1000;
  const trends = Object.fromEntries(partsOf(params).map((part) => [keyOf(part.use_case, part.request), new Trend(part.trend, true)]));
  const by_name = Object.fromEntries(params.use_cases.map((one) => [one.name, one]));
  const by_turn = turns(params.use_cases);
  const callbacks = Object.fromEntries(
    Object.values(steps).map((step) => [step.status, http.expectedStatuses(step.status)]),
  );
  let start_ms = 0;
  let n = 0;

  return () => {
    if (start_ms === 0) {
      start_ms = exec.scenario.startTime;
      started.add(start_ms);
    }
    const one = open ? by_name[exec.scenario.name]! : by_turn[(__VU * 1009 + n * STRIDE) % by_turn.length]!;
    if (open) {
      const due_ms = start_ms + (exec.scenario.iterationInTest * 60000) / one.arrivals_per_minute;
      lag.add(Date.now() - due_ms);
    }
    const its: Visit = { n: n++, known: {} };
    for (const request of one.requests) {
      if (Date.now() > start_ms + span_ms + VISITS_END_MS) return;
      const step = steps[request]!;
      const response: RefinedResponse<ResponseType | undefined> = http.request(
        step.method,
        params.base_url + step.path(its),
        step.body === undefined ? null : step.body(its),
        {
          headers: step.body === undefined ? {} : JSON_HEADERS,
          timeout,
          responseCallback: callbacks[step.status]!,
          responseType: step.learn === undefined ? "none" : "text",
        },
      );
      trends[keyOf(one.name, null)]!.add(response.timings.duration);
      trends[keyOf(one.name, request)]!.add(response.timings.duration);
      if (response.status !== step.status) {
        countFailure(response);
        return;
      }
      if (Date.now() >= start_ms + span_ms) late.add(1);
      if (step.writes !== undefined) writes.add(step.writes);
      if (step.removes !== undefined) removed.add(step.removes);
      const { learn } = step;
      if (learn !== undefined && !check(response, { learned: (r) => learn(String(r.body), its) })) {
        tellOnce(`wrong answer to ${request}: ${String(response.body).slice(0, 200)}`);
        return;
      }
    }
  };
}

function keyOf(use_case: string, request: string | null): string {
  return `${use_case} ${request ?? ""}`;
}

/** Closed load takes use cases in turn, each as often as it arrives. */
function turns(use_cases: readonly UseCase[]): UseCase[] {
  return use_cases.flatMap((one) => Array<UseCase>(Math.max(1, Math.round(one.arrivals_per_minute))).fill(one));
}
