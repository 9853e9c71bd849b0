package org.plumbline.domain.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.PricedOrder;

/** A product in an order. */
@Entity
@Table(name = "order_items")
public class OrderItem {
    /** The items of one order, read by themselves. Prepared where it is used, unlike the named queries. */
    public static final String OF_ORDER = "select i from OrderItem i where i.id.orderId = :id order by i.id.itemId";

    /** The primary key: an order and a product. */
    @Embeddable
    public record Key(
            @Column(name = "order_id") Long orderId, @Column(name = "item_id") Long itemId) {}

    @EmbeddedId
    private Key id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "order_id", insertable = false, updatable = false)
    private PurchaseOrder order;

    @Column(name = "name", nullable = false)
    private String name;

    @Column(name = "quantity", nullable = false)
    private Integer quantity;

    @Column(name = "price", nullable = false, precision = 12, scale = 2)
    private BigDecimal price;

    /** For JPA. */
    public OrderItem() {}

    /** An item of that order, which has its id; to be persisted, never merged, which would read once more. */
    public OrderItem(PurchaseOrder order, ItemView item) {
        this.id = new Key(order.id(), item.itemId());
        this.order = order;
        this.name = item.name();
        this.quantity = item.quantity();
        this.price = item.price();
    }

    BigDecimal lineTotal(int discountPercent) {
        return PricedOrder.lineTotal(price, quantity, discountPercent);
    }

    public ItemView view() {
        return new ItemView(id.itemId(), name, quantity, price);
    }
}
