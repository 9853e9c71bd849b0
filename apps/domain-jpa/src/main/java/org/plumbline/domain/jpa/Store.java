package org.plumbline.domain.jpa;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.plumbline.domain.StoreView;

/**
 * A store; the applications only read stores. It may stand in a second-level cache, which no variant has but those that are called
 * so.
 */
@Cacheable
@Entity
@Table(name = "stores")
public class Store {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @Column(name = "id")
    private Long id;

    @Column(name = "name", nullable = false, unique = true)
    private String name;

    @Column(name = "currency", nullable = false, length = 8)
    private String currency;

    @Column(name = "address", nullable = false)
    private String address;

    @Column(name = "city", nullable = false)
    private String city;

    @Column(name = "country", nullable = false)
    private String country;

    /** For JPA. */
    public Store() {}

    /** Loads the store when it is a proxy: inside the transaction. */
    public StoreView view() {
        return new StoreView(id, name, currency, address, city, country);
    }
}
