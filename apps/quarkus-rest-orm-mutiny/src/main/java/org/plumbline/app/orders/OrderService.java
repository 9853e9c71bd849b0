package org.plumbline.app.orders;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.Callable;
import org.hibernate.exception.ConstraintViolationException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.OrderItem;
import org.plumbline.domain.jpa.PurchaseOrder;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.NewItem;
import org.plumbline.domain.orders.OrderView;
import org.plumbline.domain.orders.PricedOrder;

/**
 * One transaction an operation; views are made inside of it, since they load what is lazy. What Hibernate ORM answers is
 * wrapped in a Uni and still blocks the worker that subscribes.
 */
@ApplicationScoped
public class OrderService {
    private final OrderRepository orders;

    OrderService(OrderRepository orders) {
        this.orders = orders;
    }

    public Uni<List<OrderView>> newest() {
        return inTransaction(() -> {
            orders.onlyRead();
            return orders.newest().stream().map(PurchaseOrder::view).toList();
        });
    }

    public Uni<OrderView> byId(long orderId) {
        return inTransaction(() -> {
            orders.onlyRead();
            return existing(orderId).view();
        });
    }

    public Uni<List<ItemView>> items(long orderId) {
        return inTransaction(() -> {
            orders.onlyRead();
            return existing(orderId).items().stream().map(OrderItem::view).toList();
        });
    }

    public Uni<ItemView> item(long orderId, long itemId) {
        return inTransaction(() -> {
            orders.onlyRead();
            return existing(orderId, itemId).view();
        });
    }

    public Uni<OrderView> create(PricedOrder priced) {
        return inTransaction(() -> {
            PurchaseOrder order = new PurchaseOrder(priced);
            orders.insert(order);
            orders.insert(order.fill(priced.items()));
            return order.view();
        });
    }

    public Uni<OrderView> payWith(long orderId, long cardId) {
        return inTransaction(() -> {
            PurchaseOrder order = existing(orderId);
            order.payWith(cardId);
            return order.view();
        });
    }

    public Uni<Void> delete(long orderId) {
        return inTransaction(() -> {
            if (!orders.delete(orderId)) {
                throw new Refused(Problem.noSuchOrder(Long.toString(orderId)));
            }
            return null;
        });
    }

    /** An item that is there already is refused when the primary key says so. */
    public Uni<ItemView> addItem(long orderId, long itemId, NewItem added) {
        return inTransaction(() -> {
            PurchaseOrder order = existing(orderId);
            OrderItem item =
                    new OrderItem(order, new ItemView(itemId, added.name(), added.quantity(), added.price()));
            try {
                orders.insert(item);
            } catch (ConstraintViolationException exists) {
                throw new Refused(Problem.itemExists(orderId, itemId));
            }
            order.add(item);
            return item.view();
        });
    }

    public Uni<Void> deleteItem(long orderId, long itemId) {
        return inTransaction(() -> {
            OrderItem item = existing(orderId, itemId);
            existing(orderId).remove(item);
            orders.delete(item);
            return null;
        });
    }

    private static <T> Uni<T> inTransaction(Callable<T> work) {
        return Uni.createFrom().item(() -> QuarkusTransaction.requiringNew().call(work));
    }

    private PurchaseOrder existing(long orderId) {
        return orders.byId(orderId).orElseThrow(() -> new Refused(Problem.noSuchOrder(Long.toString(orderId))));
    }

    private OrderItem existing(long orderId, long itemId) {
        return orders.item(orderId, itemId)
                .orElseThrow(() ->
                        new Refused(Problem.noSuchItem(Long.toString(orderId), Long.toString(itemId))));
    }
}
