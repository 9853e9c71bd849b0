package org.plumbline.app.fruits;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
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
public final class FruitRepository {

    public List<FruitView> findAll(SqlConnection connection) {
        return withPrices(
                connection,
                list(connection
                        .preparedQuery(Sql.FRUITS)
                        .mapping(FruitRepository::fruit)
                        .execute()
                        .await()));
    }

    /** A list of one, or empty. */
    public List<FruitView> findByName(SqlConnection connection, String name) {
        return withPrices(
                connection,
                list(connection
                        .preparedQuery(Sql.FRUIT_BY_NAME)
                        .mapping(FruitRepository::fruit)
                        .execute(Tuple.of(name))
                        .await()));
    }

    public FruitView insert(SqlConnection connection, NewFruit fruit) {
        RowSet<Row> rows = connection
                .preparedQuery(Sql.INSERT_FRUIT)
                .execute(Tuple.of(fruit.name(), fruit.description()))
                .await();
        return new FruitView(rows.iterator().next().getLong(0), fruit.name(), fruit.description(), List.of());
    }

    private static List<FruitView> withPrices(SqlConnection connection, List<FruitRow> fruits) {
        if (fruits.isEmpty()) {
            return List.of();
        }
        List<PriceRow> prices = list(connection
                .preparedQuery(Sql.PRICES_OF_FRUITS)
                .mapping(FruitRepository::price)
                .execute(Tuple.of(fruits.stream().map(FruitRow::id).toArray(Long[]::new)))
                .await());
        return FruitRows.views(fruits, prices, stores(connection, prices));
    }

    private static List<StoreView> stores(SqlConnection connection, List<PriceRow> prices) {
        if (prices.isEmpty()) {
            return List.of();
        }
        return list(connection
                .preparedQuery(Sql.STORES_BY_ID)
                .mapping(FruitRepository::store)
                .execute(Tuple.of(prices.stream().map(PriceRow::storeId).distinct().toArray(Long[]::new)))
                .await());
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
