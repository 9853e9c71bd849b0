package org.plumbline.app.fruits;

import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.Repository;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.Fruit;

/** The queries that the entity names for others: Micronaut Data takes a query's text. */
@Repository
public interface FruitRepository extends GenericRepository<Fruit, Long> {
    @Query("select f from Fruit f order by f.id")
    List<Fruit> all();

    @Query("select f from Fruit f where f.name = :name")
    Optional<Fruit> byName(String name);

    Fruit save(Fruit fruit);
}
