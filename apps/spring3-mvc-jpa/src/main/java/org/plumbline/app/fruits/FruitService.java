package org.plumbline.app.fruits;

import java.util.List;
import org.hibernate.exception.ConstraintViolationException;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;
import org.plumbline.domain.jpa.Fruit;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** One transaction an operation; views are made inside of it, since they load what is lazy. */
@Service
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    @Transactional(readOnly = true)
    public List<FruitView> all() {
        return fruits.all().stream().map(Fruit::view).toList();
    }

    @Transactional(readOnly = true)
    public FruitView byName(String name) {
        return fruits.byName(name).orElseThrow(() -> new Refused(Problem.noSuchFruit(name))).view();
    }

    /** The name is refused when the unique constraint says so: at once, since the key is made by the INSERT. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            return fruits.save(new Fruit(fruit)).view();
        } catch (DataIntegrityViolationException e) {
            // By the state, since Hibernate 6 does not tell the kind of a constraint of PostgreSQL, as 7 does.
            if (e.getCause() instanceof ConstraintViolationException broken
                    && Sql.UNIQUE_VIOLATION.equals(broken.getSQLState())) {
                throw new Refused(Problem.fruitExists(fruit.name()));
            }
            throw e;
        }
    }
}
