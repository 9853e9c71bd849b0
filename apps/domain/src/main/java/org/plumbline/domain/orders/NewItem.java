package org.plumbline.domain.orders;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.plumbline.domain.Numbers;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Texts;

/** The body of {@code POST /orders/{orderId}/items/{itemId}}; any part may be null, as sent. */
public record NewItem(String name, Integer quantity, BigDecimal price) {
    private static final BigDecimal MAX_PRICE = new BigDecimal("100000.00");

    /** Itself with the price in cents, or {@link Refused} with the 400 of the contract. */
    public NewItem validated() {
        Texts.requireName(name);
        Numbers.require("quantity", quantity, NewOrder.MAX_QUANTITY);
        if (price == null || price.signum() < 0 || price.compareTo(MAX_PRICE) > 0) {
            throw new Refused(Problem.badRequest("The price must be a number from 0 to 100000."));
        }
        return new NewItem(name, quantity, price.setScale(2, RoundingMode.HALF_UP));
    }
}
