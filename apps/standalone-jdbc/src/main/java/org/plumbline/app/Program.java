package org.plumbline.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.plumbline.domain.Sql;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.BatchResult;
import org.plumbline.domain.companies.BatchTally;
import org.plumbline.domain.companies.CompanyView;

/** Batches of single statements: as many at once as connections, each on a platform thread. */
final class Program implements AutoCloseable {
    private final Pool pool;
    private final ExecutorService threads;

    Program(Pool pool) {
        this.pool = pool;
        this.threads = Executors.newFixedThreadPool(pool.size());
    }

    /** Each strand takes the next query as soon as it is done with one. */
    BatchResult run(Batch batch) {
        AtomicInteger next = new AtomicInteger();
        BatchTally tally = new BatchTally(batch);
        List<CompletableFuture<Void>> strands = new ArrayList<>(pool.size());
        for (int strand = 0; strand < pool.size(); strand++) {
            strands.add(CompletableFuture.runAsync(() -> strand(batch, next, tally), threads));
        }
        CompletableFuture.allOf(strands.toArray(CompletableFuture[]::new)).join();
        return tally.result();
    }

    private void strand(Batch batch, AtomicInteger next, BatchTally tally) {
        String sql = Sql.jdbc(batch.query().sql());
        try {
            for (int index = next.getAndIncrement(); index < batch.count(); index = next.getAndIncrement()) {
                query(sql, batch.parameter(index), tally);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("A query failed.", e);
        }
    }

    /** A connection is borrowed for one query, as the web applications do. */
    private void query(String sql, int parameter, BatchTally tally) throws SQLException {
        try (Connection connection = pool.connection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, parameter);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    tally.row(new CompanyView(rows.getInt(1), rows.getString(2)));
                }
            }
        }
    }

    @Override
    public void close() {
        threads.close();
    }
}
