// Workload orders: an order that asks six sources and is stored with its two items, and orders read again (study 004).

import { iterate, type Operation } from "../lib/load.ts";
import { optionsOf } from "../lib/options.ts";
import { readParams } from "../lib/params.ts";
import { summarize } from "../lib/summary.ts";

const params = readParams(open(__ENV.PLUMBLINE_LOAD ?? ""));

// Those of apps/contract/sql/*/rows.sql, and of the stub.
const ORDERS = 10000;
const CUSTOMERS = 1000;
const CARDS = 500;
const ADDRESSES = 700;
const PRODUCTS = 1000;
// Every hundredth product is out of stock.
const OUT_OF_STOCK = 99;
// Coprime to all of them.
const STRIDE = 7919;

const spread = (n: number, among: number): number => 1 + ((__VU * 1009 + n * STRIDE) % among);
const product = (n: number): number => {
  const id = spread(n, PRODUCTS - 1);
  return id % 100 === OUT_OF_STOCK ? id + 1 : id;
};

const order = (n: number): string => {
  const first = product(n);
  const second = product(n + 1) === first ? first + 1 : product(n + 1);
  return JSON.stringify({
    customerId: spread(n, CUSTOMERS),
    cardId: spread(n, CARDS),
    addressId: spread(n, ADDRESSES),
    items: [
      { productId: first, quantity: 1 + (n % 3) },
      { productId: second, quantity: 1 },
    ],
  });
};

const operations: Record<string, Operation> = {
  // The order and its two items.
  "POST /orders": { method: "POST", path: "/orders", status: 201, body: order, writes: 3 },
  "GET /orders/{orderId}": { method: "GET", path: (n) => `/orders/${spread(n, ORDERS)}`, status: 200 },
};

export const options = optionsOf(params);
export default iterate(params, operations);
export const handleSummary = (data: Parameters<typeof summarize>[1]) => summarize(params, data);
