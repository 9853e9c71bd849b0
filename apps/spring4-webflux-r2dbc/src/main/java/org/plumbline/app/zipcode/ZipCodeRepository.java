package org.plumbline.app.zipcode;

import io.r2dbc.spi.Parameters;
import io.r2dbc.spi.R2dbcType;
import io.r2dbc.spi.Readable;
import java.util.List;
import org.plumbline.app.plumbing.Text;
import org.plumbline.domain.zipcode.ZipCodeSql;
import org.plumbline.domain.zipcode.ZipCodeView;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Repository;
import reactor.core.publisher.Mono;

/** One statement an operation, in the transaction of the caller. */
@Repository
public class ZipCodeRepository {
    private final DatabaseClient database;

    ZipCodeRepository(DatabaseClient database) {
        this.database = database;
    }

    /** Empty when there is none. */
    public Mono<ZipCodeView> byKey(String zip) {
        return database.sql(Text.of(ZipCodeSql.BY_KEY))
                .bind(0, zip)
                .map(ZipCodeRepository::code)
                .one();
    }

    public Mono<List<ZipCodeView>> byCity(String city) {
        return database.sql(Text.of(ZipCodeSql.BY_CITY))
                .bind(0, city)
                .map(ZipCodeRepository::code)
                .all()
                .collectList();
    }

    public Mono<ZipCodeView> insert(ZipCodeView code) {
        return database.sql(Text.of(ZipCodeSql.INSERT))
                .bind(0, code.zip())
                .bind(1, Parameters.in(R2dbcType.VARCHAR, code.type()))
                .bind(2, Parameters.in(R2dbcType.VARCHAR, code.city()))
                .bind(3, Parameters.in(R2dbcType.VARCHAR, code.state()))
                .bind(4, Parameters.in(R2dbcType.VARCHAR, code.county()))
                .bind(5, Parameters.in(R2dbcType.VARCHAR, code.timezone()))
                .fetch()
                .rowsUpdated()
                .thenReturn(code);
    }

    private static ZipCodeView code(Readable row) {
        return new ZipCodeView(
                row.get(0, String.class),
                row.get(1, String.class),
                row.get(2, String.class),
                row.get(3, String.class),
                row.get(4, String.class),
                row.get(5, String.class));
    }
}
