package org.plumbline.app.fruits;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Sql;
import org.plumbline.domain.StoreView;
import org.plumbline.domain.vertx.Rows;

/** Fruits first, then their prices, then the stores of these: three statements, on the connection of the caller. */
public final class FruitRepository {

    public List<FruitView> findAll(SqlConnection connection) {
        return withPrices(
                connection,
                Rows.list(connection
                        .preparedQuery(Sql.FRUITS)
                        .mapping(Rows::fruit)
                        .execute()
                        .await()));
    }

    /** A list of one, or empty. */
    public List<FruitView> findByName(SqlConnection connection, String name) {
        return withPrices(
                connection,
                Rows.list(connection
                        .preparedQuery(Sql.FRUIT_BY_NAME)
                        .mapping(Rows::fruit)
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
        List<PriceRow> prices = Rows.list(connection
                .preparedQuery(Sql.PRICES_OF_FRUITS)
                .mapping(Rows::price)
                .execute(Tuple.of(fruits.stream().map(FruitRow::id).toArray(Long[]::new)))
                .await());
        return FruitRows.views(fruits, prices, stores(connection, prices));
    }

    private static List<StoreView> stores(SqlConnection connection, List<PriceRow> prices) {
        if (prices.isEmpty()) {
            return List.of();
        }
        return Rows.list(connection
                .preparedQuery(Sql.STORES_BY_ID)
                .mapping(Rows::store)
                .execute(Tuple.of(prices.stream().map(PriceRow::storeId).distinct().toArray(Long[]::new)))
                .await());
    }
}
