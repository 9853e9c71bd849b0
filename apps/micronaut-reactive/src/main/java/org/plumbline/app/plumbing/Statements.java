package org.plumbline.app.plumbing;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.R2dbcDataIntegrityViolationException;
import io.r2dbc.spi.Readable;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Statement;
import java.util.List;
import java.util.function.Function;
import org.plumbline.domain.Sql;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** SQL of our own by R2DBC, on the connection of the caller. A parameter that is null is a text. */
public final class Statements {
    private Statements() {}

    public static <T> Mono<List<T>> query(
            Connection connection, String sql, Function<Readable, T> mapper, Object... parameters) {
        return Flux.from(prepared(connection, sql, parameters).execute())
                .concatMap(result -> result.map(mapper))
                .collectList();
    }

    /** How many rows were written. */
    public static Mono<Long> update(Connection connection, String sql, Object... parameters) {
        return Flux.from(prepared(connection, sql, parameters).execute())
                .concatMap(Result::getRowsUpdated)
                .reduce(0L, Long::sum);
    }

    /** Whether a unique constraint does not allow the row. */
    public static boolean isDuplicateKey(Throwable failure) {
        return failure instanceof R2dbcDataIntegrityViolationException said
                && Sql.UNIQUE_VIOLATION.equals(said.getSqlState());
    }

    private static Statement prepared(Connection connection, String sql, Object[] parameters) {
        Statement statement = connection.createStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] == null) {
                statement.bindNull(i, String.class);
            } else {
                statement.bind(i, parameters[i]);
            }
        }
        return statement;
    }
}
