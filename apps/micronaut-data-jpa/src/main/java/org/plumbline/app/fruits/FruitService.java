package org.plumbline.app.fruits;

import io.micronaut.transaction.annotation.ReadOnly;
import io.micronaut.transaction.annotation.Transactional;
import jakarta.inject.Singleton;
import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;
import org.plumbline.domain.jpa.Fruit;

/** One transaction an operation; views are made inside of it, since they load what is lazy. */
@Singleton
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    @ReadOnly
    public List<FruitView> all() {
        return fruits.all().stream().map(Fruit::view).toList();
    }

    @ReadOnly
    public FruitView byName(String name) {
        return fruits.byName(name).orElseThrow(() -> new Refused(Problem.noSuchFruit(name))).view();
    }

    /** The name is refused when the unique constraint says so: at once, since the key is made by the INSERT. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            return fruits.save(new Fruit(fruit)).view();
        } catch (ConstraintViolationException broken) {
            if (Sql.UNIQUE_VIOLATION.equals(broken.getSQLState())) {
                throw new Refused(Problem.fruitExists(fruit.name()));
            }
            throw broken;
        }
    }
}
