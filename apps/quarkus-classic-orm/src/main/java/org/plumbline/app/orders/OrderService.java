package org.plumbline.app.orders;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.OrderItem;
import org.plumbline.domain.jpa.PurchaseOrder;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.NewItem;
import org.plumbline.domain.orders.OrderView;
import org.plumbline.domain.orders.PricedOrder;

/** One transaction an operation; views are made inside of it, since they load what is lazy. */
@ApplicationScoped
public class OrderService {
    private final OrderRepository orders;

    OrderService(OrderRepository orders) {
        this.orders = orders;
    }

    @Transactional
    public List<OrderView> newest() {
        orders.onlyRead();
        return orders.newest().stream().map(PurchaseOrder::view).toList();
    }

    @Transactional
    public OrderView byId(long orderId) {
        orders.onlyRead();
        return existing(orderId).view();
    }

    @Transactional
    public List<ItemView> items(long orderId) {
        orders.onlyRead();
        return existing(orderId).items().stream().map(OrderItem::view).toList();
    }

    @Transactional
    public ItemView item(long orderId, long itemId) {
        orders.onlyRead();
        return existing(orderId, itemId).view();
    }

    @Transactional
    public OrderView create(PricedOrder priced) {
        PurchaseOrder order = new PurchaseOrder(priced);
        orders.insert(order);
        orders.insert(order.fill(priced.items()));
        return order.view();
    }

    @Transactional
    public OrderView payWith(long orderId, long cardId) {
        PurchaseOrder order = existing(orderId);
        order.payWith(cardId);
        return order.view();
    }

    @Transactional
    public void delete(long orderId) {
        if (!orders.delete(orderId)) {
            throw new Refused(Problem.noSuchOrder(Long.toString(orderId)));
        }
    }

    /** An item that is there already is refused when the primary key says so. */
    @Transactional
    public ItemView addItem(long orderId, long itemId, NewItem added) {
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
    }

    @Transactional
    public void deleteItem(long orderId, long itemId) {
        OrderItem item = existing(orderId, itemId);
        existing(orderId).remove(item);
        orders.delete(item);
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
