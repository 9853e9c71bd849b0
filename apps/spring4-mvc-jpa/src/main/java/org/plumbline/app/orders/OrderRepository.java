package org.plumbline.app.orders;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.OrderItem;
import org.plumbline.domain.jpa.PurchaseOrder;
import org.springframework.stereotype.Repository;

/** By the EntityManager: Spring Data's save() merges what has a key already, which would read once more. */
@Repository
public class OrderRepository {
    private final EntityManager entities;

    OrderRepository(EntityManager entities) {
        this.entities = entities;
    }

    public List<PurchaseOrder> newest() {
        return entities.createNamedQuery(PurchaseOrder.NEWEST, PurchaseOrder.class)
                .setMaxResults(PurchaseOrder.PAGE)
                .getResultList();
    }

    public Optional<PurchaseOrder> byId(long orderId) {
        return Optional.ofNullable(entities.find(PurchaseOrder.class, orderId));
    }

    public Optional<OrderItem> item(long orderId, long itemId) {
        return Optional.ofNullable(entities.find(OrderItem.class, new OrderItem.Key(orderId, itemId)));
    }

    public void insert(PurchaseOrder order) {
        entities.persist(order);
    }

    /** A key that is there is told at once. */
    public void insert(OrderItem item) {
        entities.persist(item);
        entities.flush();
    }

    public void insert(List<OrderItem> items) {
        items.forEach(entities::persist);
    }

    public void delete(OrderItem item) {
        entities.remove(item);
    }

    /** Whether there was one. */
    public boolean delete(long orderId) {
        entities.createNamedQuery(PurchaseOrder.DELETE_ITEMS).setParameter("id", orderId).executeUpdate();
        return entities.createNamedQuery(PurchaseOrder.DELETE).setParameter("id", orderId).executeUpdate() > 0;
    }
}
