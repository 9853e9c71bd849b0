package org.plumbline.app.fruits;

import java.math.BigDecimal;
import java.util.List;

/** A fruit with its prices, as read. */
record Fruit(long id, String name, String description, List<Price> prices) {

    record Price(Store store, BigDecimal price) {}

    record Store(long id, String name, String currency, String address, String city, String country) {}
}
