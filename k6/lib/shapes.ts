// Made by `python -m laboratory.schemas` of the models there; never edited by hand.

export interface UseCase {
  readonly name: string;
  readonly arrivals_per_minute: number;
  readonly requests: readonly string[];
  /** VUs of an open load, all made before it starts. */
  readonly vus: number;
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
  /** The length of `golden` in bytes, which every answer that says its length must have; 0 where there is none. */
  readonly golden_bytes: number;
  /** What the golden body becomes once the harness has changed a row that is served; null where it changes none. */
  readonly changed: string | null;
  readonly insecure_tls: boolean;
  /** Seconds of load in one cycle. */
  readonly duration_s: number;
  /** Seconds of rest after each cycle. */
  readonly pause_s: number;
  readonly cycles: number;
  /** Connections of closed load; VUs of an open load, all made before it starts. */
  readonly vus: number;
  /** Arrivals a second of open load; 0 for closed load. */
  readonly rate_per_s: number;
  /** Requests of a load that ends by count, in `duration_s` at the longest; 0 where it ends by time. */
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
  /** The file that the scenario leaves. */
  readonly summary: string;
}

export interface SummaryPart {
  readonly use_case: string;
  readonly request: string | null;
  readonly requests: number;
  readonly latency_mean_ms: number;
  readonly latency_max_ms: number;
  readonly latency_ms: readonly number[];
}

export interface Summary {
  readonly phase: string;
  readonly executor: string;
  readonly started_ms: number | null;
  readonly requests: number;
  readonly failed: number;
  readonly late: number;
  readonly dropped: number;
  readonly checks_passed: number;
  readonly checks_failed: number;
  readonly writes: number;
  readonly wrong_length: number | null;
  readonly fresh: number | null;
  readonly latency_mean_ms: number | null;
  readonly latency_min_ms: number | null;
  readonly latency_max_ms: number | null;
  readonly latency_ms: readonly (number | null)[];
  readonly lag_p99_ms: number | null;
  readonly lag_max_ms: number | null;
  readonly received_bytes: number;
  readonly sent_bytes: number;
  readonly connect_errors: number;
  readonly timeouts: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly parts: readonly SummaryPart[];
  readonly connecting_ms: readonly (number | null)[];
  readonly batch_threads: number | null;
}
