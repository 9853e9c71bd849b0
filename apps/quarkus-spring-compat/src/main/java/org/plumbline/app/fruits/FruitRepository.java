package org.plumbline.app.fruits;

import java.util.List;
import java.util.Optional;
import org.plumbline.domain.jpa.Fruit;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** The queries of the entity, written again: Quarkus' Spring Data knows no named ones. */
public interface FruitRepository extends Repository<Fruit, Long> {

    @Query("select f from Fruit f order by f.id")
    List<Fruit> all();

    @Query("select f from Fruit f where f.name = :name")
    Optional<Fruit> byName(@Param("name") String name);
}
