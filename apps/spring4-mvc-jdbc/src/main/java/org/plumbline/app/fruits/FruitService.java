package org.plumbline.app.fruits;

import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** One transaction an operation. */
@Service
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    @Transactional(readOnly = true)
    public List<FruitView> all() {
        return fruits.all();
    }

    @Transactional(readOnly = true)
    public FruitView byName(String name) {
        return fruits.byName(name).orElseThrow(() -> new Refused(Problem.noSuchFruit(name)));
    }

    /** The name is refused when the unique constraint says so. */
    @Transactional
    public FruitView create(NewFruit fruit) {
        try {
            return fruits.insert(fruit);
        } catch (DuplicateKeyException e) {
            throw new Refused(Problem.fruitExists(fruit.name()));
        }
    }
}
