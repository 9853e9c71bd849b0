package org.plumbline.app.fruits;

import io.micronaut.core.annotation.Introspected;
import java.math.BigDecimal;

/** A row of store_fruit_prices. */
@Introspected
public record PriceRow(Long fruitId, Long storeId, BigDecimal price) {}
