package org.plumbline.app.plumbing;

import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnectOptions;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import org.plumbline.domain.Settings;

/**
 * Contract: nobody waits longer for a connection, be it out of the pool or a new one. Quarkus has no key for either, so a variant
 * has the options of its pool go through here; in the profile defaults the client's own timeouts stay.
 */
@Singleton
public class PoolLimits {
    private volatile int maxSize;
    private volatile boolean leftToClient;

    /** Sets the timeouts, and remembers the other limits of a pool that is about to be made. */
    public void put(PoolOptions pool, SqlConnectOptions server, int pipeliningLimit) {
        int timeoutMs = Settings.from(System.getenv()).database().timeoutMs();
        if (timeoutMs > 0) {
            server.setConnectTimeout(timeoutMs);
            pool.setConnectionTimeout(timeoutMs).setConnectionTimeoutUnit(TimeUnit.MILLISECONDS);
        }
        maxSize = pool.getMaxSize();
        // PostgreSQL's client pipelines unless it is told not to; MySQL's never does, so only the timeouts show it there.
        leftToClient = pipeliningLimit > 1 || timeoutMs == 0;
    }

    /** The size of the pool that was made; to be asked once somebody has used the pool. */
    int maxSize() {
        return maxSize;
    }

    /** Whether pipelining or timeouts are the client's own, as a starter leaves them. */
    boolean leftToClient() {
        return leftToClient;
    }
}
