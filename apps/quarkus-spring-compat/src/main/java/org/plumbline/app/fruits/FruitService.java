package org.plumbline.app.fruits;

import jakarta.transaction.Transactional;
import java.util.List;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.exception.ConstraintViolationException.ConstraintKind;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.Fruit;
import org.springframework.stereotype.Service;

/** One transaction an operation; views are made inside of it, since they load what is lazy. */
@Service
public class FruitService {
    private final FruitRepository fruits;
    private final Session session;

    FruitService(FruitRepository fruits, Session session) {
        this.fruits = fruits;
        this.session = session;
    }

    @Transactional
    public List<FruitView> all() {
        onlyRead();
        return fruits.all().stream().map(Fruit::view).toList();
    }

    @Transactional
    public FruitView byName(String name) {
        onlyRead();
        return fruits.byName(name).orElseThrow(() -> new Refused(Problem.noSuchFruit(name))).view();
    }

    /** The name is refused when the unique constraint says so: at once, since the key is made by the INSERT. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            Fruit created = new Fruit(fruit);
            session.persist(created); // What save() does with a new one; it would ask the entity for its key first.
            return created.view();
        } catch (ConstraintViolationException broken) {
            if (broken.getKind() == ConstraintKind.UNIQUE) {
                throw new Refused(Problem.fruitExists(fruit.name()));
            }
            throw broken;
        }
    }

    /** As in quarkus-rest-orm: JTA has no read-only transactions that would tell Hibernate. */
    private void onlyRead() {
        session.setDefaultReadOnly(true);
        session.setHibernateFlushMode(FlushMode.MANUAL);
    }
}
