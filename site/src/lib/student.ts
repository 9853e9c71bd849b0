// Student's t distribution: two-sided p by the regularised incomplete beta function, and its quantile.

// Lanczos' approximation of log gamma (g = 7, 9 terms), good to 1e-13 for arguments above 0.5, which all are here.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  const shifted = x - 1;
  const sum = LANCZOS.reduce((total, coefficient, index) => total + (index === 0 ? coefficient : coefficient / (shifted + index)), 0);
  const t = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
}

const TINY = 1e-300;
const MOST_STEPS = 500;

/** Lentz's continued fraction of the incomplete beta function, which converges fast for x < (a + 1) / (a + b + 2). */
function fraction(a: number, b: number, x: number): number {
  const awayFromZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m < MOST_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(a, b, x)) / a : 1 - (front * fraction(b, a, 1 - x)) / b;
}

/** P(|T| >= |t|) for `degrees` of freedom, which need not be whole. */
export function twoSidedP(degrees: number, t: number): number {
  return incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

/** The t with P(T <= t) = `probability`, which is above one half. */
export function quantile(degrees: number, probability: number): number {
  const tailProbability = 2 * (1 - probability);
  let low = 0;
  let high = 1;
  while (twoSidedP(degrees, high) > tailProbability) high *= 2;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (twoSidedP(degrees, middle) > tailProbability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
