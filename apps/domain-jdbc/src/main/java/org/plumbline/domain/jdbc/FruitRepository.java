package org.plumbline.domain.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Sql;
import org.plumbline.domain.StoreView;
import org.plumbline.domain.jdbc.Statements.RowMapper;

/** Fruits first, then their prices, then the stores of these: three statements, on the connection of the caller. */
public final class FruitRepository {
    private static final String FRUITS = Sql.jdbc(Sql.FRUITS);
    private static final String FRUIT_BY_NAME = Sql.jdbc(Sql.FRUIT_BY_NAME);
    private static final String PRICES_OF_FRUITS = Sql.jdbc(Sql.PRICES_OF_FRUITS);
    private static final String STORES_BY_ID = Sql.jdbc(Sql.STORES_BY_ID);
    private static final String INSERT_FRUIT = Sql.jdbc(Sql.INSERT_FRUIT);

    private static final RowMapper<FruitRow> FRUIT =
            row -> new FruitRow(row.getLong(1), row.getString(2), row.getString(3));
    private static final RowMapper<PriceRow> PRICE =
            row -> new PriceRow(row.getLong(1), row.getLong(2), row.getBigDecimal(3));
    private static final RowMapper<StoreView> STORE = row -> new StoreView(
            row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5), row.getString(6));

    public List<FruitView> all(Connection connection) throws SQLException {
        return withPrices(connection, Statements.query(connection, FRUITS, FRUIT));
    }

    public Optional<FruitView> byName(Connection connection, String name) throws SQLException {
        return withPrices(connection, Statements.query(connection, FRUIT_BY_NAME, FRUIT, name)).stream()
                .findFirst();
    }

    public FruitView insert(Connection connection, NewFruit fruit) throws SQLException {
        long id = Statements.query(
                        connection, INSERT_FRUIT, row -> row.getLong(1), fruit.name(), fruit.description())
                .getFirst();
        return new FruitView(id, fruit.name(), fruit.description(), List.of());
    }

    private static List<FruitView> withPrices(Connection connection, List<FruitRow> fruits) throws SQLException {
        if (fruits.isEmpty()) {
            return List.of();
        }
        long[] ids = fruits.stream().mapToLong(FruitRow::id).toArray();
        List<PriceRow> prices = Statements.query(connection, PRICES_OF_FRUITS, PRICE, ids);
        return FruitRows.views(fruits, prices, prices.isEmpty() ? List.of() : storesOf(connection, prices));
    }

    private static List<StoreView> storesOf(Connection connection, List<PriceRow> prices) throws SQLException {
        long[] ids = prices.stream().mapToLong(PriceRow::storeId).distinct().toArray();
        return Statements.query(connection, STORES_BY_ID, STORE, ids);
    }
}
