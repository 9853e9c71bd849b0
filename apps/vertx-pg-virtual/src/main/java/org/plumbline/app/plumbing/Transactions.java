package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;
import org.plumbline.domain.vertx.Pool;

/** Transactions on a connection of the pool; their work awaits its statements on the virtual thread of the request. */
public final class Transactions {
    private final Pool pool;

    public Transactions(Pool pool) {
        this.pool = pool;
    }

    public int connections() {
        return pool.configured();
    }

    /** Runs the work in a read-only transaction, for which the client's own begin() has no switch. */
    public <T> T reading(Function<SqlConnection, T> work) {
        return inTransaction("BEGIN READ ONLY", work);
    }

    public <T> T writing(Function<SqlConnection, T> work) {
        return inTransaction("BEGIN", work);
    }

    /** Runs a single statement by itself, on any connection. */
    public <T> T single(Function<SqlConnection, T> work) {
        SqlConnection connection = pool.lent().await();
        try {
            return work.apply(connection);
        } catch (Exception failure) { // await() throws what failed, checked or not
            throw Pool.named(failure);
        } finally {
            connection.close();
        }
    }

    private <T> T inTransaction(String begin, Function<SqlConnection, T> work) {
        return single(connection -> {
            Future<?> begun = connection.query(begin).execute();
            T result;
            try {
                if (!pool.pipelining()) {
                    begun.await();
                }
                result = work.apply(connection);
                begun.await();
            } catch (Exception failure) {
                connection.query("ROLLBACK").execute().otherwiseEmpty().await();
                throw failure;
            }
            connection.query("COMMIT").execute().await();
            return result;
        });
    }
}
