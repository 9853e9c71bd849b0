// Options of k6 for one phase: cheap by default, since the generator's CPU is the first thing to run out.

import type { Options, Scenario } from "k6/options";
import type { Params } from "./shapes.ts";

function load(params: Params): Scenario {
  // Longer than a request may take, so that each one ends on its own and is counted.
  const gracefulStop = `${params.timeout_s + 1}s`;
  const duration = `${params.duration_s}s`;
  switch (params.executor) {
    case "constant-vus":
      return { executor: "constant-vus", vus: params.vus, duration, gracefulStop };
    case "ramping-vus":
      return {
        executor: "ramping-vus",
        startVUs: params.vus,
        stages: cycles(params),
        gracefulStop,
        gracefulRampDown: gracefulStop,
      };
    case "shared-iterations":
      return {
        executor: "shared-iterations",
        vus: params.vus,
        iterations: params.iterations,
        maxDuration: duration,
        gracefulStop,
      };
    case "constant-arrival-rate":
      return {
        executor: "constant-arrival-rate",
        rate: Math.round(params.rate_per_s * 60),
        timeUnit: "1m",
        duration,
        preAllocatedVUs: params.vus,
        gracefulStop,
      };
  }
}

/** Load and rest in turn; the steps between them take no time. */
function cycles(params: Params): { duration: string; target: number }[] {
  const stages = [];
  for (let cycle = 0; cycle < params.cycles; cycle++) {
    stages.push({ duration: "0s", target: params.vus });
    stages.push({ duration: `${params.duration_s}s`, target: params.vus });
    stages.push({ duration: "0s", target: 0 });
    stages.push({ duration: `${params.pause_s}s`, target: 0 });
  }
  return stages;
}

/** Of an open mix each use case is a scenario of its own, so that each arrives at its own rate. */
function mixed(params: Params): Record<string, Scenario> {
  const gracefulStop = `${params.timeout_s + 1}s`;
  const scenarios: Record<string, Scenario> = {};
  for (const one of params.use_cases) {
    scenarios[one.name] = {
      executor: "constant-arrival-rate",
      rate: one.arrivals_per_minute,
      timeUnit: "1m",
      duration: `${params.duration_s}s`,
      preAllocatedVUs: one.vus,
      gracefulStop,
    };
  }
  return scenarios;
}

export function optionsOf(params: Params): Options {
  const isMix = params.use_cases.length > 0 && params.executor === "constant-arrival-rate";
  return {
    scenarios: isMix ? mixed(params) : { load: load(params) },
    summaryTrendStats: ["avg", "min", "max", "count", ...params.quantiles],
    systemTags: [],
    discardResponseBodies: true,
    insecureSkipTLSVerify: params.insecure_tls,
    noConnectionReuse: false,
    noVUConnectionReuse: false,
    maxRedirects: 0,
    // The harness sends the same (verdicts/contract/endpoint.py): a program can't tell the load from a probe by it.
    userAgent: "Grafana k6/2.2.0",
    throw: false,
  };
}
