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
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;

/** A fruit and its prices, which come in the order of the stores' ids. */
@Entity
@Table(name = "fruits")
@NamedQuery(name = Fruit.ALL, query = "select f from Fruit f order by f.id")
@NamedQuery(name = Fruit.BY_NAME, query = "select f from Fruit f where f.name = :name")
public class Fruit {
    public static final String ALL = "Fruit.all";
    public static final String BY_NAME = "Fruit.byName";

    /** With prices and stores by one statement. Prepared where it is used, unlike the named queries, and so is the next. */
    public static final String ALL_JOINED =
            "select f from Fruit f left join fetch f.prices p left join fetch p.store order by f.id, p.id.storeId";

    public static final String BY_NAME_JOINED =
            "select f from Fruit f left join fetch f.prices p left join fetch p.store where f.name = :name order by p.id.storeId";

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @Column(name = "id")
    private Long id;

    @Column(name = "name", nullable = false, unique = true)
    private String name;

    @Column(name = "description")
    private String description;

    @OneToMany(mappedBy = "fruit", fetch = FetchType.LAZY)
    @OrderBy("id.storeId")
    private List<StoreFruitPrice> prices = new ArrayList<>();

    /** For JPA. */
    public Fruit() {}

    public Fruit(NewFruit fruit) {
        this.name = fruit.name();
        this.description = fruit.description();
    }

    /** For those that fetch before they ask for the view. */
    public List<StoreFruitPrice> prices() {
        return prices;
    }

    /** Reads prices and stores: inside the transaction. */
    public FruitView view() {
        return new FruitView(id, name, description, prices.stream().map(StoreFruitPrice::view).toList());
    }
}
