package org.plumbline.app.fruits;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.plumbline.domain.FruitSql;
import org.plumbline.domain.jpa.Fruit;

/** The queries named in the entity, on the session of the current transaction; with sql=join those that join. */
@ApplicationScoped
public class FruitRepository {
    private final boolean joins = FruitSql.from(System.getenv()) == FruitSql.JOIN;
    private final Session session;

    FruitRepository(Session session) {
        this.session = session;
    }

    /**
     * Nothing loaded is kept for comparison or flushed: what read-only transactions of other frameworks tell Hibernate.
     * JTA has no such transactions, and Agroal refuses to change an enlisted connection to read-only.
     */
    void onlyRead() {
        session.setDefaultReadOnly(true);
        session.setHibernateFlushMode(FlushMode.MANUAL);
    }

    List<Fruit> all() {
        if (joins) {
            return session.createQuery(Fruit.ALL_JOINED, Fruit.class).getResultList();
        }
        return session.createNamedQuery(Fruit.ALL, Fruit.class).getResultList();
    }

    Optional<Fruit> byName(String name) {
        if (joins) {
            return session.createQuery(Fruit.BY_NAME_JOINED, Fruit.class)
                    .setParameter("name", name)
                    .uniqueResultOptional();
        }
        return session.createNamedQuery(Fruit.BY_NAME, Fruit.class).setParameter("name", name).uniqueResultOptional();
    }

    Fruit save(Fruit fruit) {
        session.persist(fruit);
        return fruit;
    }
}
