package org.plumbline.app.companies;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.plumbline.app.companies.CompanyRepository.Company;
import org.plumbline.app.plumbing.Pool;

/** Reads of one transaction each, and batches of single statements. */
public final class CompanyService {
    private static final int COMPANIES = 100_000;
    private static final int STRIDE = 7919;
    private static final int HUNDRED = 100;

    private final Pool pool;
    private final CompanyRepository companies;

    /** What a batch brought. */
    record Result(String query, int count, long rows, long idSum, int threads, double millis) {}

    public CompanyService(Pool pool, CompanyRepository companies) {
        this.pool = pool;
        this.companies = companies;
    }

    /** What makes the database sleep for two seconds. */
    String sleep() {
        return pool.engine().sleep();
    }

    /** A list of one, or empty. */
    List<Company> withId(int id) throws SQLException, InterruptedException {
        return pool.reading(connection -> companies.find(connection, CompanyRepository.BY_ID, id));
    }

    List<Company> first(int limit) throws SQLException, InterruptedException {
        return pool.reading(connection -> companies.find(connection, CompanyRepository.FIRST, limit));
    }

    /** As many workers as connections, each taking the next query until there is none. */
    Result batch(String query, String sql, int count) throws InterruptedException, SQLException {
        AtomicInteger next = new AtomicInteger();
        LongAdder rows = new LongAdder();
        LongAdder idSum = new LongAdder();
        Set<Long> threads = ConcurrentHashMap.newKeySet();
        long begunAt = System.nanoTime();
        try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Void>> done = workers.invokeAll(IntStream.range(0, pool.configured())
                    .<java.util.concurrent.Callable<Void>>mapToObj(worker -> () -> {
                        for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                            int parameter = query.equals("hundred") ? HUNDRED : 1 + (int) ((long) i * STRIDE % COMPANIES);
                            for (Company company :
                                    pool.single(connection -> companies.find(connection, sql, parameter))) {
                                rows.increment();
                                idSum.add(company.id());
                                threads.add(Thread.currentThread().threadId());
                            }
                        }
                        return null;
                    })
                    .toList());
            for (Future<Void> worker : done) {
                worker.get();
            }
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof SQLException sqlFailure ? sqlFailure : new SQLException(failure.getCause());
        }
        double millis = (System.nanoTime() - begunAt) / 1e6;
        return new Result(query, count, rows.sum(), idSum.sum(), threads.size(), millis);
    }
}
