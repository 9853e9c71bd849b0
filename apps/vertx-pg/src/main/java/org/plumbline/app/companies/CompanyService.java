package org.plumbline.app.companies;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanySql;
import org.plumbline.domain.companies.CompanyView;
import org.plumbline.domain.vertx.Pool;

/** Reads of one transaction each, and batches of single statements. */
public final class CompanyService {
    private final Pool pool;
    private final CompanyRepository companies;

    public CompanyService(Pool pool, CompanyRepository companies) {
        this.pool = pool;
        this.companies = companies;
    }

    public Future<CompanyView> withId(int id) {
        return pool.reading(connection -> companies.find(connection, CompanySql.BY_ID, id))
                .map(found -> {
                    if (found.isEmpty()) {
                        throw new Refused(Problem.noSuchCompany(Integer.toString(id)));
                    }
                    return found.getFirst();
                });
    }

    public Future<List<CompanyView>> first(int limit) {
        return pool.reading(connection -> companies.find(connection, CompanySql.FIRST, limit));
    }

    /** As many queries at once as connections; each that ends starts the next. */
    public Future<BatchResult> batch(Batch batch) {
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
        pool.single(client -> companies.find(client, batch.query().sql(), batch.parameter(index)))
                .onFailure(ended::fail)
                .onSuccess(found -> {
                    found.forEach(tally::row);
                    step(batch, tally, next, ended);
                });
    }
}
