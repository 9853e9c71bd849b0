package org.plumbline.domain.vertx;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VertxException;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Settings;

/**
 * The connections of the whole process, whose number, timeouts and TLS are the contract's, and the two kinds of transactions
 * that run on them.
 */
public final class Pool {
    /** SQLSTATE class of a server that shuts down. */
    private static final String OPERATOR_INTERVENTION = "57";

    private static final int FILL_TRIES = 5;

    private final List<Context> loops;
    private final int configured;
    private final int timeoutMs;
    private final boolean warmUp;
    private final boolean pipelining;
    private final io.vertx.sqlclient.Pool connections;

    public Pool(EventLoops loops, Settings.Database database) {
        this.loops = loops.contexts();
        timeoutMs = database.timeoutMs();
        warmUp = database.warmUp();
        pipelining = database.pipelining();
        PoolOptions options = new PoolOptions();
        NetClientOptions net = new NetClientOptions();
        if (database.poolSize() > 0) {
            options.setMaxSize(database.poolSize());
        }
        if (timeoutMs > 0) {
            net.setConnectTimeout(timeoutMs);
            // None of its own: see connection().
            options.setConnectionTimeout(0);
        }
        configured = options.getMaxSize();
        if (loops.choices().poolOnAllLoops()) {
            options.setEventLoopSize(Math.min(this.loops.size(), configured));
        }
        connections = PgBuilder.pool()
                .connectingTo(connectOptions(loops.choices(), database))
                .with(options)
                .with(net)
                .using(loops.vertx())
                .build();
    }

    private static PgConnectOptions connectOptions(VertxChoices choices, Settings.Database database) {
        PgConnectOptions options = new PgConnectOptions()
                .setHost(database.host())
                .setPort(database.port())
                .setDatabase(database.name())
                .setUser(database.user())
                .setPassword(database.password())
                .setCachePreparedStatements(choices.cacheStatements());
        // The client's own limit where the setting asks for pipelining.
        if (choices.pipeliningLimit() > 0 && !database.pipelining()) {
            options.setPipeliningLimit(choices.pipeliningLimit());
        }
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
     * Opens every connection, by holding all of them at once, unless that is left to requests; again when a busy host let some
     * of them wait too long. Asked for from each loop in turn, since a connection stays on the loop of who asked for it first:
     * where nobody fills the pool beforehand, requests on all loops do.
     */
    public Future<Void> fill() {
        return warmUp ? fill(FILL_TRIES) : Future.succeededFuture();
    }

    private Future<Void> fill(int tries) {
        var opened = IntStream.range(0, configured)
                .mapToObj(i -> openedOn(loops.get(i % loops.size())))
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

    private Future<SqlConnection> openedOn(Context loop) {
        Promise<SqlConnection> opened = Promise.promise();
        loop.runOnContext(begun -> connection().onComplete(opened));
        return opened.future();
    }

    /**
     * A connection in time, or a failure. The pool's own timeout starts its clock after another loop may have answered, does not
     * stop it then, and fails at its end what succeeded long ago: an unhandled exception in the log (vertx-sql-client 5.0.10).
     */
    private Future<SqlConnection> connection() {
        Future<SqlConnection> asked = connections.getConnection();
        if (timeoutMs == 0) {
            return asked;
        }
        return asked.timeout(timeoutMs, TimeUnit.MILLISECONDS)
                .onFailure(none -> asked.onSuccess(SqlConnection::close));
    }

    public int configured() {
        return configured;
    }

    /** Whether a transaction sends its first statement along with its BEGIN, and does not wait for the answer to it. */
    public boolean pipelining() {
        return pipelining;
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !warmUp || connections.size() == configured;
    }

    /** The client does not tell how many of them are lent. */
    public Environment.Pool now() {
        return new Environment.Pool(configured, connections.size(), null);
    }

    /** Runs the work in a read-only transaction, for which the client's own begin() has no switch. */
    public <T> Future<T> reading(Function<SqlConnection, Future<T>> work) {
        return inTransaction("BEGIN READ ONLY", work);
    }

    public <T> Future<T> writing(Function<SqlConnection, Future<T>> work) {
        return inTransaction("BEGIN", work);
    }

    /** Runs a single statement by itself, on any connection. */
    public <T> Future<T> single(Function<SqlConnection, Future<T>> work) {
        return lend(work);
    }

    private <T> Future<T> inTransaction(String begin, Function<SqlConnection, Future<T>> work) {
        return lend(connection -> {
            Future<?> begun = connection.query(begin).execute();
            Future<T> worked = (pipelining ? Future.succeededFuture() : begun)
                    .compose(first -> work.apply(connection));
            return begun.compose(answered -> worked)
                    .compose(
                            result -> connection.query("COMMIT").execute().map(result),
                            failure -> connection
                                    .query("ROLLBACK")
                                    .execute()
                                    .transform(rolledBack -> Future.<T>failedFuture(failure)));
        });
    }

    private <T> Future<T> lend(Function<SqlConnection, Future<T>> work) {
        return lent()
                .compose(connection -> work.apply(connection)
                        .recover(failure -> Future.failedFuture(named(failure)))
                        .eventually(connection::close));
    }

    /** A connection that the caller closes, or {@link Refused} where none was to be had in time. */
    public Future<SqlConnection> lent() {
        return connection().recover(none -> Future.failedFuture(new Refused(Problem.databaseGone())));
    }

    /** The failure itself where the database or a fault of ours said it; {@link Refused} where the connection broke. */
    public static RuntimeException named(Throwable failure) {
        return failure instanceof RuntimeException said && isAnswer(said)
                ? said
                : new Refused(Problem.databaseGone());
    }

    private static boolean isAnswer(RuntimeException failure) {
        return switch (failure) {
            case PgException said -> said.getSqlState() == null
                    || !said.getSqlState().startsWith(OPERATOR_INTERVENTION);
            case VertxException broken -> false;
            default -> true;
        };
    }

    /** A row of the question of {@code /environment}. */
    public static Environment.Database seen(Row row) {
        return new Environment.Database(
                row.getString("version"),
                row.getString("isolation"),
                row.getString("synchronous_commit"),
                row.getBoolean("tls"),
                row.getString("tls_version"),
                row.getString("tls_cipher"));
    }

    /** The version of one of Vert.x' artifacts, as the jar says that holds the running classes, not as a pom wished. */
    public static String versionOf(String artifact) {
        String path = "/META-INF/maven/io.vertx/" + artifact + "/pom.properties";
        try (InputStream in = Pool.class.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
