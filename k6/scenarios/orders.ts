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

const order = (n: number) => {
  const first = product(n);
  const second = product(n + 1) === first ? first + 1 : product(n + 1);
  return {
    customerId: spread(n, CUSTOMERS),
    cardId: spread(n, CARDS),
    addressId: spread(n, ADDRESSES),
    items: [
      { productId: first, quantity: 1 + (n % 3) },
      { productId: second, quantity: 1 },
    ],
  };
};

interface Said {
  readonly id?: unknown;
  readonly customerId?: unknown;
  readonly cardId?: unknown;
  readonly addressId?: unknown;
  readonly items?: readonly { readonly itemId?: unknown; readonly quantity?: unknown }[];
}

/** Whether an answer is the order that request n sent, with a number of its own. */
const isMade = (n: number, { id, customerId, cardId, addressId, items }: Said): boolean => {
  const sent = order(n);
  return (
    typeof id === "number" &&
    customerId === sent.customerId &&
    cardId === sent.cardId &&
    addressId === sent.addressId &&
    items?.length === sent.items.length &&
    // A product is an item of the same number.
    sent.items.every((one) => items.some((kept) => kept.itemId === one.productId && kept.quantity === one.quantity))
  );
};

// One to three items, as apps/contract/sql/*/rows.sql has it.
const isKept = (n: number, body: string): boolean => {
  const { id, items } = JSON.parse(body) as Said;
  return id === spread(n, ORDERS) && items?.length === 1 + (spread(n, ORDERS) % 3);
};

const operations: Record<string, Operation> = {
  // The order and its two items.
  "POST /orders": {
    method: "POST",
    path: "/orders",
    status: 201,
    body: (n) => JSON.stringify(order(n)),
    writes: 3,
    answers: (n, body) => isMade(n, JSON.parse(body)),
  },
  "GET /orders/{orderId}": { method: "GET", path: (n) => `/orders/${spread(n, ORDERS)}`, status: 200, answers: isKept },
};

const item = (its: Visit): string => `/orders/${its.known.order}/items/${its.known.item}`;
const GIFT_WRAP = { name: "Gift wrap", quantity: 1, price: 3.05 };
// Numbers of items that a visitor has for itself.
const ITEMS_A_VISITOR = 10;

// Never the card that it was ordered with, else JPA would not write.
const otherCard = (n: number): number => 1 + (spread(n, CARDS) % CARDS);

/** What the use cases of the study ask for, each of the order that the same visitor made. */
const steps: Record<string, Step> = {
  "POST /orders": {
    method: "POST",
    path: () => "/orders",
    status: 201,
    body: ({ n }) => JSON.stringify(order(n)),
    writes: 3,
    learn: (body, its) => {
      const said = JSON.parse(body) as Said;
      its.known.order = String(said.id);
      its.known.text = body;
      // Seldom the numbers of another visitor, whose item in an answer would then go unnoticed.
      its.known.item = String(FIRST_FREE_ITEM + ITEMS_A_VISITOR * spread(its.n, CUSTOMERS));
      return isMade(its.n, said);
    },
  },
  // The contract has the same text for an order that was made, is read again, or is paid with another card.
  "GET /orders/{orderId}": {
    method: "GET",
    path: (its) => `/orders/${its.known.order}`,
    status: 200,
    learn: (body, its) => body === its.known.text,
  },
  "PUT /orders/{orderId}": {
    method: "PUT",
    path: (its) => `/orders/${its.known.order}`,
    status: 200,
    body: ({ n }) => JSON.stringify({ cardId: otherCard(n) }),
    learn: (body, its) => {
      its.known.text = its.known.text!.replace(/"cardId":\d+/, `"cardId":${otherCard(its.n)}`);
      return body === its.known.text;
    },
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
    body: () => JSON.stringify(GIFT_WRAP),
    writes: 1,
    learn: (body, its) => body === JSON.stringify({ itemId: Number(its.known.item), ...GIFT_WRAP }),
  },
  "DELETE /orders/{orderId}/items/{itemId}": { method: "DELETE", path: item, status: 204, removes: 1 },
};

export const options = optionsOf(params);
export default params.use_cases.length > 0 ? visit(params, steps) : iterate(params, operations);
export const handleSummary = (data: Parameters<typeof summarize>[1]) => summarize(params, data);
