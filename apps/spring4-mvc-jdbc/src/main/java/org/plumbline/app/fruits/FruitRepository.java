package org.plumbline.app.fruits;

import java.util.List;
import java.util.Optional;
import org.plumbline.domain.FruitRows;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Sql;
import org.plumbline.domain.StoreView;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Fruits first, then their prices, then the stores of these: three statements, in the transaction of the caller. */
@Repository
public class FruitRepository {
    private static final String FRUITS = Sql.jdbc(Sql.FRUITS);
    private static final String FRUIT_BY_NAME = Sql.jdbc(Sql.FRUIT_BY_NAME);
    private static final String PRICES_OF_FRUITS = Sql.jdbc(Sql.PRICES_OF_FRUITS);
    private static final String STORES_BY_ID = Sql.jdbc(Sql.STORES_BY_ID);
    private static final String INSERT_FRUIT = Sql.jdbc(Sql.INSERT_FRUIT);

    private static final RowMapper<FruitRow> FRUIT =
            (row, number) -> new FruitRow(row.getLong(1), row.getString(2), row.getString(3));
    private static final RowMapper<PriceRow> PRICE =
            (row, number) -> new PriceRow(row.getLong(1), row.getLong(2), row.getBigDecimal(3));
    private static final RowMapper<StoreView> STORE = (row, number) -> new StoreView(
            row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5), row.getString(6));

    private final JdbcClient jdbc;

    FruitRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public List<FruitView> all() {
        return withPrices(jdbc.sql(FRUITS).query(FRUIT).list());
    }

    public Optional<FruitView> byName(String name) {
        return withPrices(jdbc.sql(FRUIT_BY_NAME).param(name).query(FRUIT).list()).stream()
                .findFirst();
    }

    public FruitView insert(NewFruit fruit) {
        long id = jdbc.sql(INSERT_FRUIT)
                .param(fruit.name())
                .param(fruit.description())
                .query(Long.class)
                .single();
        return new FruitView(id, fruit.name(), fruit.description(), List.of());
    }

    private List<FruitView> withPrices(List<FruitRow> fruits) {
        if (fruits.isEmpty()) {
            return List.of();
        }
        List<PriceRow> prices = jdbc.sql(PRICES_OF_FRUITS)
                .param(fruits.stream().mapToLong(FruitRow::id).toArray())
                .query(PRICE)
                .list();
        return FruitRows.views(fruits, prices, prices.isEmpty() ? List.of() : storesOf(prices));
    }

    private List<StoreView> storesOf(List<PriceRow> prices) {
        return jdbc.sql(STORES_BY_ID)
                .param(prices.stream().mapToLong(PriceRow::storeId).distinct().toArray())
                .query(STORE)
                .list();
    }
}
