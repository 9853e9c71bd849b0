package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import jakarta.annotation.PostConstruct;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Settings;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** The connections of the whole process, and the two kinds of transactions that run on them. */
@Component
public class Pool {
    /** SQLSTATE class of a server that shuts down. */
    private static final String OPERATOR_INTERVENTION = "57";

    private static final int FILL_TRIES = 5;

    private final io.vertx.sqlclient.Pool connections;
    private final int configured;
    private final Settings settings;
    private final AtomicInteger inUse = new AtomicInteger();

    Pool(Vertx vertx, Settings settings) {
        this.settings = settings;
        configured = settings.database().poolSize();
        PoolOptions options = new PoolOptions()
                .setMaxSize(configured)
                .setConnectionTimeout(settings.database().timeoutMs())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                // Connections spread evenly over the loops; else all would stay on the loop that filled the pool.
                .setEventLoopSize(Math.min(Runtime.getRuntime().availableProcessors(), configured));
        connections = PgBuilder.pool()
                .connectingTo(connectOptions(settings.database()))
                .with(options)
                .with(new NetClientOptions().setConnectTimeout(settings.database().timeoutMs()))
                .using(vertx)
                .build();
    }

    private static PgConnectOptions connectOptions(Settings.Database database) {
        PgConnectOptions options = new PgConnectOptions()
                .setHost(database.host())
                .setPort(database.port())
                .setDatabase(database.name())
                .setUser(database.user())
                .setPassword(database.password())
                // A transaction has its connection to itself, so there is nothing to pipeline (study 001).
                .setPipeliningLimit(1)
                // Off by default; JDBC drivers keep their statements.
                .setCachePreparedStatements(true);
        return switch (database.tls()) {
            case OFF -> options.setSslMode(SslMode.DISABLE);
            case REQUIRE -> options.setSslMode(SslMode.VERIFY_CA)
                    .setSslOptions(new ClientSSLOptions()
                            .setEnabledSecureTransportProtocols(Set.of("TLSv1.3"))
                            // The authority is checked; the host name is not, as verify-ca says.
                            .setHostnameVerificationAlgorithm("")
                            .setTrustOptions(new PemTrustOptions()
                                    .addCertPath(database.ca().toString())));
        };
    }

    /**
     * Opens every connection, by holding all of them at once; again when a busy host let some of them wait too long.
     * The port opens afterwards.
     */
    @PostConstruct
    void fill() {
        fill(FILL_TRIES).toCompletionStage().toCompletableFuture().join();
    }

    private Future<Void> fill(int tries) {
        var opened = IntStream.range(0, configured)
                .mapToObj(i -> connections.getConnection())
                .toList();
        // All are awaited, so that none is left open and lent when another one failed.
        return Future.join(opened).transform(all -> {
            var closed = opened.stream()
                    .filter(Future::succeeded)
                    .map(connection -> connection.result().close())
                    .toList();
            return Future.join(closed).compose(done -> {
                if (all.succeeded()) {
                    return Future.succeededFuture();
                }
                return tries > 1 ? fill(tries - 1) : Future.failedFuture(all.cause());
            });
        });
    }

    public Settings settings() {
        return settings;
    }

    public Environment.Pool now() {
        return new Environment.Pool(configured, connections.size(), inUse.get());
    }

    public boolean full() {
        return connections.size() == configured;
    }

    /** Runs the work in a read-only transaction, for which the client's own begin() has no switch. */
    public <T> Mono<T> reading(Function<SqlConnection, Future<T>> work) {
        return inTransaction("BEGIN READ ONLY", work);
    }

    public <T> Mono<T> writing(Function<SqlConnection, Future<T>> work) {
        return inTransaction("BEGIN", work);
    }

    /** Runs a single statement by itself, on any connection. */
    public <T> Mono<T> single(Function<SqlConnection, Future<T>> work) {
        return lend(work);
    }

    private <T> Mono<T> inTransaction(String begin, Function<SqlConnection, Future<T>> work) {
        return lend(connection -> connection
                .query(begin)
                .execute()
                .compose(begun -> work.apply(connection))
                .compose(
                        result -> connection.query("COMMIT").execute().map(result),
                        failure -> connection
                                .query("ROLLBACK")
                                .execute()
                                .transform(rolledBack -> Future.<T>failedFuture(failure))));
    }

    private <T> Mono<T> lend(Function<SqlConnection, Future<T>> work) {
        return Mono.fromCompletionStage(() -> connections
                .getConnection()
                .recover(none -> gone())
                .compose(connection -> {
                    inUse.incrementAndGet();
                    return work.apply(connection)
                            .recover(failure -> isAnswer(failure) ? Future.failedFuture(failure) : gone())
                            .onComplete(done -> inUse.decrementAndGet())
                            .eventually(connection::close);
                })
                .toCompletionStage());
    }

    private static <T> Future<T> gone() {
        return Future.failedFuture(new Refused(Problem.databaseGone()));
    }

    /** Whether the database or a fault of ours said it; else the connection broke. */
    private static boolean isAnswer(Throwable failure) {
        return switch (failure) {
            case PgException said -> said.getSqlState() == null
                    || !said.getSqlState().startsWith(OPERATOR_INTERVENTION);
            case VertxException broken -> false;
            default -> failure instanceof RuntimeException;
        };
    }
}
