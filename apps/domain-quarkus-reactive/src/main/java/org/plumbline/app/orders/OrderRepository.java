package org.plumbline.app.orders;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.hibernate.reactive.mutiny.Mutiny;
import org.plumbline.domain.jpa.OrderItem;
import org.plumbline.domain.jpa.PurchaseOrder;
import org.plumbline.domain.orders.OrderChoices;

/** On the session of the caller; what is new is persisted and never merged, which would read once more. */
@ApplicationScoped
public class OrderRepository {
    private final boolean removesEntities = OrderChoices.from(System.getenv()).removesEntities();

    /** With their items: the first fetched brings the others of its batch along. */
    Uni<List<PurchaseOrder>> newest(Mutiny.Session session) {
        return session.createNamedQuery(PurchaseOrder.NEWEST, PurchaseOrder.class)
                .setMaxResults(PurchaseOrder.PAGE)
                .getResultList()
                .call(found -> found.isEmpty()
                        ? Uni.createFrom().voidItem()
                        : Mutiny.fetch(found.getFirst().items()));
    }

    /** Null when there is none. */
    Uni<PurchaseOrder> byId(Mutiny.Session session, long orderId) {
        return session.find(PurchaseOrder.class, orderId);
    }

    /** Null when there is none. */
    Uni<OrderItem> item(Mutiny.Session session, long orderId, long itemId) {
        return session.find(OrderItem.class, new OrderItem.Key(orderId, itemId));
    }

    Uni<PurchaseOrder> insert(Mutiny.Session session, PurchaseOrder order) {
        return session.persist(order).replaceWith(order);
    }

    /** A key that is there is told at once. */
    Uni<Void> insert(Mutiny.Session session, List<OrderItem> items) {
        return session.persistAll(items.toArray()).chain(session::flush);
    }

    /** The items by themselves, in their order. */
    Uni<List<OrderItem>> items(Mutiny.Session session, long orderId) {
        return session.createSelectionQuery(OrderItem.OF_ORDER, OrderItem.class)
                .setParameter("id", orderId)
                .getResultList();
    }

    /**
     * Not by Session.remove, unless remove=entity asks for it: sessions that remove entities of one class at the same time
     * complete each other's work. https://github.com/hibernate/hibernate-reactive/issues/1713
     */
    Uni<Void> delete(Mutiny.Session session, OrderItem item, long orderId, long itemId) {
        if (removesEntities) {
            return session.remove(item);
        }
        return session.createNamedQuery(PurchaseOrder.DELETE_ITEM)
                .setParameter("id", orderId)
                .setParameter("itemId", itemId)
                .executeUpdate()
                .replaceWithVoid();
    }

    /** Whether there was one. */
    Uni<Boolean> delete(Mutiny.Session session, long orderId) {
        return deleteItems(session, orderId).chain(() -> deleteAlone(session, orderId));
    }

    Uni<Integer> deleteItems(Mutiny.Session session, long orderId) {
        return session.createNamedQuery(PurchaseOrder.DELETE_ITEMS)
                .setParameter("id", orderId)
                .executeUpdate();
    }

    /** Whether there was one; its items are gone. */
    Uni<Boolean> deleteAlone(Mutiny.Session session, long orderId) {
        return session.createNamedQuery(PurchaseOrder.DELETE)
                .setParameter("id", orderId)
                .executeUpdate()
                .map(deleted -> deleted > 0);
    }
}
