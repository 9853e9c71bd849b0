package org.plumbline.app.fruits;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fruits first, then their prices, then the stores of these: three statements, on the connection of the caller. */
public final class FruitRepository {
    private static final String FRUITS = "SELECT id, name, description FROM fruits ORDER BY id";
    private static final String FRUIT_BY_NAME = "SELECT id, name, description FROM fruits WHERE name = ?";
    private static final String PRICES_OF_FRUITS = "SELECT fruit_id, store_id, price FROM store_fruit_prices"
            + " WHERE fruit_id IN (%s) ORDER BY fruit_id, store_id";
    private static final String STORES_BY_ID =
            "SELECT id, name, currency, address, city, country FROM stores WHERE id IN (%s)";

    private record PriceRow(long fruitId, long storeId, BigDecimal price) {}

    List<Fruit> findAll(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FRUITS)) {
            return withPrices(connection, fruits(statement));
        }
    }

    List<Fruit> findByName(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FRUIT_BY_NAME)) {
            statement.setString(1, name);
            return withPrices(connection, fruits(statement));
        }
    }

    private static List<Fruit> fruits(PreparedStatement statement) throws SQLException {
        List<Fruit> fruits = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                fruits.add(new Fruit(rows.getLong(1), rows.getString(2), rows.getString(3), new ArrayList<>()));
            }
        }
        return fruits;
    }

    private static List<Fruit> withPrices(Connection connection, List<Fruit> fruits) throws SQLException {
        if (fruits.isEmpty()) {
            return fruits;
        }
        Map<Long, Fruit> fruitsById = HashMap.newHashMap(fruits.size());
        fruits.forEach(fruit -> fruitsById.put(fruit.id(), fruit));
        List<PriceRow> prices = prices(connection, fruitsById.keySet().toArray(Long[]::new));
        Long[] storeIds = prices.stream().map(PriceRow::storeId).distinct().toArray(Long[]::new);
        Map<Long, Fruit.Store> storesById = storeIds.length == 0 ? Map.of() : stores(connection, storeIds);
        for (PriceRow row : prices) {
            fruitsById.get(row.fruitId()).prices().add(new Fruit.Price(storesById.get(row.storeId()), row.price()));
        }
        return fruits;
    }

    private static List<PriceRow> prices(Connection connection, Long[] fruitIds) throws SQLException {
        List<PriceRow> prices = new ArrayList<>();
        try (PreparedStatement statement = withIds(connection, PRICES_OF_FRUITS, fruitIds)) {
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    prices.add(new PriceRow(rows.getLong(1), rows.getLong(2), rows.getBigDecimal(3)));
                }
            }
        }
        return prices;
    }

    private static Map<Long, Fruit.Store> stores(Connection connection, Long[] storeIds) throws SQLException {
        Map<Long, Fruit.Store> stores = HashMap.newHashMap(storeIds.length);
        try (PreparedStatement statement = withIds(connection, STORES_BY_ID, storeIds)) {
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Fruit.Store store = new Fruit.Store(
                            rows.getLong(1),
                            rows.getString(2),
                            rows.getString(3),
                            rows.getString(4),
                            rows.getString(5),
                            rows.getString(6));
                    stores.put(store.id(), store);
                }
            }
        }
        return stores;
    }

    /** A marker for each id, which both databases take. */
    private static PreparedStatement withIds(Connection connection, String sql, Long[] ids) throws SQLException {
        String markers = String.join(", ", Collections.nCopies(ids.length, "?"));
        PreparedStatement statement = connection.prepareStatement(sql.formatted(markers));
        for (int i = 0; i < ids.length; i++) {
            statement.setLong(i + 1, ids[i]);
        }
        return statement;
    }
}
