package org.plumbline.domain;

import java.math.BigDecimal;

/** What a store asks for a fruit, in the store's currency, with two decimals. */
public record PriceView(StoreView store, BigDecimal price) {}
