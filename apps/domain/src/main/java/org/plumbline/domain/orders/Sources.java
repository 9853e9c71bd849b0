package org.plumbline.domain.orders;

import java.math.BigDecimal;
import java.util.List;

/** What the six sources of an order answer; unknown ids of the first three and of products are 404 there. */
public record Sources(
        Customer customer, Card card, Address address, List<Product> products, List<Stock> stock, Discount discount) {

    /** {@code GET /customers/{customerId}}. */
    public record Customer(long id, String name) {}

    /** {@code GET /cards/{cardId}}. */
    public record Card(long id, String brand, String lastFour) {}

    /** {@code GET /addresses/{addressId}}. */
    public record Address(long id, String street, String city, String country) {}

    /** An element of {@code GET /products?ids=1,2,3}, in the order asked for. */
    public record Product(long id, String name, BigDecimal price) {}

    /** An element of {@code GET /stock?ids=1,2,3}, in the order asked for. */
    public record Stock(long productId, int available) {}

    /** {@code GET /discounts/{customerId}}. */
    public record Discount(long customerId, int percent) {}
}
