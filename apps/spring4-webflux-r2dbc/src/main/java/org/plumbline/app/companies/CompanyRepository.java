package org.plumbline.app.companies;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.Readable;
import org.plumbline.domain.R2dbcChoices;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Repository;
import reactor.core.publisher.Flux;

/** One statement an operation, in the transaction of the caller or by itself; batches by the API that is asked for. */
@Repository
public class CompanyRepository {
    private final DatabaseClient database;
    private final ConnectionFactory connections;
    private final boolean byConnection;

    CompanyRepository(DatabaseClient database, ConnectionFactory connections, R2dbcChoices choices) {
        this.database = database;
        this.connections = connections;
        this.byConnection = choices.api() == R2dbcChoices.Api.CONNECTION;
    }

    /** {@code parameter} is the only one of the statement. */
    public Flux<CompanyView> find(String sql, int parameter) {
        return database.sql(sql).bind(0, parameter).map(CompanyRepository::company).all();
    }

    /** The same by itself, as a batch asks. */
    public Flux<CompanyView> findAlone(String sql, int parameter) {
        return byConnection
                ? Flux.usingWhen(connections.create(), connection -> on(connection, sql, parameter), Connection::close)
                : find(sql, parameter);
    }

    private static Flux<CompanyView> on(Connection connection, String sql, int parameter) {
        return Flux.from(connection.createStatement(sql).bind(0, parameter).execute())
                .concatMap(result -> result.map(CompanyRepository::company));
    }

    private static CompanyView company(Readable row) {
        return new CompanyView(row.get(0, Integer.class), row.get(1, String.class));
    }
}
