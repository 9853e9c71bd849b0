package org.plumbline.app;

import io.r2dbc.spi.Readable;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanyView;
import reactor.core.publisher.Flux;

/** Batches of single statements: as many at once as connections, on the driver's loops. */
final class Program {
    private final Pool pool;

    Program(Pool pool) {
        this.pool = pool;
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
