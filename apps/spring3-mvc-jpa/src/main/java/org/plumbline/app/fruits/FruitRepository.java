package org.plumbline.app.fruits;

import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.Fruit;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** The queries named in the entity, and no more of Spring Data than is used. */
public interface FruitRepository extends Repository<Fruit, Long> {
    @Query(name = Fruit.ALL)
    List<Fruit> all();

    @Query(name = Fruit.BY_NAME)
    Optional<Fruit> byName(String name);

    Fruit save(Fruit fruit);
}
