package org.plumbline.app.fruits;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.app.plumbing.Statements.RowMapper;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Sql;
import org.plumbline.domain.StoreView;

/** Fruits first, then their prices, then the stores of these: three statements, in the transaction of the caller. */
@ApplicationScoped
public class FruitRepository {
    private static final String FRUITS = Sql.jdbc(Sql.FRUITS);
    private static final String FRUIT_BY_NAME = Sql.jdbc(Sql.FRUIT_BY_NAME);
    private static final String PRICES_OF_FRUITS = Sql.jdbc(Sql.PRICES_OF_FRUITS);
    private static final String STORES_BY_ID = Sql.jdbc(Sql.STORES_BY_ID);
    private static final String INSERT_FRUIT = Sql.jdbc(Sql.INSERT_FRUIT);

    private static final RowMapper<FruitRow> FRUIT =
            row -> new FruitRow(row.getLong(1), row.getString(2), row.getString(3));
    private static final RowMapper<PriceRow> PRICE =
            row -> new PriceRow(row.getLong(1), row.getLong(2), row.getBigDecimal(3));
    private static final RowMapper<StoreView> STORE = row -> new StoreView(
            row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5), row.getString(6));

    private final Statements statements;

    FruitRepository(Statements statements) {
        this.statements = statements;
    }

    public List<FruitView> all() {
        return withPrices(statements.query(FRUITS, FRUIT));
    }

    public Optional<FruitView> byName(String name) {
        return withPrices(statements.query(FRUIT_BY_NAME, FRUIT, name)).stream().findFirst();
    }

    public FruitView insert(NewFruit fruit) {
        long id = statements
                .query(INSERT_FRUIT, row -> row.getLong(1), fruit.name(), fruit.description())
                .getFirst();
        return new FruitView(id, fruit.name(), fruit.description(), List.of());
    }

    private List<FruitView> withPrices(List<FruitRow> fruits) {
        if (fruits.isEmpty()) {
            return List.of();
        }
        long[] ids = fruits.stream().mapToLong(FruitRow::id).toArray();
        List<PriceRow> prices = statements.query(PRICES_OF_FRUITS, PRICE, ids);
        return FruitRows.views(fruits, prices, prices.isEmpty() ? List.of() : storesOf(prices));
    }

    private List<StoreView> storesOf(List<PriceRow> prices) {
        long[] ids = prices.stream().mapToLong(PriceRow::storeId).distinct().toArray();
        return statements.query(STORES_BY_ID, STORE, ids);
    }
}
