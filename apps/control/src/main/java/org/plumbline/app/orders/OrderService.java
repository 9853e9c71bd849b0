package org.plumbline.app.orders;

import java.sql.SQLException;
import java.util.List;
import org.plumbline.app.orders.OrderRepository.Item;
import org.plumbline.app.orders.OrderRepository.Order;
import org.plumbline.app.plumbing.Pool;

/** One transaction an operation. */
public final class OrderService {
    private final Pool pool;
    private final OrderRepository orders;

    public OrderService(Pool pool, OrderRepository orders) {
        this.pool = pool;
        this.orders = orders;
    }

    List<Order> newest() throws SQLException, InterruptedException {
        return pool.reading(orders::newest);
    }

    /** A list of one, or empty. */
    List<Order> withId(long id) throws SQLException, InterruptedException {
        return pool.reading(connection -> orders.findById(connection, id));
    }

    /** A list of one, or empty. */
    List<Item> item(long orderId, long itemId) throws SQLException, InterruptedException {
        return pool.reading(connection -> orders.findItem(connection, orderId, itemId));
    }
}
