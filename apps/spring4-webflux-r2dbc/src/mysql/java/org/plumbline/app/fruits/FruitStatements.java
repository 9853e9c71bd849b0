package org.plumbline.app.fruits;

import java.util.List;
import org.plumbline.domain.MySql;
import org.plumbline.domain.Sql;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.r2dbc.core.DatabaseClient.GenericExecuteSpec;

/** The statements in MySQL's words, less the values of an INSERT: keys are a list, and the driver tells a key that was made. */
final class FruitStatements {
    private FruitStatements() {}

    static GenericExecuteSpec all(DatabaseClient database) {
        return database.sql(Sql.FRUITS);
    }

    static GenericExecuteSpec byName(DatabaseClient database, String name) {
        return database.sql(MySql.text(Sql.FRUIT_BY_NAME)).bind(0, name);
    }

    static GenericExecuteSpec pricesOf(DatabaseClient database, List<Long> fruitIds) {
        return database.sql(MySql.PRICES_OF_FRUITS).bind("ids", fruitIds);
    }

    static GenericExecuteSpec stores(DatabaseClient database, List<Long> ids) {
        return database.sql(MySql.STORES_BY_ID).bind("ids", ids);
    }

    static GenericExecuteSpec insert(DatabaseClient database) {
        return database.sql(MySql.INSERT_FRUIT).filter(statement -> statement.returnGeneratedValues("id"));
    }
}
