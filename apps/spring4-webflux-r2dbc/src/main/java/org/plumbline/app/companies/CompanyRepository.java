package org.plumbline.app.companies;

import io.r2dbc.spi.Readable;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Repository;
import reactor.core.publisher.Flux;

/** One statement an operation, in the transaction of the caller or by itself. */
@Repository
public class CompanyRepository {
    private final DatabaseClient database;

    CompanyRepository(DatabaseClient database) {
        this.database = database;
    }

    /** {@code parameter} is the only one of the statement. */
    public Flux<CompanyView> find(String sql, int parameter) {
        return database.sql(sql).bind(0, parameter).map(CompanyRepository::company).all();
    }

    private static CompanyView company(Readable row) {
        return new CompanyView(row.get(0, Integer.class), row.get(1, String.class));
    }
}
