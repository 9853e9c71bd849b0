package org.plumbline.app.companies;

import jakarta.annotation.PreDestroy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.plumbline.app.plumbing.Pool;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Reads of one transaction each, and batches of single statements. */
@Service
public class CompanyService {
    private final CompanyRepository companies;
    private final Pool pool;
    private final ExecutorService threads;

    CompanyService(CompanyRepository companies, Pool pool, Environment environment) {
        this.companies = companies;
        this.pool = pool;
        // Kept from batch to batch: else the start of threads would be part of each.
        threads = Threading.VIRTUAL.isActive(environment)
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newCachedThreadPool();
    }

    @PreDestroy
    void close() {
        threads.close();
    }

    @Transactional(readOnly = true)
    public CompanyView byId(int id) {
        return companies.byId(id).stream()
                .findFirst()
                .orElseThrow(() -> new Refused(Problem.noSuchCompany(Integer.toString(id))));
    }

    @Transactional(readOnly = true)
    public List<CompanyView> first(int limit) {
        return companies.first(limit);
    }

    /** As many queries at once as connections, each on a thread of its own; each that ends starts the next. */
    public BatchResult batch(Batch batch) {
        int connections = pool.now().configured();
        AtomicInteger next = new AtomicInteger();
        BatchTally tally = new BatchTally(batch);
        List<CompletableFuture<Void>> strands = new ArrayList<>(connections);
        for (int strand = 0; strand < connections; strand++) {
            strands.add(CompletableFuture.runAsync(() -> run(batch, next, tally), threads));
        }
        try {
            CompletableFuture.allOf(strands.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
        return tally.result();
    }

    private void run(Batch batch, AtomicInteger next, BatchTally tally) {
        for (int index = next.getAndIncrement(); index < batch.count(); index = next.getAndIncrement()) {
            companies.query(batch.query(), batch.parameter(index)).forEach(tally::row);
        }
    }
}
