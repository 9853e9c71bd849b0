package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;
import org.plumbline.domain.vertx.Pool;

/**
 * The pool's transactions, awaited. Vert.x calls the work on a virtual thread of the verticle, so the work awaits each of its
 * statements as well.
 */
public final class Transactions {
    private final Pool pool;

    public Transactions(Pool pool) {
        this.pool = pool;
    }

    public int connections() {
        return pool.configured();
    }

    public <T> T reading(Function<SqlConnection, T> work) {
        return pool.reading(done(work)).await();
    }

    public <T> T writing(Function<SqlConnection, T> work) {
        return pool.writing(done(work)).await();
    }

    /** Runs a single statement by itself, on any connection. */
    public <T> T single(Function<SqlConnection, T> work) {
        return pool.single(done(work)).await();
    }

    /** What the work throws fails the future, and so rolls back: the pool composes with it. */
    private static <T> Function<SqlConnection, Future<T>> done(Function<SqlConnection, T> work) {
        return connection -> Future.succeededFuture(work.apply(connection));
    }
}
