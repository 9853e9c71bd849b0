package org.plumbline.domain;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rows of the three tables, and how they become fruits on the wire: for variants that read them by SQL. */
public final class FruitRows {
    private FruitRows() {}

    public record FruitRow(long id, String name, String description) {}

    public record PriceRow(long fruitId, long storeId, BigDecimal price) {}

    /** Fruits and prices keep their order; every store of a price must be among the stores. */
    public static List<FruitView> views(List<FruitRow> fruits, List<PriceRow> prices, List<StoreView> stores) {
        Map<Long, StoreView> storesById = HashMap.newHashMap(stores.size());
        stores.forEach(store -> storesById.put(store.id(), store));
        Map<Long, List<PriceView>> pricesByFruit = HashMap.newHashMap(fruits.size());
        for (PriceRow row : prices) {
            pricesByFruit
                    .computeIfAbsent(row.fruitId(), id -> new ArrayList<>())
                    .add(new PriceView(storesById.get(row.storeId()), row.price()));
        }
        List<FruitView> views = new ArrayList<>(fruits.size());
        for (FruitRow row : fruits) {
            views.add(new FruitView(
                    row.id(), row.name(), row.description(), pricesByFruit.getOrDefault(row.id(), List.of())));
        }
        return views;
    }
}
