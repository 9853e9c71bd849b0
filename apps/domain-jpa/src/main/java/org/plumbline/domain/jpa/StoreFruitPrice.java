package org.plumbline.domain.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import org.plumbline.domain.PriceView;

/** The price of a fruit in a store. */
@Entity
@Table(name = "store_fruit_prices")
public class StoreFruitPrice {

    /** The primary key: a store and a fruit. */
    @Embeddable
    public record Key(
            @Column(name = "store_id") Long storeId, @Column(name = "fruit_id") Long fruitId) {}

    @EmbeddedId
    private Key id;

    @MapsId("storeId")
    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "store_id")
    private Store store;

    @MapsId("fruitId")
    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "fruit_id")
    private Fruit fruit;

    @Column(name = "price", nullable = false, precision = 12, scale = 2)
    private BigDecimal price;

    /** For JPA. */
    public StoreFruitPrice() {}

    /** For those that fetch before they ask for the view. */
    public Store store() {
        return store;
    }

    /** Loads the store when it is a proxy: inside the transaction. */
    public PriceView view() {
        return new PriceView(store.view(), price);
    }
}
