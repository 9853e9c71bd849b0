package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;

class FruitRowsTest {
    @Test
    void pricesGoToTheirFruitAndKeepTheirOrder() {
        StoreView york = new StoreView(2, "Mill", "GBP", "14 Bridge Street", "York", "United Kingdom");
        StoreView bonn = new StoreView(1, "Markt", "EUR", "Am Rhein 1", "Bonn", "Germany");
        List<FruitView> views = FruitRows.views(
                List.of(new FruitRows.FruitRow(5, "Apple", null), new FruitRows.FruitRow(6, "Sloe", "Tart")),
                List.of(
                        new FruitRows.PriceRow(5, 1, new BigDecimal("1.20")),
                        new FruitRows.PriceRow(5, 2, new BigDecimal("3.05"))),
                List.of(york, bonn));
        assertEquals(
                List.of(
                        new FruitView(
                                5,
                                "Apple",
                                null,
                                List.of(
                                        new PriceView(bonn, new BigDecimal("1.20")),
                                        new PriceView(york, new BigDecimal("3.05")))),
                        new FruitView(6, "Sloe", "Tart", List.of())),
                views);
    }
}
