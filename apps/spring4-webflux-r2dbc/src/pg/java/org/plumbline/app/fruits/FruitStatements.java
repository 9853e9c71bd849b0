package org.plumbline.app.fruits;

import java.util.List;
import org.plumbline.domain.Sql;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.r2dbc.core.DatabaseClient.GenericExecuteSpec;

/** The statements in PostgreSQL's words, less the values of an INSERT: keys are one array, and an INSERT returns its row. */
final class FruitStatements {
    private FruitStatements() {}

    static GenericExecuteSpec all(DatabaseClient database) {
        return database.sql(Sql.FRUITS);
    }

    static GenericExecuteSpec byName(DatabaseClient database, String name) {
        return database.sql(Sql.FRUIT_BY_NAME).bind(0, name);
    }

    static GenericExecuteSpec pricesOf(DatabaseClient database, List<Long> fruitIds) {
        return database.sql(Sql.PRICES_OF_FRUITS).bind(0, fruitIds.toArray(Long[]::new));
    }

    static GenericExecuteSpec stores(DatabaseClient database, List<Long> ids) {
        return database.sql(Sql.STORES_BY_ID).bind(0, ids.toArray(Long[]::new));
    }

    static GenericExecuteSpec insert(DatabaseClient database) {
        return database.sql(Sql.INSERT_FRUIT);
    }
}
