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
    private static final BigDecimal ZERO = new BigDecimal("0.00");
    private static final BigDecimal HALF_A_CENT = new BigDecimal("0.005");

    /** Itself with the price in cents, or {@link Refused} with the 400 of the contract. */
    public NewItem validated() {
        Texts.requireName(name);
        Numbers.require("quantity", quantity, NewOrder.MAX_QUANTITY);
        if (price == null || price.signum() < 0 || price.compareTo(MAX_PRICE) > 0) {
            throw new Refused(Problem.badRequest("The price must be a number from 0 to 100000."));
        }
        return new NewItem(name, quantity, cents(price));
    }

    /** Less than half a cent is compared first: of 1e-500000000 {@code setScale} would work out all the digits. */
    private static BigDecimal cents(BigDecimal price) {
        return price.compareTo(HALF_A_CENT) < 0 ? ZERO : price.setScale(2, RoundingMode.HALF_UP);
    }
}
