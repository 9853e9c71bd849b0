package org.plumbline.domain.jdbc;

import java.sql.SQLException;
import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;

/** One transaction an operation. */
public final class FruitService {
    private final Pool pool;
    private final FruitRepository fruits;

    public FruitService(Pool pool, FruitRepository fruits) {
        this.pool = pool;
        this.fruits = fruits;
    }

    public List<FruitView> all() throws SQLException {
        return pool.reading(fruits::all);
    }

    public FruitView named(String name) throws SQLException {
        return pool.reading(connection -> fruits.byName(connection, name))
                .orElseThrow(() -> new Refused(Problem.noSuchFruit(name)));
    }

    /** The name is refused when the unique constraint says so. */
    public FruitView add(NewFruit fruit) throws SQLException {
        try {
            return pool.writing(connection -> fruits.insert(connection, fruit));
        } catch (SQLException failed) {
            if (Sql.UNIQUE_VIOLATION.equals(failed.getSQLState())) {
                throw new Refused(Problem.fruitExists(fruit.name()));
            }
            throw failed;
        }
    }
}
