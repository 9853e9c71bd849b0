package org.plumbline.app.plumbing;

import io.micronaut.context.annotation.Context;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.PoolMetrics;
import io.r2dbc.pool.PoolingConnectionFactoryProvider;
import io.r2dbc.postgresql.api.PostgresTransactionDefinition;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.R2dbcNonTransientResourceException;
import io.r2dbc.spi.R2dbcTimeoutException;
import io.r2dbc.spi.R2dbcTransientResourceException;
import io.r2dbc.spi.TransactionDefinition;
import jakarta.annotation.PostConstruct;
import java.util.function.Function;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Settings;
import reactor.core.publisher.Mono;

/** The settings, the pool as it is now, and the two kinds of transactions that run on it. */
@Context
public class Pool {
    private static final TransactionDefinition READ_ONLY = PostgresTransactionDefinition.mutability(false);
    private static final TransactionDefinition READ_WRITE = PostgresTransactionDefinition.mutability(true);

    private final ConnectionPool connections;
    private final boolean isStarters;
    private final Settings settings = Settings.from(System.getenv());

    Pool(ConnectionFactory connections, ConnectionFactoryOptions options) {
        this.connections = (ConnectionPool) connections;
        this.isStarters = !options.hasOption(PoolingConnectionFactoryProvider.MAX_ACQUIRE_TIME);
    }

    /**
     * Before the port opens: requests that meet a warm-up under way wait for ever. Never again when it failed: after one
     * that took too long the pool counts connections that it does not have.
     */
    @PostConstruct
    void fill() {
        if (settings.database().warmUp()) {
            connections.warmup().block();
        }
    }

    public Settings settings() {
        return settings;
    }

    /** Whether the pool is the starter's, in which a request waits for a connection however long it takes. */
    public boolean isStarters() {
        return isStarters;
    }

    public Environment.Pool now() {
        PoolMetrics pool = connections.getMetrics().orElseThrow();
        return new Environment.Pool(pool.getMaxAllocatedSize(), pool.allocatedSize(), pool.acquiredSize());
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !settings.database().warmUp() || now().full();
    }

    public <T> Mono<T> reading(Function<Connection, Mono<T>> work) {
        return inTransaction(READ_ONLY, work);
    }

    public <T> Mono<T> writing(Function<Connection, Mono<T>> work) {
        return inTransaction(READ_WRITE, work);
    }

    private <T> Mono<T> inTransaction(TransactionDefinition kind, Function<Connection, Mono<T>> work) {
        return Mono.usingWhen(
                        connections.create(),
                        connection -> Mono.usingWhen(
                                Mono.from(connection.beginTransaction(kind)).thenReturn(connection),
                                work,
                                Connection::commitTransaction,
                                (begun, failure) -> begun.rollbackTransaction(),
                                Connection::rollbackTransaction),
                        Connection::close)
                .onErrorMap(Pool::isGone, gone -> new Refused(Problem.databaseGone()));
    }

    /** A broken connection, or none within the timeout; what follows from it may be the outer failure. */
    private static boolean isGone(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof R2dbcNonTransientResourceException
                    || cause instanceof R2dbcTransientResourceException
                    || cause instanceof R2dbcTimeoutException) {
                return true;
            }
        }
        return false;
    }
}
