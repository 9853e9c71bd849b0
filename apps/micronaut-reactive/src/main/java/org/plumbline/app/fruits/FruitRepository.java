package org.plumbline.app.fruits;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Readable;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.util.List;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Sql;
import org.plumbline.domain.StoreView;
import reactor.core.publisher.Mono;

/** Fruits first, then their prices, then the stores of these: three statements, on the connection of the caller. */
@Singleton
public class FruitRepository {

    public Mono<List<FruitView>> all(Connection connection) {
        return Statements.query(connection, Sql.FRUITS, FruitRepository::fruit)
                .flatMap(fruits -> withPrices(connection, fruits));
    }

    /** Empty when no fruit has that name. */
    public Mono<FruitView> byName(Connection connection, String name) {
        return Statements.query(connection, Sql.FRUIT_BY_NAME, FruitRepository::fruit, name)
                .flatMap(fruits -> withPrices(connection, fruits))
                .flatMap(found -> Mono.justOrEmpty(found.stream().findFirst()));
    }

    public Mono<FruitView> insert(Connection connection, NewFruit fruit) {
        return Statements.query(
                        connection,
                        Sql.INSERT_FRUIT,
                        row -> row.get(0, Long.class),
                        fruit.name(),
                        fruit.description())
                .map(ids -> new FruitView(ids.getFirst(), fruit.name(), fruit.description(), List.of()));
    }

    private static Mono<List<FruitView>> withPrices(Connection connection, List<FruitRow> fruits) {
        if (fruits.isEmpty()) {
            return Mono.just(List.of());
        }
        Long[] ids = fruits.stream().map(FruitRow::id).toArray(Long[]::new);
        return Statements.query(connection, Sql.PRICES_OF_FRUITS, FruitRepository::price, (Object) ids)
                .flatMap(prices ->
                        storesOf(connection, prices).map(stores -> FruitRows.views(fruits, prices, stores)));
    }

    private static Mono<List<StoreView>> storesOf(Connection connection, List<PriceRow> prices) {
        if (prices.isEmpty()) {
            return Mono.just(List.of());
        }
        Long[] ids = prices.stream().map(PriceRow::storeId).distinct().toArray(Long[]::new);
        return Statements.query(connection, Sql.STORES_BY_ID, FruitRepository::store, (Object) ids);
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
