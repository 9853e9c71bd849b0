package org.plumbline.app.orders;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.inject.Typed;
import jakarta.inject.Singleton;
import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.OrderItem;
import org.plumbline.domain.jpa.PurchaseOrder;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.NewItem;
import org.plumbline.domain.orders.OrderView;
import org.plumbline.domain.orders.PricedOrder;

/**
 * The setting sessions=several: orders and items are read and written in sessions of their own, as by a repository for each that
 * opens its own. Study 004 suspected that this pattern made Hibernate Reactive slower. What a request does is not one transaction
 * any more.
 */
@Singleton
@Typed(SeveralSessionsOrderService.class)
public class SeveralSessionsOrderService extends OrderService {
    private final Pool pool;
    private final OrderRepository orders;

    SeveralSessionsOrderService(Pool pool, OrderRepository orders) {
        super(pool, orders);
        this.pool = pool;
        this.orders = orders;
    }

    @Override
    public Uni<OrderView> byId(long orderId) {
        return order(orderId).chain(order -> read(orderId).map(order::view));
    }

    @Override
    public Uni<List<ItemView>> items(long orderId) {
        return order(orderId)
                .chain(order -> read(orderId))
                .map(items -> items.stream().map(OrderItem::view).toList());
    }

    @Override
    public Uni<OrderView> create(PricedOrder priced) {
        return pool.writing(session -> orders.insert(session, new PurchaseOrder(priced)))
                .chain(order -> {
                    List<OrderItem> items = order.fill(priced.items());
                    return pool.writing(session -> orders.insert(session, items)).replaceWith(() -> order.view(items));
                });
    }

    @Override
    public Uni<OrderView> payWith(long orderId, long cardId) {
        return pool.writing(session -> existing(session, orderId).invoke(order -> order.payWith(cardId)))
                .chain(order -> read(orderId).map(order::view));
    }

    @Override
    public Uni<Void> delete(long orderId) {
        return pool.writing(session -> orders.deleteItems(session, orderId))
                .chain(() -> pool.writing(session -> orders.deleteAlone(session, orderId)))
                .invoke(deleted -> refuseUnless(deleted, orderId))
                .replaceWithVoid();
    }

    @Override
    public Uni<ItemView> addItem(long orderId, long itemId, NewItem added) {
        ItemView view = new ItemView(itemId, added.name(), added.quantity(), added.price());
        return order(orderId)
                .map(order -> new OrderItem(order, view))
                .call(item -> pool.writing(session -> orders.insert(session, List.of(item)))
                        .onFailure(ConstraintViolationException.class)
                        .transform(exists -> new Refused(Problem.itemExists(orderId, itemId))))
                .call(item -> pool.writing(session -> existing(session, orderId).invoke(order -> order.add(item))))
                .map(OrderItem::view);
    }

    @Override
    public Uni<Void> deleteItem(long orderId, long itemId) {
        return pool.writing(session ->
                        existing(session, orderId, itemId).call(item -> orders.delete(session, item, orderId, itemId)))
                .chain(item ->
                        pool.writing(session -> existing(session, orderId).invoke(order -> order.remove(item))))
                .replaceWithVoid();
    }

    private Uni<PurchaseOrder> order(long orderId) {
        return pool.reading(session -> existing(session, orderId));
    }

    private Uni<List<OrderItem>> read(long orderId) {
        return pool.reading(session -> orders.items(session, orderId));
    }
}
