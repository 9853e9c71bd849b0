package org.plumbline.app.orders;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Orders first, then their items: two statements, on the connection of the caller. */
public final class OrderRepository {
    private static final String COLUMNS =
            "id, customer_id, customer, card_id, address_id, ship_to, discount_percent, total";
    private static final String NEWEST = "SELECT " + COLUMNS + " FROM orders ORDER BY id DESC LIMIT 10";
    private static final String BY_ID = "SELECT " + COLUMNS + " FROM orders WHERE id = ?";
    private static final String ITEM =
            "SELECT order_id, item_id, name, quantity, price FROM order_items WHERE order_id = ? AND item_id = ?";

    record Order(
            long id,
            long customerId,
            String customer,
            long cardId,
            long addressId,
            String shipTo,
            int discountPercent,
            BigDecimal total,
            List<Item> items) {}

    record Item(long itemId, String name, int quantity, BigDecimal price) {}

    List<Order> newest(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(NEWEST)) {
            return withItems(connection, orders(statement));
        }
    }

    /** A list of one, or empty. */
    List<Order> findById(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(BY_ID)) {
            statement.setLong(1, id);
            return withItems(connection, orders(statement));
        }
    }

    /** A list of one, or empty. */
    List<Item> findItem(Connection connection, long orderId, long itemId) throws SQLException {
        List<Item> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(ITEM)) {
            statement.setLong(1, orderId);
            statement.setLong(2, itemId);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(item(row));
                }
            }
        }
        return found;
    }

    private static List<Order> orders(PreparedStatement statement) throws SQLException {
        List<Order> orders = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                orders.add(new Order(
                        row.getLong(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getString(6),
                        row.getInt(7),
                        row.getBigDecimal(8),
                        new ArrayList<>()));
            }
        }
        return orders;
    }

    private static List<Order> withItems(Connection connection, List<Order> orders) throws SQLException {
        if (orders.isEmpty()) {
            return orders;
        }
        Map<Long, Order> ordersById = HashMap.newHashMap(orders.size());
        orders.forEach(order -> ordersById.put(order.id(), order));
        // A marker for each, which both databases take.
        String markers = orders.stream().map(order -> "?").collect(Collectors.joining(", "));
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT order_id, item_id, name, quantity, price FROM order_items WHERE order_id IN (" + markers
                        + ") ORDER BY order_id, item_id")) {
            for (int i = 0; i < orders.size(); i++) {
                statement.setLong(i + 1, orders.get(i).id());
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    ordersById.get(row.getLong(1)).items().add(item(row));
                }
            }
        }
        return orders;
    }

    private static Item item(ResultSet row) throws SQLException {
        return new Item(row.getLong(2), row.getString(3), row.getInt(4), row.getBigDecimal(5));
    }
}
