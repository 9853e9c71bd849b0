package org.plumbline.app.plumbing;

import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.sqlclient.ClosedConnectionException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Settings;

/** The settings, the connections of the whole process, and the transactions that run on them. */
@ApplicationScoped
public class Pool {
    private final io.vertx.mutiny.sqlclient.Pool connections;
    private final Settings settings = Settings.from(System.getenv());
    private final AtomicInteger inUse = new AtomicInteger();

    Pool(io.vertx.mutiny.sqlclient.Pool connections) {
        this.connections = connections;
    }

    /** Holds every connection at once, which opens them all; the port opens afterwards. */
    void fill(@Observes StartupEvent start) {
        List<SqlConnection> held = Uni.join()
                .all(Stream.generate(connections::getConnection)
                        .limit(configured())
                        .toList())
                .andFailFast()
                .await()
                .indefinitely();
        Multi.createFrom()
                .iterable(held)
                .onItem()
                .transformToUniAndConcatenate(SqlConnection::close)
                .onItem()
                .ignoreAsUni()
                .await()
                .indefinitely();
    }

    public Settings settings() {
        return settings;
    }

    public Environment.Pool now() {
        return new Environment.Pool(configured(), connections.size(), inUse.get());
    }

    public boolean full() {
        return connections.size() == configured();
    }

    /** The work on a connection of its own, in a transaction that ends with it. */
    public <T> Uni<T> inTransaction(Function<SqlConnection, Uni<T>> work) {
        return connections
                .withTransaction(connection -> {
                    inUse.incrementAndGet();
                    return work.apply(connection).eventually(inUse::decrementAndGet);
                })
                .onFailure(Pool::isGone)
                .transform(gone -> new Refused(Problem.databaseGone()));
    }

    /** A broken connection, a server that shuts down, or none within the timeout. */
    private static boolean isGone(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException
                    || cause instanceof ClosedConnectionException
                    || cause instanceof NoStackTraceThrowable
                    || Connections.endsBy(cause)) {
                return true;
            }
        }
        return false;
    }

    private int configured() {
        return settings.database().poolSize();
    }
}
