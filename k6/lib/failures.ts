// Counts of answers that were not the expected one. Only failures are looked at, so a clean run pays nothing.

import { Counter } from "k6/metrics";
import type { RefinedResponse, ResponseType } from "k6/http";

// https://grafana.com/docs/k6/latest/javascript-api/error-codes/
const REQUEST_TIMEOUT = 1050;
const DIAL_TIMEOUT = 1211;

declare const console: { error(message: string): void };

export const connectErrors = new Counter("connect_errors");
export const timeouts = new Counter("timeouts");
export const statusClasses: Readonly<Record<string, Counter>> = {
  "1xx": new Counter("status_1xx"),
  "2xx": new Counter("status_2xx"),
  "3xx": new Counter("status_3xx"),
  "4xx": new Counter("status_4xx"),
  "5xx": new Counter("status_5xx"),
};

let told = false;

/** Counts an answer of an unexpected status, or none at all. The first one of each VU is put into the log. */
export function countFailure(response: RefinedResponse<ResponseType | undefined>): void {
  if (response.status > 0) statusClasses[`${Math.floor(response.status / 100)}xx`]?.add(1);
  else if (response.error_code === REQUEST_TIMEOUT || response.error_code === DIAL_TIMEOUT) timeouts.add(1);
  else connectErrors.add(1);
  tellOnce(`status ${response.status}, k6 error ${response.error_code} ${response.error}`);
}

export function tellOnce(message: string): void {
  if (told) return;
  told = true;
  console.error(message.trim());
}
