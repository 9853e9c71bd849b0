// Makes the one JSON document of a phase.

import { statusClasses } from "./failures.ts";
import { partsOf } from "./mix.ts";
import type { Params, Summary } from "./shapes.ts";

interface Metrics {
  readonly metrics: Readonly<Record<string, { readonly values: Readonly<Record<string, number>> } | undefined>>;
}

/** What handleSummary returns: the path of the summary and its text; nothing for standard output. */
export function summarize(params: Params, data: Metrics): Record<string, string> {
  const value = (metric: string, name: string): number | null => data.metrics[metric]?.values[name] ?? null;
  const count = (metric: string): number => value(metric, "count") ?? 0;
  const statuses: Record<string, number> = {};
  for (const name of Object.keys(statusClasses)) {
    if (count(`status_${name}`) > 0) statuses[name] = count(`status_${name}`);
  }
  const summary: Summary = {
    phase: params.phase,
    executor: params.executor,
    started_ms: value("started_ms", "min"),
    requests: count("http_reqs"),
    failed: value("http_req_failed", "passes") ?? 0,
    late: count("late"),
    dropped: count("dropped_iterations"),
    checks_passed: value("checks", "passes") ?? 0,
    checks_failed: value("checks", "fails") ?? 0,
    writes: count("writes") - count("removed"),
    wrong_length: params.golden === null ? null : count("wrong_length"),
    fresh: params.changed === null ? null : count("fresh"),
    latency_mean_ms: value("http_req_duration", "avg"),
    latency_min_ms: value("http_req_duration", "min"),
    latency_max_ms: value("http_req_duration", "max"),
    latency_ms: params.quantiles.map((name) => value("http_req_duration", name)),
    connecting_ms: params.quantiles.map((name) => value("http_req_connecting", name)),
    lag_p99_ms: value("lag", "p(99)"),
    lag_max_ms: value("lag", "max"),
    received_bytes: count("data_received"),
    sent_bytes: count("data_sent"),
    connect_errors: count("connect_errors"),
    timeouts: count("timeouts"),
    statuses,
    parts: partsOf(params)
      .filter((part) => count(part.trend) > 0)
      .map((part) => ({
        use_case: part.use_case,
        request: part.request,
        requests: count(part.trend),
        // A trend with a value has all of its statistics.
        latency_mean_ms: value(part.trend, "avg")!,
        latency_max_ms: value(part.trend, "max")!,
        latency_ms: params.part_quantiles.map((name) => value(part.trend, name)!),
      })),
    batch_threads: value("batch_threads", "avg"),
  };
  return { [params.summary]: JSON.stringify(summary) + "\n" };
}
