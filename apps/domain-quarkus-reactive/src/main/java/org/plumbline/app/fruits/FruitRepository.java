package org.plumbline.app.fruits;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.function.Function;
import org.hibernate.Hibernate;
import org.hibernate.reactive.mutiny.Mutiny;
import org.plumbline.domain.jpa.Fruit;
import org.plumbline.domain.jpa.StoreFruitPrice;

/** The queries named in the entity. Nothing lazy loads by itself here, so prices and stores are fetched before the view. */
@ApplicationScoped
public class FruitRepository {

    Uni<List<Fruit>> all(Mutiny.Session session) {
        return session.createNamedQuery(Fruit.ALL, Fruit.class).getResultList().call(FruitRepository::fetch);
    }

    /** Null when there is none. */
    Uni<Fruit> byName(Mutiny.Session session, String name) {
        return session.createNamedQuery(Fruit.BY_NAME, Fruit.class)
                .setParameter("name", name)
                .getSingleResultOrNull()
                .call(fruit -> fruit == null ? Uni.createFrom().voidItem() : fetch(List.of(fruit)));
    }

    Uni<Fruit> save(Mutiny.Session session, Fruit fruit) {
        return session.persist(fruit).replaceWith(fruit);
    }

    /** The first of each kind brings the others of its batch along, so that these two loops are two statements. */
    private static Uni<Void> fetch(List<Fruit> fruits) {
        return each(fruits, Fruit::prices)
                .chain(() -> each(
                        fruits.stream().flatMap(fruit -> fruit.prices().stream()).toList(), StoreFruitPrice::store));
    }

    private static <T> Uni<Void> each(List<T> owners, Function<T, ?> association) {
        return Multi.createFrom()
                .iterable(owners)
                .filter(owner -> !Hibernate.isInitialized(association.apply(owner)))
                .onItem()
                .transformToUniAndConcatenate(owner -> Mutiny.fetch(association.apply(owner)))
                .onItem()
                .ignoreAsUni();
    }
}
