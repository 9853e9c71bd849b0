package org.plumbline.app.fruits;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.Callable;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.exception.ConstraintViolationException.ConstraintKind;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.Fruit;

/**
 * One transaction an operation; views are made inside of it, since they load what is lazy. What Hibernate ORM answers is
 * wrapped in a Uni and still blocks the worker that subscribes: this is Mutiny on top of a blocking data layer.
 */
@ApplicationScoped
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    public Uni<List<FruitView>> all() {
        return inTransaction(() -> {
            fruits.onlyRead();
            return fruits.all().stream().map(Fruit::view).toList();
        });
    }

    public Uni<FruitView> byName(String name) {
        return inTransaction(() -> {
            fruits.onlyRead();
            return fruits.byName(name).orElseThrow(() -> new Refused(Problem.noSuchFruit(name))).view();
        });
    }

    /** The name is refused when the unique constraint says so: at once, since the key is made by the INSERT. */
    public Uni<FruitView> create(NewFruit fruit) {
        return inTransaction(() -> fruits.save(new Fruit(fruit)).view())
                .onFailure(FruitService::isDuplicate)
                .transform(broken -> new Refused(Problem.fruitExists(fruit.name())));
    }

    private static boolean isDuplicate(Throwable failure) {
        return failure instanceof ConstraintViolationException broken && broken.getKind() == ConstraintKind.UNIQUE;
    }

    private static <T> Uni<T> inTransaction(Callable<T> work) {
        return Uni.createFrom().item(() -> QuarkusTransaction.requiringNew().call(work));
    }
}
