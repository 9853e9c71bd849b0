package org.plumbline.app.plumbing;

import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.sqlclient.ClosedConnectionException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Settings;

/** The settings, the connections of the whole process, and the transactions that run on them. */
@ApplicationScoped
public class Pool {
    private static final int FILL_TRIES = 5;

    private final io.vertx.mutiny.sqlclient.Pool connections;
    private final Connections made;
    private final Settings settings = Settings.from(System.getenv());

    Pool(io.vertx.mutiny.sqlclient.Pool connections, Connections made) {
        this.connections = connections;
        this.made = made;
    }

    /** Opens every connection, by holding all of them at once; again when a busy host let some of them wait too long. */
    void fill(@Observes StartupEvent start) {
        if (!settings.database().warmUp()) {
            return;
        }
        holdAll().onFailure().retry().atMost(FILL_TRIES - 1).await().indefinitely();
    }

    private Uni<Void> holdAll() {
        return Uni.createFrom().deferred(() -> Uni.join()
                .all(Stream.generate(connections::getConnection)
                        .limit(settings.database().poolSize())
                        .map(opened -> opened.onItem().transformToUni(SqlConnection::close))
                        .toList())
                .andCollectFailures()
                .replaceWithVoid());
    }

    public Settings settings() {
        return settings;
    }

    /** The client does not tell how many of them are lent. */
    public Environment.Pool now() {
        int open = connections.size();
        return new Environment.Pool(made.maxSize(), open, null);
    }

    /** {@code tuned}, {@code parity}, or {@code defaults}, whose files set the client no limit. */
    public String profile(Environment.Loops loops) {
        return made.leftToClient() ? "defaults" : loops.profile();
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !settings.database().warmUp() || now().full();
    }

    /** The work on a connection of its own, in a transaction that ends with it. */
    public <T> Uni<T> inTransaction(Function<SqlConnection, Uni<T>> work) {
        return (settings.database().pipelining() ? pipelined(work) : connections.withTransaction(work))
                .onFailure(Pool::isGone)
                .transform(gone -> new Refused(Problem.databaseGone()));
    }

    /** Sends the first statement of the work along with BEGIN, whose answer {@code withTransaction} would wait for. */
    private <T> Uni<T> pipelined(Function<SqlConnection, Uni<T>> work) {
        return connections.withConnection(connection -> {
            CompletionStage<?> begun = connection.query("BEGIN").execute().subscribeAsCompletionStage();
            return Uni.createFrom()
                    .deferred(() -> work.apply(connection))
                    .call(() -> Uni.createFrom().completionStage(begun))
                    .onFailure()
                    .call(() -> connection.query("ROLLBACK").execute().onFailure().recoverWithNull())
                    .call(() -> connection.query("COMMIT").execute());
        });
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
}
