package org.plumbline.app.fruits;

import io.r2dbc.spi.Parameters;
import io.r2dbc.spi.R2dbcType;
import io.r2dbc.spi.Readable;
import java.math.BigDecimal;
import java.util.List;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.StoreView;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Repository;
import reactor.core.publisher.Mono;

/** Fruits first, then their prices, then the stores of these: three statements, in the transaction of the caller. */
@Repository
public class FruitRepository {
    private final DatabaseClient database;

    FruitRepository(DatabaseClient database) {
        this.database = database;
    }

    public Mono<List<FruitView>> all() {
        return FruitStatements.all(database)
                .map(FruitRepository::fruit)
                .all()
                .collectList()
                .flatMap(this::withPrices);
    }

    /** Empty when no fruit has that name. */
    public Mono<FruitView> byName(String name) {
        return FruitStatements.byName(database, name)
                .map(FruitRepository::fruit)
                .all()
                .collectList()
                .flatMap(this::withPrices)
                .flatMap(found -> Mono.justOrEmpty(found.stream().findFirst()));
    }

    public Mono<FruitView> insert(NewFruit fruit) {
        return FruitStatements.insert(database)
                .bind(0, fruit.name())
                .bind(1, Parameters.in(R2dbcType.VARCHAR, fruit.description()))
                .map(row -> new FruitView(row.get(0, Long.class), fruit.name(), fruit.description(), List.of()))
                .one();
    }

    private Mono<List<FruitView>> withPrices(List<FruitRow> fruits) {
        if (fruits.isEmpty()) {
            return Mono.just(List.of());
        }
        return FruitStatements.pricesOf(database, fruits.stream().map(FruitRow::id).toList())
                .map(FruitRepository::price)
                .all()
                .collectList()
                .flatMap(prices -> storesOf(prices).map(stores -> FruitRows.views(fruits, prices, stores)));
    }

    private Mono<List<StoreView>> storesOf(List<PriceRow> prices) {
        if (prices.isEmpty()) {
            return Mono.just(List.of());
        }
        List<Long> ids = prices.stream().map(PriceRow::storeId).distinct().toList();
        return FruitStatements.stores(database, ids)
                .map(FruitRepository::store)
                .all()
                .collectList();
    }

    private static FruitRow fruit(Readable row) {
        return new FruitRow(row.get(0, Long.class), row.get(1, String.class), row.get(2, String.class));
    }

    private static PriceRow price(Readable row) {
        return new PriceRow(row.get(0, Long.class), row.get(1, Long.class), row.get(2, BigDecimal.class));
    }

    private static StoreView store(Readable row) {
        return new StoreView(
                row.get(0, Long.class),
                row.get(1, String.class),
                row.get(2, String.class),
                row.get(3, String.class),
                row.get(4, String.class),
                row.get(5, String.class));
    }
}
