package org.plumbline.app.fruits;

import io.vertx.pgclient.PgException;
import java.util.List;
import org.plumbline.app.plumbing.Transactions;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;

/** One transaction an operation. */
public final class FruitService {
    private final Transactions transactions;
    private final FruitRepository fruits;

    public FruitService(Transactions transactions, FruitRepository fruits) {
        this.transactions = transactions;
        this.fruits = fruits;
    }

    public List<FruitView> all() {
        return transactions.reading(fruits::findAll);
    }

    public FruitView named(String name) {
        List<FruitView> found = transactions.reading(connection -> fruits.findByName(connection, name));
        if (found.isEmpty()) {
            throw new Refused(Problem.noSuchFruit(name));
        }
        return found.getFirst();
    }

    public FruitView add(NewFruit fruit) {
        try {
            return transactions.writing(connection -> fruits.insert(connection, fruit));
        } catch (PgException failure) {
            throw Sql.UNIQUE_VIOLATION.equals(failure.getSqlState())
                    ? new Refused(Problem.fruitExists(fruit.name()))
                    : failure;
        }
    }
}
