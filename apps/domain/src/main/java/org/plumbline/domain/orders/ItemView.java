package org.plumbline.domain.orders;

import java.math.BigDecimal;

/** An item of an order as it stands on the wire; its id is that of the product, its price is of one piece. */
public record ItemView(long itemId, String name, int quantity, BigDecimal price) {}
