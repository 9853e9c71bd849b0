package org.plumbline.app.fruits;

import io.vertx.pgclient.PgException;
import java.util.List;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

/** One transaction an operation. */
@Service
public class FruitService {
    private final Pool pool;
    private final FruitRepository fruits;

    FruitService(Pool pool, FruitRepository fruits) {
        this.pool = pool;
        this.fruits = fruits;
    }

    public Mono<List<FruitView>> all() {
        return pool.reading(fruits::findAll);
    }

    public Mono<FruitView> byName(String name) {
        return pool.reading(connection -> fruits.findByName(connection, name))
                .flatMap(found -> Mono.justOrEmpty(found.stream().findFirst()))
                .switchIfEmpty(Mono.error(() -> new Refused(Problem.noSuchFruit(name))));
    }

    /** The name is refused when the unique constraint says so. */
    public Mono<FruitView> create(NewFruit fruit) {
        return pool.writing(connection -> fruits.insert(connection, fruit))
                .onErrorMap(
                        PgException.class,
                        e -> Sql.UNIQUE_VIOLATION.equals(e.getSqlState())
                                ? new Refused(Problem.fruitExists(fruit.name()))
                                : e);
    }
}
