// Workload orders: an order that asks six sources and is stored with its two items, and orders read again (study 004).

import { iterate, type Operation } from "../lib/load.ts";
import { visit, type Step, type Visit } from "../lib/mix.ts";
import { optionsOf } from "../lib/options.ts";
import { readParams } from "../lib/params.ts";
import { summarize } from "../lib/summary.ts";
import { vu } from "../lib/vu.ts";

const params = readParams(open(__ENV.PLUMBLINE_LOAD ?? ""));

// Those of apps/contract/sql/*/rows.sql, and of the stub.
const ORDERS = 10000;
const CUSTOMERS = 1000;
const CARDS = 500;
const ADDRESSES = 700;
const PRODUCTS = 1000;
// Every hundredth product is out of stock.
const OUT_OF_STOCK = 99;
// Above every product, so that no order has it as an item.
const FIRST_FREE_ITEM = 100000;
// Coprime to all of them.
const STRIDE = 7919;

const spread = (n: number, among: number): number => 1 + ((vu() * 1009 + n * STRIDE) % among);
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

interface Said {
  readonly id?: unknown;
  readonly customerId?: unknown;
  readonly items?: readonly unknown[];
}

const isMade = (n: number, body: string): boolean => {
  const { id, customerId, items } = JSON.parse(body) as Said;
  return typeof id === "number" && customerId === spread(n, CUSTOMERS) && items?.length === 2;
};

// One to three items, as apps/contract/sql/*/rows.sql has it.
const isKept = (n: number, body: string): boolean => {
  const { id, items } = JSON.parse(body) as Said;
  return id === spread(n, ORDERS) && items?.length === 1 + (spread(n, ORDERS) % 3);
};

const operations: Record<string, Operation> = {
  // The order and its two items.
  "POST /orders": { method: "POST", path: "/orders", status: 201, body: order, writes: 3, answers: isMade },
  "GET /orders/{orderId}": { method: "GET", path: (n) => `/orders/${spread(n, ORDERS)}`, status: 200, answers: isKept },
};

const item = (its: Visit): string => `/orders/${its.known.order}/items/${its.known.item}`;

/** What the use cases of the study ask for, each of the order that the same visitor made. */
const steps: Record<string, Step> = {
  "POST /orders": {
    method: "POST",
    path: () => "/orders",
    status: 201,
    body: ({ n }) => order(n),
    writes: 3,
    learn: (body, its) => {
      const found = JSON.parse(body) as { id?: number; items?: { itemId?: number }[] };
      its.known.order = String(found.id);
      // An item is known by its product: one that no order has yet takes the next numbers.
      its.known.item = String(FIRST_FREE_ITEM);
      return typeof found.id === "number" && found.items?.length === 2;
    },
  },
  "GET /orders/{orderId}": { method: "GET", path: (its) => `/orders/${its.known.order}`, status: 200 },
  "PUT /orders/{orderId}": {
    method: "PUT",
    path: (its) => `/orders/${its.known.order}`,
    status: 200,
    // Never the card that it was ordered with, else JPA would not write.
    body: ({ n }) => JSON.stringify({ cardId: 1 + (spread(n, CARDS) % CARDS) }),
  },
  "DELETE /orders/{orderId}": {
    method: "DELETE",
    path: (its) => `/orders/${its.known.order}`,
    status: 204,
    // With its two items.
    removes: 3,
  },
  "POST /orders/{orderId}/items/{itemId}": {
    method: "POST",
    path: (its) => {
      its.known.item = String(Number(its.known.item) + 1);
      return item(its);
    },
    status: 201,
    body: () => JSON.stringify({ name: "Gift wrap", quantity: 1, price: 3.05 }),
    writes: 1,
  },
  "DELETE /orders/{orderId}/items/{itemId}": { method: "DELETE", path: item, status: 204, removes: 1 },
};

export const options = optionsOf(params);
export default params.use_cases.length > 0 ? visit(params, steps) : iterate(params, operations);
export const handleSummary = (data: Parameters<typeof summarize>[1]) => summarize(params, data);
