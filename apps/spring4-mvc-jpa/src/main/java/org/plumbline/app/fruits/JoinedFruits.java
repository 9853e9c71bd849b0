package org.plumbline.app.fruits;

import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.Fruit;
import org.springframework.stereotype.Repository;

/** The setting sql=join: the reads of {@link FruitRepository}, each by one statement. A repository would prepare them at the start. */
@Repository
class JoinedFruits {
    private final EntityManager entities;

    JoinedFruits(EntityManager entities) {
        this.entities = entities;
    }

    List<Fruit> all() {
        return entities.createQuery(Fruit.ALL_JOINED, Fruit.class).getResultList();
    }

    Optional<Fruit> byName(String name) {
        return entities
                .createQuery(Fruit.BY_NAME_JOINED, Fruit.class)
                .setParameter("name", name)
                .getResultList()
                .stream()
                .findFirst();
    }
}
