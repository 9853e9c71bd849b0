package org.plumbline.domain.orders;

import java.math.BigDecimal;
import java.util.List;

/** An order as it stands on the wire, its items by id; the total with two decimals. */
public record OrderView(
        long id,
        long customerId,
        String customer,
        long cardId,
        long addressId,
        String shipTo,
        int discountPercent,
        BigDecimal total,
        List<ItemView> items) {}
