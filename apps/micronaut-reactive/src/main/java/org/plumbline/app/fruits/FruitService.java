package org.plumbline.app.fruits;

import jakarta.inject.Singleton;
import java.util.List;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import reactor.core.publisher.Mono;

/** One transaction an operation. */
@Singleton
public class FruitService {
    private final Pool pool;
    private final FruitRepository fruits;

    FruitService(Pool pool, FruitRepository fruits) {
        this.pool = pool;
        this.fruits = fruits;
    }

    public Mono<List<FruitView>> all() {
        return pool.reading(fruits::all);
    }

    public Mono<FruitView> byName(String name) {
        return pool.reading(connection -> fruits.byName(connection, name))
                .switchIfEmpty(Mono.error(() -> new Refused(Problem.noSuchFruit(name))));
    }

    /** The name is refused when the unique constraint says so. */
    public Mono<FruitView> create(NewFruit fruit) {
        return pool.writing(connection -> fruits.insert(connection, fruit))
                .onErrorMap(Statements::isDuplicateKey, exists -> new Refused(Problem.fruitExists(fruit.name())));
    }
}
