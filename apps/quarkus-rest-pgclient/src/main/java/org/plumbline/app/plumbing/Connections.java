package org.plumbline.app.plumbing;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import org.plumbline.domain.Settings;

/**
 * Contract: nobody waits longer for a connection, be it out of the pool or a new one; Quarkus has no key for either. In the
 * profile defaults the client's own timeouts stay.
 */
@Singleton
public class Connections implements PgPoolCreator {
    static final String CLIENT = "vertx-pg-client";

    /** A class of its jar. */
    static final Class<?> OF_CLIENT = PgConnection.class;

    private static final String OPERATOR_INTERVENTION = "57";

    private volatile Input made;

    private volatile int limit;

    /** The server shuts down. */
    static boolean endsBy(Throwable failure) {
        return failure instanceof PgException said && said.getSqlState().startsWith(OPERATOR_INTERVENTION);
    }

    @Override
    public Pool create(Input input) {
        Settings.Database database = Settings.from(System.getenv()).database();
        int timeoutMs = database.timeoutMs();
        PgConnectOptions server = input.pgConnectOptionsList().getFirst();
        PoolOptions pool = input.poolOptions();
        if (timeoutMs > 0) {
            server.setConnectTimeout(timeoutMs);
            pool.setConnectionTimeout(timeoutMs).setConnectionTimeoutUnit(TimeUnit.MILLISECONDS);
        }
        made = input;
        limit = server.getPipeliningLimit();
        if (database.pipelining()) {
            server.setPipeliningLimit(PgConnectOptions.DEFAULT_PIPELINING_LIMIT);
        }
        return PgBuilder.pool()
                .with(pool)
                .connectingTo(server)
                .using(input.vertx())
                .build();
    }

    /** The size of the pool that was made; to be asked once somebody has used the pool. */
    int maxSize() {
        return made.poolOptions().getMaxSize();
    }

    /** Whether the files leave it to the client to send statements before earlier ones were answered, as a starter does. */
    boolean leftToClient() {
        return limit > 1;
    }
}
