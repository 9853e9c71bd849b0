package org.plumbline.app.fruits;

import java.util.List;
import java.util.Optional;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.exception.ConstraintViolationException.ConstraintKind;
import org.plumbline.domain.FruitSql;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.Fruit;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** One transaction an operation; views are made inside of it, since they load what is lazy. */
@Service
public class FruitService {
    private final boolean joins = FruitSql.from(System.getenv()) == FruitSql.JOIN;
    private final FruitRepository fruits;
    private final JoinedFruits joined;

    FruitService(FruitRepository fruits, JoinedFruits joined) {
        this.fruits = fruits;
        this.joined = joined;
    }

    @Transactional(readOnly = true)
    public List<FruitView> all() {
        List<Fruit> found = joins ? joined.all() : fruits.all();
        return found.stream().map(Fruit::view).toList();
    }

    @Transactional(readOnly = true)
    public FruitView byName(String name) {
        Optional<Fruit> found = joins ? joined.byName(name) : fruits.byName(name);
        return found.orElseThrow(() -> new Refused(Problem.noSuchFruit(name))).view();
    }

    /** The name is refused when the unique constraint says so: at once, since the key is made by the INSERT. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            return fruits.save(new Fruit(fruit)).view();
        } catch (DataIntegrityViolationException e) {
            if (e.getCause() instanceof ConstraintViolationException broken
                    && broken.getKind() == ConstraintKind.UNIQUE) {
                throw new Refused(Problem.fruitExists(fruit.name()));
            }
            throw e;
        }
    }
}
