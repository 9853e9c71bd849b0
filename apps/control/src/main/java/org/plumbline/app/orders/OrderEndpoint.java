package org.plumbline.app.orders;

import java.sql.SQLException;
import java.util.List;
import org.plumbline.app.orders.OrderRepository.Item;
import org.plumbline.app.orders.OrderRepository.Order;
import org.plumbline.app.plumbing.Answer;
import org.plumbline.app.plumbing.Json;
import org.plumbline.app.plumbing.Problems;

/** Routes of the read part of the workload orders. */
public final class OrderEndpoint {
    private final OrderService orders;

    public OrderEndpoint(OrderService orders) {
        this.orders = orders;
    }

    public Answer newest() throws SQLException, InterruptedException {
        Json json = new Json();
        json.list(orders.newest(), order -> write(json, order));
        return Answer.json(json);
    }

    /** What stands behind {@code /orders/}: an order, its items, or one of them. */
    public Answer below(String path) throws SQLException, InterruptedException {
        String[] parts = path.split("/", -1);
        if (parts.length > 1 && !parts[1].equals("items") || parts.length > 3) {
            return Problems.noPath();
        }
        return parts.length == 3 ? item(parts[0], parts[2]) : order(parts[0], parts.length == 2);
    }

    private Answer order(String id, boolean itemsAlone) throws SQLException, InterruptedException {
        List<Order> found = isNumber(id) ? orders.withId(Long.parseLong(id)) : List.of();
        if (found.isEmpty()) {
            return Problems.notFound("No order has the id " + id + ".");
        }
        Json json = new Json();
        if (itemsAlone) {
            json.list(found.getFirst().items(), item -> write(json, item));
        } else {
            write(json, found.getFirst());
        }
        return Answer.json(json);
    }

    private Answer item(String id, String itemId) throws SQLException, InterruptedException {
        List<Item> found = isNumber(id) && isNumber(itemId)
                ? orders.item(Long.parseLong(id), Long.parseLong(itemId))
                : List.of();
        if (found.isEmpty()) {
            return Problems.notFound("Order " + id + " has no item " + itemId + ".");
        }
        Json json = new Json();
        write(json, found.getFirst());
        return Answer.json(json);
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,18}");
    }

    private static void write(Json json, Order order) {
        json.raw("{\"id\":").number(order.id());
        json.raw(",\"customerId\":").number(order.customerId());
        json.raw(",\"customer\":").text(order.customer());
        json.raw(",\"cardId\":").number(order.cardId());
        json.raw(",\"addressId\":").number(order.addressId());
        json.raw(",\"shipTo\":").text(order.shipTo());
        json.raw(",\"discountPercent\":").number(order.discountPercent());
        json.raw(",\"total\":").raw(order.total().toPlainString());
        json.raw(",\"items\":").list(order.items(), item -> write(json, item));
        json.raw("}");
    }

    private static void write(Json json, Item item) {
        json.raw("{\"itemId\":").number(item.itemId());
        json.raw(",\"name\":").text(item.name());
        json.raw(",\"quantity\":").number(item.quantity());
        json.raw(",\"price\":").raw(item.price().toPlainString()).raw("}");
    }
}
