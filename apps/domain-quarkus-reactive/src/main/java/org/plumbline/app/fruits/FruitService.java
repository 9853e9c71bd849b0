package org.plumbline.app.fruits;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.exception.ConstraintViolationException.ConstraintKind;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.Fruit;

/** One transaction an operation. */
@ApplicationScoped
public class FruitService {
    private final Pool pool;
    private final FruitRepository fruits;

    FruitService(Pool pool, FruitRepository fruits) {
        this.pool = pool;
        this.fruits = fruits;
    }

    public Uni<List<FruitView>> all() {
        return pool.reading(fruits::all).map(found -> found.stream().map(Fruit::view).toList());
    }

    public Uni<FruitView> byName(String name) {
        return pool.reading(session -> fruits.byName(session, name))
                .onItem()
                .ifNull()
                .failWith(() -> new Refused(Problem.noSuchFruit(name)))
                .map(Fruit::view);
    }

    /** The name is refused when the unique constraint says so. */
    public Uni<FruitView> create(NewFruit fruit) {
        return pool.writing(session -> fruits.save(session, new Fruit(fruit)))
                .map(Fruit::view)
                .onFailure(FruitService::isDuplicate)
                .transform(broken -> new Refused(Problem.fruitExists(fruit.name())));
    }

    private static boolean isDuplicate(Throwable failure) {
        return failure instanceof ConstraintViolationException broken && broken.getKind() == ConstraintKind.UNIQUE;
    }
}
