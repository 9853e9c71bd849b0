package org.plumbline.app.fruits;

import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;
import org.plumbline.domain.vertx.Pool;

/** One transaction an operation. */
public final class FruitService {
    private final Pool pool;
    private final FruitRepository fruits;

    public FruitService(Pool pool, FruitRepository fruits) {
        this.pool = pool;
        this.fruits = fruits;
    }

    public Future<List<FruitView>> all() {
        return pool.reading(fruits::findAll);
    }

    public Future<FruitView> named(String name) {
        return pool.reading(connection -> fruits.findByName(connection, name)).map(found -> {
            if (found.isEmpty()) {
                throw new Refused(Problem.noSuchFruit(name));
            }
            return found.getFirst();
        });
    }

    public Future<FruitView> add(NewFruit fruit) {
        return pool.writing(connection -> fruits.insert(connection, fruit)).recover(failure -> {
            boolean exists = failure instanceof PgException broken && Sql.UNIQUE_VIOLATION.equals(broken.getSqlState());
            return Future.failedFuture(exists ? new Refused(Problem.fruitExists(fruit.name())) : failure);
        });
    }
}
