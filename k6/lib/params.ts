// Reads what the plan hands to a scenario: one JSON file, named by PLUMBLINE_LOAD. Nothing that decides a result stands in
// the scenarios themselves.

import type { Params, UseCase } from "./shapes.ts";

const kinds: Record<keyof Params, "string" | "number" | "boolean" | "string?" | "strings" | "use cases"> = {
  phase: "string",
  executor: "string",
  base_url: "string",
  operation: "string",
  name: "string",
  golden: "string?",
  golden_bytes: "number",
  changed: "string?",
  insecure_tls: "boolean",
  duration_s: "number",
  pause_s: "number",
  cycles: "number",
  vus: "number",
  rate_per_s: "number",
  iterations: "number",
  timeout_s: "number",
  check_every: "number",
  compared_min: "number",
  use_cases: "use cases",
  quantiles: "strings",
  part_quantiles: "strings",
  summary: "string",
};

function isUseCase(value: unknown): boolean {
  const given = value as UseCase;
  return (
    typeof given === "object" &&
    /^[a-z][a-z-]*$/.test(given.name) &&
    given.arrivals_per_minute > 0 &&
    given.vus > 0 &&
    fits(given.requests, "strings")
  );
}

function fits(value: unknown, kind: string): boolean {
  if (kind === "strings") return Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === "string");
  if (kind === "use cases") return Array.isArray(value) && value.every(isUseCase);
  if (kind === "string?") return value === null || typeof value === "string";
  if (kind === "number") return typeof value === "number" && Number.isFinite(value) && value >= 0;
  return typeof value === kind;
}

/** Reads and checks the parameters; throws an Error whose message is one sentence. */
export function readParams(text: string): Params {
  const given = JSON.parse(text) as Record<string, unknown>;
  for (const [key, kind] of Object.entries(kinds)) {
    if (!fits(given[key], kind)) throw new Error(`Parameter '${key}' is not a ${kind}: ${JSON.stringify(given[key])}.`);
  }
  for (const key of Object.keys(given)) {
    if (!(key in kinds)) throw new Error(`Parameter '${key}' is unknown.`);
  }
  const params = given as unknown as Params;
  for (const key of ["duration_s", "cycles", "vus", "timeout_s", "check_every"] as const) {
    if (params[key] <= 0) throw new Error(`Parameter '${key}' must be above 0.`);
  }
  return params;
}
