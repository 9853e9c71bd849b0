package org.plumbline.app.fruits;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Sql;
import org.plumbline.domain.vertx.Rows;

/** Fruits first, then their prices, then the stores of these: three statements, on the connection of the caller. */
public final class FruitRepository {

    public Future<List<FruitView>> findAll(SqlConnection connection) {
        return connection
                .preparedQuery(Sql.FRUITS)
                .mapping(Rows::fruit)
                .execute()
                .compose(fruits -> withPrices(connection, Rows.list(fruits)));
    }

    /** A list of one, or empty. */
    public Future<List<FruitView>> findByName(SqlConnection connection, String name) {
        return connection
                .preparedQuery(Sql.FRUIT_BY_NAME)
                .mapping(Rows::fruit)
                .execute(Tuple.of(name))
                .compose(fruits -> withPrices(connection, Rows.list(fruits)));
    }

    public Future<FruitView> insert(SqlConnection connection, NewFruit fruit) {
        return connection
                .preparedQuery(Sql.INSERT_FRUIT)
                .execute(Tuple.of(fruit.name(), fruit.description()))
                .map(rows -> new FruitView(
                        rows.iterator().next().getLong(0), fruit.name(), fruit.description(), List.of()));
    }

    private static Future<List<FruitView>> withPrices(SqlConnection connection, List<FruitRow> fruits) {
        if (fruits.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return connection
                .preparedQuery(Sql.PRICES_OF_FRUITS)
                .mapping(Rows::price)
                .execute(Tuple.of(fruits.stream().map(FruitRow::id).toArray(Long[]::new)))
                .compose(prices -> withStores(connection, fruits, Rows.list(prices)));
    }

    private static Future<List<FruitView>> withStores(
            SqlConnection connection, List<FruitRow> fruits, List<PriceRow> prices) {
        if (prices.isEmpty()) {
            return Future.succeededFuture(FruitRows.views(fruits, prices, List.of()));
        }
        return connection
                .preparedQuery(Sql.STORES_BY_ID)
                .mapping(Rows::store)
                .execute(Tuple.of(prices.stream().map(PriceRow::storeId).distinct().toArray(Long[]::new)))
                .map(stores -> FruitRows.views(fruits, prices, Rows.list(stores)));
    }
}
