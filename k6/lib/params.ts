// What the plan hands to a scenario: one JSON file, named by PLUMBLINE_LOAD. Nothing that decides a result stands in
// the scenarios themselves. harness/plumbline/load/params.py writes this shape; keep the two alike.

/** One use case of a mix: what one visitor asks for, in order, and how many come a minute. */
export interface UseCase {
  readonly name: string;
  readonly arrivals_per_minute: number;
  readonly requests: readonly string[];
  /** VUs made before an open load starts, and how many it may grow to. */
  readonly vus: number;
  readonly max_vus: number;
}

export interface Params {
  readonly phase: string;
  readonly executor: "constant-vus" | "ramping-vus" | "constant-arrival-rate" | "shared-iterations";
  readonly base_url: string;
  readonly operation: string;
  /** Stands for {name} in paths. */
  readonly name: string;
  /** The exact body that a sampled answer must have; null when there is none to compare with. */
  readonly golden: string | null;
  /** Its length in bytes, which every answer must have; 0 where there is none. */
  readonly golden_bytes: number;
  /** What the golden body becomes once the harness has changed a row that is served; null where it changes none. */
  readonly changed: string | null;
  readonly insecure_tls: boolean;
  /** Seconds of load in one cycle, and of rest after it. */
  readonly duration_s: number;
  readonly pause_s: number;
  readonly cycles: number;
  /** Connections of closed load; VUs made before an open load starts. */
  readonly vus: number;
  /** VUs an open load may grow to. */
  readonly max_vus: number;
  /** Arrivals a second of open load; 0 for closed load. */
  readonly rate_per_s: number;
  /** Requests of a load that ends by count, whose duration is the longest it may take; 0 where it ends by time. */
  readonly iterations: number;
  readonly timeout_s: number;
  /** One answer of so many is read and compared, at least. */
  readonly check_every: number;
  /** So many answers of the phase are compared, spread over its time; all where there are fewer. */
  readonly compared_min: number;
  /** The use cases of a mix, which take the place of `operation`; none for a load of one operation. */
  readonly use_cases: readonly UseCase[];
  /** Names of trend statistics on the grid, in ascending order: p(0), p(1), ... p(99.99). */
  readonly quantiles: readonly string[];
  /** Those of them that each use case of a mix, and each of its requests, is told by. */
  readonly part_quantiles: readonly string[];
  readonly summary: string;
}

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
  max_vus: "number",
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
    given.max_vus >= given.vus &&
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
