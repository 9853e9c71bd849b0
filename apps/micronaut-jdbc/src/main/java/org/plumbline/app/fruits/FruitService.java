package org.plumbline.app.fruits;

import io.micronaut.transaction.annotation.ReadOnly;
import io.micronaut.transaction.annotation.Transactional;
import jakarta.inject.Singleton;
import java.util.List;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** One transaction an operation. */
@Singleton
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    @ReadOnly
    public List<FruitView> all() {
        return fruits.all();
    }

    @ReadOnly
    public FruitView byName(String name) {
        return fruits.byName(name).orElseThrow(() -> new Refused(Problem.noSuchFruit(name)));
    }

    /** The name is refused when the unique constraint says so. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            return fruits.insert(fruit);
        } catch (Statements.DuplicateKey e) {
            throw new Refused(Problem.fruitExists(fruit.name()));
        }
    }
}
