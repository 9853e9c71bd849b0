package org.plumbline.app.fruits;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.util.List;
import java.util.Optional;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.plumbline.domain.jpa.Fruit;

/** The queries named in the entity, on the session of the current transaction. */
@ApplicationScoped
public class FruitRepository {
    @PersistenceContext(unitName = "fruits")
    private EntityManager entities;

    /**
     * Nothing loaded is kept for comparison or flushed: what read-only transactions of other frameworks tell Hibernate.
     * JTA has no such transactions.
     */
    void onlyRead() {
        Session session = entities.unwrap(Session.class);
        session.setDefaultReadOnly(true);
        session.setHibernateFlushMode(FlushMode.MANUAL);
    }

    List<Fruit> all() {
        return entities.createNamedQuery(Fruit.ALL, Fruit.class).getResultList();
    }

    Optional<Fruit> byName(String name) {
        return entities.createNamedQuery(Fruit.BY_NAME, Fruit.class)
                .setParameter("name", name)
                .getResultList()
                .stream()
                .findFirst();
    }

    Fruit save(Fruit fruit) {
        entities.persist(fruit);
        return fruit;
    }
}
