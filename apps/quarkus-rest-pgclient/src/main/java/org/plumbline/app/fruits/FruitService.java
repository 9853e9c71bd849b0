package org.plumbline.app.fruits;

import io.smallrye.mutiny.Uni;
import io.vertx.pgclient.PgException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;

/** One transaction an operation. */
@ApplicationScoped
public class FruitService {
    private final Pool pool;
    private final FruitRepository fruits;

    FruitService(Pool pool, FruitRepository fruits) {
        this.pool = pool;
        this.fruits = fruits;
    }

    public Uni<List<FruitView>> all() {
        return pool.inTransaction(fruits::all);
    }

    public Uni<FruitView> byName(String name) {
        return pool.inTransaction(connection -> fruits.byName(connection, name)).map(found -> {
            if (found.isEmpty()) {
                throw new Refused(Problem.noSuchFruit(name));
            }
            return found.getFirst();
        });
    }

    /** The name is refused when the unique constraint says so. */
    public Uni<FruitView> create(NewFruit fruit) {
        return pool.inTransaction(connection -> fruits.insert(connection, fruit))
                .onFailure(FruitService::isDuplicate)
                .transform(broken -> new Refused(Problem.fruitExists(fruit.name())));
    }

    private static boolean isDuplicate(Throwable failure) {
        return failure instanceof PgException broken && Sql.UNIQUE_VIOLATION.equals(broken.getSqlState());
    }
}
