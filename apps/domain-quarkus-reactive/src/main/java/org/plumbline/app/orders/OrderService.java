package org.plumbline.app.orders;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.reactive.mutiny.Mutiny;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.OrderItem;
import org.plumbline.domain.jpa.PurchaseOrder;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.NewItem;
import org.plumbline.domain.orders.OrderView;
import org.plumbline.domain.orders.PricedOrder;

/** One transaction an operation; what is lazy is fetched in it before the view is made. */
@ApplicationScoped
public class OrderService {
    private final Pool pool;
    private final OrderRepository orders;

    OrderService(Pool pool, OrderRepository orders) {
        this.pool = pool;
        this.orders = orders;
    }

    public Uni<List<OrderView>> newest() {
        return pool.reading(orders::newest)
                .map(found -> found.stream().map(PurchaseOrder::view).toList());
    }

    public Uni<OrderView> byId(long orderId) {
        return pool.reading(session -> withItems(session, orderId)).map(PurchaseOrder::view);
    }

    public Uni<List<ItemView>> items(long orderId) {
        return pool.reading(session -> withItems(session, orderId))
                .map(order -> order.items().stream().map(OrderItem::view).toList());
    }

    public Uni<ItemView> item(long orderId, long itemId) {
        return pool.reading(session -> existing(session, orderId, itemId)).map(OrderItem::view);
    }

    public Uni<OrderView> create(PricedOrder priced) {
        return pool.writing(session -> orders.insert(session, new PurchaseOrder(priced))
                .call(order -> orders.insert(session, order.fill(priced.items())))
                .map(PurchaseOrder::view));
    }

    public Uni<OrderView> payWith(long orderId, long cardId) {
        return pool.writing(session -> withItems(session, orderId)
                .invoke(order -> order.payWith(cardId))
                .map(PurchaseOrder::view));
    }

    public Uni<Void> delete(long orderId) {
        return pool.writing(session -> orders.delete(session, orderId))
                .invoke(deleted -> refuseUnless(deleted, orderId))
                .replaceWithVoid();
    }

    /** An item that is there already is refused when the primary key says so. */
    public Uni<ItemView> addItem(long orderId, long itemId, NewItem added) {
        ItemView view = new ItemView(itemId, added.name(), added.quantity(), added.price());
        return pool.writing(session -> existing(session, orderId).chain(order -> {
                    OrderItem item = new OrderItem(order, view);
                    return orders.insert(session, List.of(item)).map(inserted -> {
                        order.add(item);
                        return item.view();
                    });
                }))
                .onFailure(ConstraintViolationException.class)
                .transform(exists -> new Refused(Problem.itemExists(orderId, itemId)));
    }

    public Uni<Void> deleteItem(long orderId, long itemId) {
        return pool.writing(session -> existing(session, orderId, itemId)
                .call(item -> existing(session, orderId).invoke(order -> order.remove(item)))
                .call(item -> orders.delete(session, item, orderId, itemId))
                .replaceWithVoid());
    }

    private Uni<PurchaseOrder> withItems(Mutiny.Session session, long orderId) {
        return existing(session, orderId).call(order -> Mutiny.fetch(order.items()));
    }

    static void refuseUnless(boolean deleted, long orderId) {
        if (!deleted) {
            throw new Refused(Problem.noSuchOrder(Long.toString(orderId)));
        }
    }

    Uni<PurchaseOrder> existing(Mutiny.Session session, long orderId) {
        return orders.byId(session, orderId)
                .onItem()
                .ifNull()
                .failWith(() -> new Refused(Problem.noSuchOrder(Long.toString(orderId))));
    }

    Uni<OrderItem> existing(Mutiny.Session session, long orderId, long itemId) {
        return orders.item(session, orderId, itemId)
                .onItem()
                .ifNull()
                .failWith(() -> new Refused(Problem.noSuchItem(Long.toString(orderId), Long.toString(itemId))));
    }
}
