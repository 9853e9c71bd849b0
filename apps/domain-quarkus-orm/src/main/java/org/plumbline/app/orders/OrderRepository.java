package org.plumbline.app.orders;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.plumbline.domain.jpa.OrderItem;
import org.plumbline.domain.jpa.PurchaseOrder;

/** On the session of the current transaction; what is new is persisted and never merged, which would read once more. */
@ApplicationScoped
public class OrderRepository {
    private final Session session;

    OrderRepository(Session session) {
        this.session = session;
    }

    /** Nothing loaded is kept for comparison or flushed, as in FruitRepository. */
    void onlyRead() {
        session.setDefaultReadOnly(true);
        session.setHibernateFlushMode(FlushMode.MANUAL);
    }

    public List<PurchaseOrder> newest() {
        return session.createNamedQuery(PurchaseOrder.NEWEST, PurchaseOrder.class)
                .setMaxResults(PurchaseOrder.PAGE)
                .getResultList();
    }

    public Optional<PurchaseOrder> byId(long orderId) {
        return Optional.ofNullable(session.find(PurchaseOrder.class, orderId));
    }

    public Optional<OrderItem> item(long orderId, long itemId) {
        return Optional.ofNullable(session.find(OrderItem.class, new OrderItem.Key(orderId, itemId)));
    }

    public void insert(PurchaseOrder order) {
        session.persist(order);
    }

    /** A key that is there is told at once. */
    public void insert(OrderItem item) {
        session.persist(item);
        session.flush();
    }

    public void insert(List<OrderItem> items) {
        items.forEach(session::persist);
    }

    public void delete(OrderItem item) {
        session.remove(item);
    }

    /** Whether there was one. */
    public boolean delete(long orderId) {
        session.createNamedMutationQuery(PurchaseOrder.DELETE_ITEMS).setParameter("id", orderId).executeUpdate();
        return session.createNamedMutationQuery(PurchaseOrder.DELETE).setParameter("id", orderId).executeUpdate() > 0;
    }
}
