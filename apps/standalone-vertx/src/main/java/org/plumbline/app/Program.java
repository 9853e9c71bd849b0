package org.plumbline.app;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanyView;
import org.plumbline.domain.vertx.Pool;
import org.plumbline.domain.vertx.Rows;

/** Batches of single statements: as many at once as connections, asked for on one event loop, as a request asks. */
final class Program {
    private final Pool pool;
    private final Context loop;

    Program(Pool pool, Context loop) {
        this.pool = pool;
        this.loop = loop;
    }

    Future<BatchResult> run(Batch batch) {
        Promise<BatchResult> done = Promise.promise();
        loop.runOnContext(begun -> strands(batch).onComplete(done));
        return done.future();
    }

    private Future<BatchResult> strands(Batch batch) {
        AtomicInteger next = new AtomicInteger();
        BatchTally tally = new BatchTally(batch);
        var strands = IntStream.range(0, pool.configured())
                .mapToObj(strand -> {
                    Promise<Void> ended = Promise.promise();
                    step(batch, tally, next, ended);
                    return ended.future();
                })
                .toList();
        return Future.all(strands).map(all -> tally.result());
    }

    /** Calls itself from a callback: a chain of futures would be as deep as the batch is long. */
    private void step(Batch batch, BatchTally tally, AtomicInteger next, Promise<Void> ended) {
        int index = next.getAndIncrement();
        if (index >= batch.count()) {
            ended.complete();
            return;
        }
        query(batch, index).onFailure(ended::fail).onSuccess(found -> {
            found.forEach(tally::row);
            step(batch, tally, next, ended);
        });
    }

    private Future<List<CompanyView>> query(Batch batch, int index) {
        return pool.single(connection -> connection
                .preparedQuery(batch.query().sql())
                .mapping(Rows::company)
                .execute(Tuple.of(batch.parameter(index)))
                .map(Rows::list));
    }
}
