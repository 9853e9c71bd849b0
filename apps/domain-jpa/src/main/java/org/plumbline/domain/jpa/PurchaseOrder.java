package org.plumbline.domain.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.NamedQuery;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.OrderView;
import org.plumbline.domain.orders.PricedOrder;

/** An order; "order" alone is a word of SQL. */
@Entity
@Table(name = "orders")
@NamedQuery(name = PurchaseOrder.NEWEST, query = "select o from PurchaseOrder o order by o.id desc")
@NamedQuery(name = PurchaseOrder.DELETE_ITEMS, query = "delete from OrderItem i where i.id.orderId = :id")
@NamedQuery(
        name = PurchaseOrder.DELETE_ITEM,
        query = "delete from OrderItem i where i.id.orderId = :id and i.id.itemId = :itemId")
@NamedQuery(name = PurchaseOrder.DELETE, query = "delete from PurchaseOrder o where o.id = :id")
public class PurchaseOrder {
    /** The caller limits it to {@link #PAGE}. */
    public static final String NEWEST = "PurchaseOrder.newest";

    /** First these, then {@link #DELETE}, whose count says whether there was an order. */
    public static final String DELETE_ITEMS = "PurchaseOrder.deleteItems";

    /** For layers that can't remove an entity that they have read. */
    public static final String DELETE_ITEM = "PurchaseOrder.deleteItem";

    public static final String DELETE = "PurchaseOrder.delete";

    /** Orders of {@code GET /orders}. */
    public static final int PAGE = 10;

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @Column(name = "id")
    private Long id;

    @Column(name = "customer_id", nullable = false)
    private Long customerId;

    @Column(name = "customer", nullable = false)
    private String customer;

    @Column(name = "card_id", nullable = false)
    private Long cardId;

    @Column(name = "address_id", nullable = false)
    private Long addressId;

    @Column(name = "ship_to", nullable = false)
    private String shipTo;

    @Column(name = "discount_percent", nullable = false)
    private Integer discountPercent;

    @Column(name = "total", nullable = false, precision = 12, scale = 2)
    private BigDecimal total;

    @OneToMany(mappedBy = "order", fetch = FetchType.LAZY)
    @OrderBy("id.itemId")
    private List<OrderItem> items = new ArrayList<>();

    /** For JPA. */
    public PurchaseOrder() {}

    /** Without its items, whose keys need the id that persisting gives. */
    public PurchaseOrder(PricedOrder order) {
        customerId = order.customerId();
        customer = order.customer();
        cardId = order.cardId();
        addressId = order.addressId();
        shipTo = order.shipTo();
        discountPercent = order.discountPercent();
        total = order.total();
    }

    /** The items of a new order that has its id: known to it from now on, and yet to be persisted one by one. */
    public List<OrderItem> fill(List<ItemView> views) {
        views.forEach(view -> items.add(new OrderItem(this, view)));
        return items;
    }

    public Long id() {
        return id;
    }

    /** Lazy: Hibernate Reactive fetches it by {@code Mutiny.fetch}. */
    public List<OrderItem> items() {
        return items;
    }

    public void payWith(long otherCardId) {
        cardId = otherCardId;
    }

    /** The total grows by an item that is persisted by itself. */
    public void add(OrderItem item) {
        total = total.add(item.lineTotal(discountPercent));
    }

    /** The total shrinks by an item that is removed by itself. */
    public void remove(OrderItem item) {
        total = total.subtract(item.lineTotal(discountPercent));
    }

    /** Reads the items: inside the transaction. */
    public OrderView view() {
        return view(items);
    }

    /** With items that were read by themselves. */
    public OrderView view(List<OrderItem> read) {
        return new OrderView(
                id,
                customerId,
                customer,
                cardId,
                addressId,
                shipTo,
                discountPercent,
                total,
                read.stream().map(OrderItem::view).toList());
    }
}
