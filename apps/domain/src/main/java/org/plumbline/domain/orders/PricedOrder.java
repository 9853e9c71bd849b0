package org.plumbline.domain.orders;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** An order with all that the six sources say of it, ready to be stored; items by id. */
public record PricedOrder(
        long customerId,
        String customer,
        long cardId,
        long addressId,
        String shipTo,
        int discountPercent,
        BigDecimal total,
        List<ItemView> items) {

    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    /** Sums the total, or throws {@link Refused} with a 409 when there is too little of a product. */
    public static PricedOrder of(NewOrder order, Sources sources) {
        List<ItemView> items = new ArrayList<>(order.items().size());
        BigDecimal total = BigDecimal.ZERO.setScale(2);
        int percent = sources.discount().percent();
        for (int i = 0; i < order.items().size(); i++) {
            NewOrder.Line line = order.items().get(i);
            Sources.Product product = sources.products().get(i);
            int available = sources.stock().get(i).available();
            if (available < line.quantity()) {
                throw new Refused(
                        Problem.conflict("Only " + available + " of product " + product.id() + " are in stock."));
            }
            BigDecimal price = product.price().setScale(2, RoundingMode.HALF_UP);
            items.add(new ItemView(product.id(), product.name(), line.quantity(), price));
            total = total.add(lineTotal(price, line.quantity(), percent));
        }
        items.sort((one, other) -> Long.compare(one.itemId(), other.itemId()));
        Sources.Address address = sources.address();
        return new PricedOrder(
                order.customerId(),
                sources.customer().name(),
                order.cardId(),
                order.addressId(),
                address.street() + ", " + address.city() + ", " + address.country(),
                percent,
                total,
                List.copyOf(items));
    }

    /** What a line costs: rounded by itself, so that totals can be added to and subtracted from. */
    public static BigDecimal lineTotal(BigDecimal price, int quantity, int discountPercent) {
        return price.multiply(BigDecimal.valueOf(quantity))
                .multiply(BigDecimal.valueOf(100L - discountPercent))
                .divide(HUNDRED, 2, RoundingMode.HALF_UP);
    }
}
