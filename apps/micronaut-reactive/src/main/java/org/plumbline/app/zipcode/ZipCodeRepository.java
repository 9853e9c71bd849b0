package org.plumbline.app.zipcode;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Readable;
import jakarta.inject.Singleton;
import java.util.List;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.domain.zipcode.ZipCodeSql;
import org.plumbline.domain.zipcode.ZipCodeView;
import reactor.core.publisher.Mono;

/** One statement an operation, on the connection of the caller. */
@Singleton
public class ZipCodeRepository {

    /** Empty when there is none. */
    public Mono<ZipCodeView> byKey(Connection connection, String zip) {
        return Statements.query(connection, ZipCodeSql.BY_KEY, ZipCodeRepository::code, zip)
                .flatMap(found -> Mono.justOrEmpty(found.stream().findFirst()));
    }

    public Mono<List<ZipCodeView>> byCity(Connection connection, String city) {
        return Statements.query(connection, ZipCodeSql.BY_CITY, ZipCodeRepository::code, city);
    }

    public Mono<ZipCodeView> insert(Connection connection, ZipCodeView code) {
        return Statements.update(
                        connection,
                        ZipCodeSql.INSERT,
                        code.zip(),
                        code.type(),
                        code.city(),
                        code.state(),
                        code.county(),
                        code.timezone())
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
