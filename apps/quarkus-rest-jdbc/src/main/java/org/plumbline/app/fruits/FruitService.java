package org.plumbline.app.fruits;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** One transaction an operation. */
@ApplicationScoped
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    @Transactional
    public List<FruitView> all() {
        return fruits.all();
    }

    @Transactional
    public FruitView byName(String name) {
        return fruits.byName(name).orElseThrow(() -> new Refused(Problem.noSuchFruit(name)));
    }

    /** The name is refused when the unique constraint says so. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            return fruits.insert(fruit);
        } catch (Statements.DuplicateKey exists) {
            throw new Refused(Problem.fruitExists(fruit.name()));
        }
    }
}
