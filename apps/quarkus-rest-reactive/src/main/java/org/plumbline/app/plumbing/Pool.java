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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hibernate.FlushMode;
import org.hibernate.reactive.mutiny.Mutiny;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Settings;

/** The settings, the connections of the whole process, and the two kinds of transactions that run on them. */
@ApplicationScoped
public class Pool {
    private final io.vertx.mutiny.sqlclient.Pool connections;
    private final Mutiny.SessionFactory sessions;
    private final Settings settings = Settings.from(System.getenv());
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();

    Pool(io.vertx.mutiny.sqlclient.Pool connections, Mutiny.SessionFactory sessions) {
        this.connections = connections;
        this.sessions = sessions;
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
        Environment.Sessions counted = counted();
        return new Environment.Pool(
                configured(), connections.size(), (int) (counted.opened() - counted.closed()));
    }

    /** Closed are read first, so that never more of them are told than were opened. */
    public Environment.Sessions counted() {
        long ended = closed.get();
        return new Environment.Sessions(opened.get(), ended);
    }

    public boolean full() {
        return connections.size() == configured();
    }

    /** Nothing loaded is kept for comparison or flushed: what read-only transactions of other frameworks tell Hibernate. */
    public <T> Uni<T> reading(Function<Mutiny.Session, Uni<T>> work) {
        return writing(session -> work.apply(session.setDefaultReadOnly(true).setFlushMode(FlushMode.MANUAL)));
    }

    public <T> Uni<T> writing(Function<Mutiny.Session, Uni<T>> work) {
        return sessions.withSession(session -> {
                    opened.incrementAndGet();
                    return session.withTransaction(transaction -> work.apply(session))
                            .eventually(closed::incrementAndGet);
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
