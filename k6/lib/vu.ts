// The number of this VU in its phase. k6's own __VU counts within one process, and a phase may have several.

import exec from "k6/execution";

let number = 0;

/** The number of this VU, counted from 1: no other VU of the phase has the same, in whichever process it is. */
export function vu(): number {
  // k6 makes an object of each `exec.vu`, so it is asked once.
  if (number === 0) number = exec.vu.idInTest;
  return number;
}
