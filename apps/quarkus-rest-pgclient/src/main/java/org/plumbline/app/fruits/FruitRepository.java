package org.plumbline.app.fruits;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Sql;
import org.plumbline.domain.StoreView;

/** Fruits first, then their prices, then the stores of these: three statements, on the connection of the caller. */
@ApplicationScoped
public class FruitRepository {

    Uni<List<FruitView>> all(SqlConnection connection) {
        return connection
                .preparedQuery(Sql.FRUITS)
                .mapping(FruitRepository::fruit)
                .execute()
                .chain(fruits -> withPrices(connection, list(fruits)));
    }

    /** A list of one, or empty. */
    Uni<List<FruitView>> byName(SqlConnection connection, String name) {
        return connection
                .preparedQuery(Sql.FRUIT_BY_NAME)
                .mapping(FruitRepository::fruit)
                .execute(Tuple.of(name))
                .chain(fruits -> withPrices(connection, list(fruits)));
    }

    Uni<FruitView> insert(SqlConnection connection, NewFruit fruit) {
        return connection
                .preparedQuery(Sql.INSERT_FRUIT)
                .execute(Tuple.of(fruit.name(), fruit.description()))
                .map(rows -> new FruitView(
                        rows.iterator().next().getLong(0), fruit.name(), fruit.description(), List.of()));
    }

    private static Uni<List<FruitView>> withPrices(SqlConnection connection, List<FruitRow> fruits) {
        if (fruits.isEmpty()) {
            return Uni.createFrom().item(List.of());
        }
        return connection
                .preparedQuery(Sql.PRICES_OF_FRUITS)
                .mapping(FruitRepository::price)
                .execute(Tuple.of(fruits.stream().map(FruitRow::id).toArray(Long[]::new)))
                .chain(prices -> withStores(connection, fruits, list(prices)));
    }

    private static Uni<List<FruitView>> withStores(
            SqlConnection connection, List<FruitRow> fruits, List<PriceRow> prices) {
        if (prices.isEmpty()) {
            return Uni.createFrom().item(FruitRows.views(fruits, prices, List.of()));
        }
        return connection
                .preparedQuery(Sql.STORES_BY_ID)
                .mapping(FruitRepository::store)
                .execute(Tuple.of(prices.stream().map(PriceRow::storeId).distinct().toArray(Long[]::new)))
                .map(stores -> FruitRows.views(fruits, prices, list(stores)));
    }

    private static FruitRow fruit(Row row) {
        return new FruitRow(row.getLong(0), row.getString(1), row.getString(2));
    }

    private static PriceRow price(Row row) {
        return new PriceRow(row.getLong(0), row.getLong(1), row.getBigDecimal(2));
    }

    private static StoreView store(Row row) {
        return new StoreView(
                row.getLong(0),
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5));
    }

    private static <T> List<T> list(RowSet<T> rows) {
        List<T> list = new ArrayList<>(rows.size());
        rows.forEach(list::add);
        return list;
    }
}
