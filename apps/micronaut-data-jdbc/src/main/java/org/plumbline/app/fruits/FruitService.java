package org.plumbline.app.fruits;

import io.micronaut.data.exceptions.DataAccessException;
import io.micronaut.transaction.annotation.ReadOnly;
import io.micronaut.transaction.annotation.Transactional;
import jakarta.inject.Singleton;
import java.util.List;
import org.plumbline.app.plumbing.Duplicates;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.StoreView;

/** One transaction an operation. */
@Singleton
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    @ReadOnly
    public List<FruitView> all() {
        return withPrices(fruits.all());
    }

    @ReadOnly
    public FruitView byName(String name) {
        return fruits.byName(name)
                .map(fruit -> withPrices(List.of(fruit)).getFirst())
                .orElseThrow(() -> new Refused(Problem.noSuchFruit(name)));
    }

    /** The name is refused when the unique constraint says so. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            FruitRow stored = fruits.save(new FruitRow(null, fruit.name(), fruit.description()));
            return new FruitView(stored.id(), stored.name(), stored.description(), List.of());
        } catch (DataAccessException failed) {
            throw Duplicates.isDuplicate(failed) ? new Refused(Problem.fruitExists(fruit.name())) : failed;
        }
    }

    /** Fruits first, then their prices, then the stores of these: three statements. */
    private List<FruitView> withPrices(List<FruitRow> rows) {
        if (rows.isEmpty()) {
            return List.of();
        }
        List<PriceRow> prices = fruits.prices(rows.stream().map(FruitRow::id).toArray(Long[]::new));
        List<StoreRow> stores = prices.isEmpty()
                ? List.of()
                : fruits.stores(prices.stream().map(PriceRow::storeId).distinct().toArray(Long[]::new));
        return FruitRows.views(
                rows.stream()
                        .map(row -> new FruitRows.FruitRow(row.id(), row.name(), row.description()))
                        .toList(),
                prices.stream()
                        .map(row -> new FruitRows.PriceRow(row.fruitId(), row.storeId(), row.price()))
                        .toList(),
                stores.stream()
                        .map(row -> new StoreView(
                                row.id(), row.name(), row.currency(), row.address(), row.city(), row.country()))
                        .toList());
    }
}
