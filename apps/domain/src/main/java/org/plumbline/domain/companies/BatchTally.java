package org.plumbline.domain.companies;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the queries of one batch bring, from any thread. */
public final class BatchTally {
    private final Batch batch;
    private final long begunAt = System.nanoTime();
    private final LongAdder rows = new LongAdder();
    private final LongAdder idSum = new LongAdder();
    private final Set<Long> threads = ConcurrentHashMap.newKeySet();

    public BatchTally(Batch batch) {
        this.batch = batch;
    }

    /** One row, on the thread that took it from the driver. */
    public void row(CompanyView company) {
        rows.increment();
        idSum.add(company.id());
        threads.add(Thread.currentThread().threadId());
    }

    /** When all queries are done. */
    public BatchResult result() {
        double millis = (System.nanoTime() - begunAt) / 1e6;
        return new BatchResult(batch.query().word(), batch.count(), rows.sum(), idSum.sum(), threads.size(), millis);
    }
}
