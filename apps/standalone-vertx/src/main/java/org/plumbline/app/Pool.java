package org.plumbline.app;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;

/** The connections of the process, and what is to be said of them. */
final class Pool {
    private static final int FILL_TRIES = 5;

    private final Settings settings;
    private final io.vertx.sqlclient.Pool connections;
    private final AtomicInteger inUse = new AtomicInteger();

    Pool(Vertx vertx, Settings settings, int loops) {
        this.settings = settings;
        Settings.Database database = settings.database();
        PoolOptions options = new PoolOptions()
                .setMaxSize(database.poolSize())
                .setConnectionTimeout(database.timeoutMs())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                // Connections spread evenly over the loops; else all would stay on the loop that filled the pool.
                .setEventLoopSize(Math.min(loops, database.poolSize()));
        connections = PgBuilder.pool()
                .connectingTo(connectOptions(database))
                .with(options)
                .with(new NetClientOptions().setConnectTimeout(database.timeoutMs()))
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
                // Study 001: each query has its connection to itself, and statements are kept, as JDBC drivers do.
                .setPipeliningLimit(1)
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

    /** Opens every connection, by holding all of them at once; again when a busy host let some of them wait too long. */
    Future<Void> fill() {
        return fill(FILL_TRIES);
    }

    private Future<Void> fill(int tries) {
        var opened = IntStream.range(0, size())
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

    /** A connection is lent until what is done with it ends. */
    <T> Future<T> with(Function<SqlConnection, Future<T>> work) {
        return connections.getConnection().compose(connection -> {
            inUse.incrementAndGet();
            return work.apply(connection)
                    .onComplete(done -> inUse.decrementAndGet())
                    .eventually(connection::close);
        });
    }

    int size() {
        return settings.database().poolSize();
    }

    Future<Environment> environment() {
        return with(connection -> connection
                .preparedQuery(Sql.ENVIRONMENT)
                .mapping(Pool::database)
                .execute()
                .map(rows -> Environment.of(
                        new Component("java", Runtime.version().toString()),
                        new Component("vertx-pg-client", driverVersion()),
                        ServingThread.current(),
                        new Environment.Pool(size(), connections.size(), inUse.get()),
                        settings,
                        rows.iterator().next())));
    }

    private static Environment.Database database(Row row) {
        return new Environment.Database(
                row.getString("version"),
                row.getString("isolation"),
                row.getString("synchronous_commit"),
                row.getBoolean("tls"),
                row.getString("tls_version"),
                row.getString("tls_cipher"));
    }

    /** As the jar says that holds the running classes, not as a pom wished. */
    private static String driverVersion() {
        String path = "/META-INF/maven/io.vertx/vertx-pg-client/pom.properties";
        try (InputStream in = Pool.class.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
