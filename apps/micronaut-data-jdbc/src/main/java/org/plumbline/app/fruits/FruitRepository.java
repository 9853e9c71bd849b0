package org.plumbline.app.fruits;

import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.DataType;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import java.util.Optional;

/** Fruits, their prices, and the stores of these: one statement each, in the transaction of the caller. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface FruitRepository extends GenericRepository<FruitRow, Long> {
    @Query("SELECT id, name, description FROM fruits ORDER BY id")
    List<FruitRow> all();

    @Query("SELECT id, name, description FROM fruits WHERE name = :name")
    Optional<FruitRow> byName(String name);

    @Query("SELECT fruit_id, store_id, price FROM store_fruit_prices WHERE fruit_id = ANY (:fruits)"
            + " ORDER BY fruit_id, store_id")
    List<PriceRow> prices(@TypeDef(type = DataType.LONG_ARRAY) Long[] fruits);

    @Query("SELECT id, name, currency, address, city, country FROM stores WHERE id = ANY (:stores)")
    List<StoreRow> stores(@TypeDef(type = DataType.LONG_ARRAY) Long[] stores);

    FruitRow save(FruitRow fruit);
}
