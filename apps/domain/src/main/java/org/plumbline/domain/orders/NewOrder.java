package org.plumbline.domain.orders;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.plumbline.domain.Numbers;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** The body of {@code POST /orders}; any part may be null, as sent. */
public record NewOrder(Long customerId, Long cardId, Long addressId, List<Line> items) {
    public static final int MAX_ITEMS = 100;
    public static final int MAX_QUANTITY = 1000;

    /** One product and how many of it. */
    public record Line(Long productId, Integer quantity) {}

    /** Itself, or {@link Refused} with the 400 of the contract. */
    public NewOrder validated() {
        Numbers.require("customerId", customerId, Long.MAX_VALUE);
        Numbers.require("cardId", cardId, Long.MAX_VALUE);
        Numbers.require("addressId", addressId, Long.MAX_VALUE);
        if (items == null || items.isEmpty() || items.size() > MAX_ITEMS) {
            throw new Refused(Problem.badRequest("An order must have from 1 to " + MAX_ITEMS + " items."));
        }
        Set<Long> products = HashSet.newHashSet(items.size());
        for (Line line : items) {
            if (line == null) {
                throw new Refused(Problem.notAnObject());
            }
            Numbers.require("productId", line.productId(), Long.MAX_VALUE);
            Numbers.require("quantity", line.quantity(), MAX_QUANTITY);
            if (!products.add(line.productId())) {
                throw new Refused(Problem.badRequest("Product " + line.productId() + " is named twice."));
            }
        }
        return this;
    }

    /** The ids of its products in the order of its lines, joined by commas: the parameter of two of the sources. */
    public String productIds() {
        StringBuilder ids = new StringBuilder();
        for (Line line : items) {
            ids.append(ids.isEmpty() ? "" : ",").append(line.productId());
        }
        return ids.toString();
    }
}
