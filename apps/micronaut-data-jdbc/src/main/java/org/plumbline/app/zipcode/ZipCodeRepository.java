package org.plumbline.app.zipcode;

import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import java.util.Optional;

/** One statement an operation, in the transaction of the caller. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface ZipCodeRepository extends GenericRepository<ZipCodeRow, String> {
    @Query("SELECT zip, type, city, state, county, timezone FROM zipcode WHERE zip = :zip")
    Optional<ZipCodeRow> byKey(String zip);

    @Query("SELECT zip, type, city, state, county, timezone FROM zipcode WHERE city = :city ORDER BY zip")
    List<ZipCodeRow> byCity(String city);

    ZipCodeRow save(ZipCodeRow code);
}
