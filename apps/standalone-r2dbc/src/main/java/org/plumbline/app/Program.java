package org.plumbline.app;

import io.r2dbc.spi.Readable;
import org.plumbline.domain.R2dbcChoices;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.r2dbc.core.DatabaseClient;
import reactor.core.publisher.Flux;

/** Batches of single statements: as many at once as connections, on the driver's loops. */
final class Program {
    private final Pool pool;
    private final DatabaseClient client;
    private final boolean byClient;

    Program(Pool pool, R2dbcChoices choices) {
        this.pool = pool;
        this.client = DatabaseClient.create(pool.factory());
        this.byClient = choices.api() == R2dbcChoices.Api.CLIENT;
    }

    /** A query that is done starts the next. */
    BatchResult run(Batch batch) {
        BatchTally tally = new BatchTally(batch);
        Flux.range(0, batch.count())
                .flatMap(index -> query(batch, index).doOnNext(tally::row), pool.size())
                .then()
                .block();
        return tally.result();
    }

    private Flux<CompanyView> query(Batch batch, int index) {
        if (byClient) {
            return client.sql(batch.query().sql())
                    .bind(0, batch.parameter(index))
                    .map(Program::company)
                    .all();
        }
        return pool.with(connection -> Flux.from(connection
                        .createStatement(batch.query().sql())
                        .bind(0, batch.parameter(index))
                        .execute())
                .concatMap(result -> result.map(Program::company)));
    }

    private static CompanyView company(Readable row) {
        return new CompanyView(row.get(0, Integer.class), row.get(1, String.class));
    }
}
