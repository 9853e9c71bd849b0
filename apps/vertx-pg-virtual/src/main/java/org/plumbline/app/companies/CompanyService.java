package org.plumbline.app.companies;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.plumbline.app.plumbing.Transactions;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanySql;
import org.plumbline.domain.companies.CompanyView;

/** Reads of one transaction each, and batches of single statements. */
public final class CompanyService {
    private final Transactions transactions;
    private final CompanyRepository companies;

    public CompanyService(Transactions transactions, CompanyRepository companies) {
        this.transactions = transactions;
        this.companies = companies;
    }

    public CompanyView withId(int id) {
        List<CompanyView> found =
                transactions.reading(connection -> companies.find(connection, CompanySql.BY_ID, id));
        if (found.isEmpty()) {
            throw new Refused(Problem.noSuchCompany(Integer.toString(id)));
        }
        return found.getFirst();
    }

    public List<CompanyView> first(int limit) {
        return transactions.reading(connection -> companies.find(connection, CompanySql.FIRST, limit));
    }

    /** As many queries at once as connections, each on a virtual thread that asks one after another. */
    public BatchResult batch(Batch batch) {
        AtomicInteger next = new AtomicInteger();
        BatchTally tally = new BatchTally(batch);
        Context verticle = Vertx.currentContext();
        var strands = IntStream.range(0, transactions.connections())
                .mapToObj(strand -> {
                    Promise<Void> ended = Promise.promise();
                    verticle.runOnContext(begun -> {
                        try {
                            askUntilDone(batch, tally, next);
                            ended.complete();
                        } catch (RuntimeException failure) {
                            ended.fail(failure);
                        }
                    });
                    return ended.future();
                })
                .toList();
        Future.all(strands).await();
        return tally.result();
    }

    private void askUntilDone(Batch batch, BatchTally tally, AtomicInteger next) {
        for (int index = next.getAndIncrement(); index < batch.count(); index = next.getAndIncrement()) {
            int parameter = batch.parameter(index);
            transactions
                    .single(client -> companies.find(client, batch.query().sql(), parameter))
                    .forEach(tally::row);
        }
    }
}
