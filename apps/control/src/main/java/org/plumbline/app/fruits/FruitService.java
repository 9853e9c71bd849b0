package org.plumbline.app.fruits;

import java.sql.SQLException;
import java.util.List;
import org.plumbline.app.plumbing.Pool;

/** One transaction an operation. */
public final class FruitService {
    private final Pool pool;
    private final FruitRepository fruits;

    public FruitService(Pool pool, FruitRepository fruits) {
        this.pool = pool;
        this.fruits = fruits;
    }

    List<Fruit> all() throws SQLException, InterruptedException {
        return pool.reading(fruits::findAll);
    }

    /** A list of one, or empty. */
    List<Fruit> named(String name) throws SQLException, InterruptedException {
        return pool.reading(connection -> fruits.findByName(connection, name));
    }
}
