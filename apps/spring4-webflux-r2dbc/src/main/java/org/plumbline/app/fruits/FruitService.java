package org.plumbline.app.fruits;

import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** One transaction an operation. */
@Service
public class FruitService {
    private final FruitRepository fruits;

    FruitService(FruitRepository fruits) {
        this.fruits = fruits;
    }

    @Transactional(readOnly = true)
    public Mono<List<FruitView>> all() {
        return fruits.all();
    }

    @Transactional(readOnly = true)
    public Mono<FruitView> byName(String name) {
        return fruits.byName(name).switchIfEmpty(Mono.error(() -> new Refused(Problem.noSuchFruit(name))));
    }

    /** The name is refused when the unique constraint says so. */
    @Transactional
    public Mono<FruitView> create(NewFruit fruit) {
        return fruits.insert(fruit)
                .onErrorMap(DuplicateKeyException.class, e -> new Refused(Problem.fruitExists(fruit.name())));
    }
}
