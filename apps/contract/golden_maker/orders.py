"""The workload orders: the arithmetic of sql/*/rows.sql, and of the stub's six sources, which is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from .probe import Maker, Probe, quoted

ORDERS = 10_000
PAGE = 10
# The stub knows the ids from 1 to this one; every hundredth product from 99 on is out of stock.
KNOWN_IDS = 10_000
_MAX_LONG = 2**63 - 1


def price_of(product: int) -> Decimal:
    return Decimal(100 + product * 37 % 9900) / 100


def discount_of(customer: int) -> int:
    return customer % 5 * 5


@dataclass(frozen=True)
class Item:
    """A product in an order."""

    product: int
    quantity: int
    name: str | None = None
    price: Decimal | None = None

    @property
    def cost(self) -> Decimal:
        return self.price if self.price is not None else price_of(self.product)

    def line_total(self, percent: int) -> Decimal:
        return (self.cost * self.quantity * (100 - percent) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)

    def json(self) -> str:
        name = self.name or f"Product {self.product}"
        return f'{{"itemId":{self.product},"name":{quoted(name)},"quantity":{self.quantity},"price":{self.cost:.2f}}}'


@dataclass(frozen=True)
class Order:
    """A stored order."""

    id: int
    customer: int
    card: int
    address: int
    items: tuple[Item, ...]

    def items_json(self) -> str:
        return "[" + ",".join(item.json() for item in sorted(self.items, key=lambda item: item.product)) + "]"

    def json(self) -> str:
        percent = discount_of(self.customer)
        total = sum((item.line_total(percent) for item in self.items), Decimal(0))
        return (
            f'{{"id":{self.id},"customerId":{self.customer},"customer":"Customer {self.customer}",'
            f'"cardId":{self.card},"addressId":{self.address},'
            f'"shipTo":"{self.address} Elm Street, York, United Kingdom",'
            f'"discountPercent":{percent},"total":{total:.2f},"items":{self.items_json()}}}'
        )

    def request(self) -> str:
        lines = ",".join(f'{{"productId":{item.product},"quantity":{item.quantity}}}' for item in self.items)
        return f'{{"customerId":{self.customer},"cardId":{self.card},"addressId":{self.address},"items":[{lines}]}}'


def seeded(number: int) -> Order:
    """Return order `number` of the seed, counted from 1."""
    items = tuple(Item(1 + (number * 3 + k) % 1000, 1 + (number + k) % 4) for k in range(1 + number % 3))
    return Order(number, 1 + number % 1000, 1 + number % 500, 1 + number % 700, items)


def probes() -> Iterator[Probe]:
    """Yield reads, then writes that build on each other."""
    make = Maker("orders")
    first_order = seeded(1)
    (first_item, other_item) = first_order.items
    yield make.ok("order-first", "/orders/1", first_order.json())
    yield make.ok("order-three-items", "/orders/5", seeded(5).json())
    newest = range(ORDERS, ORDERS - PAGE, -1)
    yield make.ok("orders-newest", "/orders", "[" + ",".join(seeded(number).json() for number in newest) + "]")
    yield make.ok("order-items", "/orders/1/items", first_order.items_json())
    yield make.ok("order-item", f"/orders/1/items/{other_item.product}", other_item.json())
    for name, number in (("no-order", "99999999"), ("order-no-number", "abc")):
        yield make.problem(name, f"/orders/{number}", 404, f"No order has the id {number}.")
    yield make.problem("no-order-items", "/orders/99999999/items", 404, "No order has the id 99999999.")
    yield make.problem("no-item", "/orders/1/items/999", 404, "Order 1 has no item 999.")
    yield make.problem("item-no-number", "/orders/1/items/abc", 404, "Order 1 has no item abc.")
    yield make.problem("no-order-item", "/orders/99999999/items/1", 404, "Order 99999999 has no item 1.")
    yield from creations(make)
    yield from changes(make, first_order, first_item)


def creations(make: Maker) -> Iterator[Probe]:
    """Yield POST /orders: what the six sources answer, and what they or the rules refuse."""
    new = Order(ORDERS + 1, 17, 4, 9, (Item(12, 3), Item(7, 1), Item(42, 2)))
    yield make.written("order-created", "/orders", new.request(), 201, new.json())
    yield make.ok("order-there", f"/orders/{new.id}", new.json(), golden="order-created.json", part="write")
    number = f"must be a whole number from 1 to {_MAX_LONG}."
    good = '"cardId":4,"addressId":9'
    line = '{"productId":12,"quantity":1}'
    many = "An order must have from 1 to 100 items."
    for name, request, detail in (
        ("order-no-customer", f'{{{good},"items":[{line}]}}', f"The customerId {number}"),
        ("order-no-card", f'{{"customerId":17,"addressId":9,"items":[{line}]}}', f"The cardId {number}"),
        ("order-no-address", f'{{"customerId":17,"cardId":4,"items":[{line}]}}', f"The addressId {number}"),
        ("order-customer-zero", f'{{"customerId":0,{good},"items":[{line}]}}', f"The customerId {number}"),
        ("order-items-missing", f'{{"customerId":17,{good}}}', many),
        ("order-items-none", f'{{"customerId":17,{good},"items":[]}}', many),
        (
            "order-quantity-zero",
            f'{{"customerId":17,{good},"items":[{{"productId":12,"quantity":0}}]}}',
            "The quantity must be a whole number from 1 to 1000.",
        ),
        ("order-twice", f'{{"customerId":17,{good},"items":[{line},{line}]}}', "Product 12 is named twice."),
        (
            "order-customer-unknown",
            f'{{"customerId":10001,{good},"items":[{line}]}}',
            "No customer has the id 10001.",
        ),
        (
            "order-card-unknown",
            f'{{"customerId":17,"cardId":10001,"addressId":9,"items":[{line}]}}',
            "No card has the id 10001.",
        ),
        (
            "order-address-unknown",
            f'{{"customerId":17,"cardId":4,"addressId":10001,"items":[{line}]}}',
            "No address has the id 10001.",
        ),
        (
            "order-product-unknown",
            f'{{"customerId":17,{good},"items":[{{"productId":10001,"quantity":1}}]}}',
            "One of the products 10001 is unknown.",
        ),
        (
            "order-two-unknown",
            f'{{"customerId":17,"cardId":10001,"addressId":10001,"items":[{line}]}}',
            "No card has the id 10001.",
        ),
    ):
        yield make.refused(name, "/orders", request, 400, detail)
    none_left = f'{{"customerId":17,{good},"items":[{{"productId":99,"quantity":1}}]}}'
    yield make.refused("order-out-of-stock", "/orders", none_left, 409, "Only 0 of product 99 are in stock.")
    yield from make.no_bodies("order-", "/orders", f'{{"customerId":17,{good}')


def changes(make: Maker, order: Order, first_item: Item) -> Iterator[Probe]:
    """Yield PUT and DELETE of an order; POST and DELETE of its items."""
    paid = replace(order, card=77)
    yield make.written("order-paid", "/orders/1", '{"cardId":77}', 200, paid.json(), method="PUT")
    no_card = f"The cardId must be a whole number from 1 to {_MAX_LONG}."
    yield make.refused("order-paid-by-none", "/orders/1", "{}", 400, no_card, method="PUT")
    no_order = "No order has the id 99999999."
    yield make.refused("no-order-paid", "/orders/99999999", '{"cardId":77}', 404, no_order, method="PUT")
    yield from make.no_bodies("paid-", "/orders/1", '{"cardId":77', method="PUT")

    added = Item(500, 2, "Gift wrap", Decimal("3.05"))
    request = '{"name":"Gift wrap","quantity":2,"price":3.05}'
    yield make.written("item-added", "/orders/1/items/500", request, 201, added.json())
    fuller = replace(paid, items=(*paid.items, added))
    yield make.ok("order-fuller", "/orders/1", fuller.json(), part="write")
    yield make.refused("item-exists", "/orders/1/items/500", request, 409, "Order 1 has an item 500 already.")
    yield make.refused("no-order-added", "/orders/99999999/items/500", request, 404, no_order)
    for name, body, detail in (
        ("item-name-blank", '{"name":" ","quantity":2,"price":3.05}', "The name must not be blank."),
        (
            "item-quantity",
            '{"name":"Gift","quantity":1001,"price":3.05}',
            "The quantity must be a whole number from 1 to 1000.",
        ),
        (
            "item-price",
            '{"name":"Gift","quantity":1,"price":-1}',
            "The price must be a number from 0 to 100000.",
        ),
    ):
        yield make.refused(name, "/orders/1/items/501", body, 400, detail)
    yield from make.no_bodies("item-", "/orders/1/items/502", '{"name":"Gift"')

    def deleted(name: str, path: str) -> Probe:
        return Probe(name, "orders", "write", "DELETE", path, 204, None, "nothing.txt", b"")

    yield deleted("item-deleted", f"/orders/1/items/{first_item.product}")
    fewer = replace(fuller, items=fuller.items[1:])
    yield make.ok("order-fewer", "/orders/1", fewer.json(), part="write")
    missing = f"Order 1 has no item {first_item.product}."
    path = f"/orders/1/items/{first_item.product}"
    yield make.refused("item-deleted-again", path, None, 404, missing, method="DELETE")
    free = Item(500, 2, "Gift wrap", Decimal("0.00"))
    request = '{"name":"Gift wrap","quantity":2,"price":1e-500000000}'
    yield make.written("item-of-no-cent", "/orders/3/items/500", request, 201, free.json())
    yield deleted("order-deleted", "/orders/2")
    yield make.problem("order-gone", "/orders/2", 404, "No order has the id 2.", part="write")
    yield make.refused("order-deleted-again", "/orders/2", None, 404, "No order has the id 2.", method="DELETE")
