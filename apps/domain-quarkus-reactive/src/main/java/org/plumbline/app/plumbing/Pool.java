package org.plumbline.app.plumbing;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.core.runtime.context.VertxContextSafetyToggle;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.DatabaseException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hibernate.FlushMode;
import org.hibernate.reactive.mutiny.Mutiny;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Settings;

/**
 * The settings, the connections of the whole process, and the two kinds of transactions that run on them. Hibernate Reactive
 * refuses to work on a worker thread (HR000068), so the transaction of such a request moves to the event loop of the request.
 */
@ApplicationScoped
public class Pool {
    private static final int FILL_TRIES = 5;

    /** SQLSTATE classes of a connection that ends, as MySQL says it, and of a server that shuts down, as PostgreSQL does. */
    private static final List<String> ENDS = List.of("08", "57");

    private final io.vertx.mutiny.sqlclient.Pool connections;
    private final Mutiny.SessionFactory sessions;
    private final Vertx vertx;
    private final PoolLimits limits;
    private final Settings settings = Settings.from(System.getenv());
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();

    Pool(
            io.vertx.mutiny.sqlclient.Pool connections,
            Mutiny.SessionFactory sessions,
            Vertx vertx,
            PoolLimits limits) {
        this.connections = connections;
        this.sessions = sessions;
        this.vertx = vertx;
        this.limits = limits;
    }

    /** Opens every connection, by holding all of them at once; again when a busy host let some of them wait too long. */
    void fill(@Observes StartupEvent start) {
        if (!settings.database().warmUp()) {
            return;
        }
        holdAll().onFailure().retry().atMost(FILL_TRIES - 1).await().indefinitely();
    }

    private Uni<Void> holdAll() {
        return Uni.createFrom().deferred(() -> {
            List<SqlConnection> held = new CopyOnWriteArrayList<>();
            return Uni.join()
                    .all(Stream.generate(() -> connections.getConnection().invoke(held::add))
                            .limit(settings.database().poolSize())
                            .toList())
                    .andCollectFailures()
                    .eventually(() -> Multi.createFrom()
                            .iterable(held)
                            .onItem()
                            .transformToUniAndConcatenate(SqlConnection::close)
                            .onItem()
                            .ignoreAsUni())
                    .replaceWithVoid();
        });
    }

    public Settings settings() {
        return settings;
    }

    public Environment.Pool now() {
        Environment.Sessions counted = counted();
        return new Environment.Pool(
                limits.maxSize(), connections.size(), (int) (counted.opened() - counted.closed()));
    }

    /** Closed are read first, so that never more of them are told than were opened. */
    public Environment.Sessions counted() {
        long ended = closed.get();
        return new Environment.Sessions(opened.get(), ended);
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !settings.database().warmUp() || connections.size() == limits.maxSize();
    }

    /** {@code tuned}, {@code parity}, or {@code defaults}, whose client is left as it comes. */
    public String profile(Environment.Loops loops) {
        return limits.leftToClient() ? "defaults" : loops.profile();
    }

    /** Nothing loaded is kept for comparison or flushed: what read-only transactions of other frameworks tell Hibernate. */
    public <T> Uni<T> reading(Function<Mutiny.Session, Uni<T>> work) {
        return writing(session -> work.apply(session.setDefaultReadOnly(true).setFlushMode(FlushMode.MANUAL)));
    }

    public <T> Uni<T> writing(Function<Mutiny.Session, Uni<T>> work) {
        if (Context.isOnEventLoopThread()) {
            return transaction(work);
        }
        Context context = VertxContext.getOrCreateDuplicatedContext(vertx);
        VertxContextSafetyToggle.setContextSafe(context, true);
        return transaction(work).runSubscriptionOn(task -> context.runOnContext(moved -> task.run()));
    }

    private <T> Uni<T> transaction(Function<Mutiny.Session, Uni<T>> work) {
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
                    || cause instanceof DatabaseException said && ends(said)) {
                return true;
            }
        }
        return false;
    }

    private static boolean ends(DatabaseException said) {
        return said.getSqlState() != null && ENDS.stream().anyMatch(said.getSqlState()::startsWith);
    }
}
