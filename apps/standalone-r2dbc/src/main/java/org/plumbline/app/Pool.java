package org.plumbline.app;

import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.pool.PoolMetrics;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.postgresql.client.SSLMode;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.Readable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Properties;
import java.util.function.Function;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.R2dbcChoices;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** The connections of the process, and what is to be said of them. */
final class Pool {
    private final Settings settings;
    private final R2dbcChoices choices;
    private final ConnectionPool connections;

    Pool(Settings settings, R2dbcChoices choices) {
        this.settings = settings;
        this.choices = choices;
        Settings.Database database = settings.database();
        Duration timeout = Duration.ofMillis(database.timeoutMs());
        connections = new ConnectionPool(ConnectionPoolConfiguration.builder(driver(database, choices))
                .initialSize(choices.initial(database.poolSize()))
                .maxSize(database.poolSize())
                .maxAcquireTime(timeout)
                .maxCreateConnectionTime(timeout)
                .build());
    }

    private static PostgresqlConnectionFactory driver(Settings.Database database, R2dbcChoices choices) {
        PostgresqlConnectionConfiguration.Builder options = PostgresqlConnectionConfiguration.builder()
                .host(database.host())
                .port(database.port())
                .database(database.name())
                .username(database.user())
                .password(database.password());
        if (choices.ownLoops()) {
            options.loopResources(new OwnLoops());
        }
        return new PostgresqlConnectionFactory(
                switch (database.tls()) {
                    case OFF -> options.sslMode(SSLMode.DISABLE).build();
                    // The authority is checked; the host name is not, as verify-ca says.
                    case REQUIRE -> options.sslMode(SSLMode.VERIFY_CA)
                            .sslRootCert(database.ca().toString())
                            .build();
                });
    }

    /**
     * Opens every connection. Never again when it failed: after a warm-up that took too long the pool counts connections
     * that it does not have.
     */
    void fill() {
        connections.warmup().block();
    }

    /** A connection is lent until what is done with it ends. */
    <T> Flux<T> with(Function<Connection, Publisher<T>> work) {
        return Flux.usingWhen(connections.create(), work, Connection::close);
    }

    /** For what wants to lend them by itself. */
    ConnectionFactory factory() {
        return connections;
    }

    int size() {
        return metrics().getMaxAllocatedSize();
    }

    private PoolMetrics metrics() {
        return connections.getMetrics().orElseThrow();
    }

    Environment environment() {
        return with(connection -> Flux.from(
                                connection.createStatement(Sql.ENVIRONMENT).execute())
                        .concatMap(result -> result.map(Pool::database))
                        .map(this::environment))
                .blockLast();
    }

    private Environment environment(Environment.Database seen) {
        return choices.in(
                Environment.of(
                        new Component("java", Runtime.version().toString()),
                        new Component("r2dbc-postgresql", driverVersion()),
                        ServingThread.current(),
                        new Environment.Pool(size(), metrics().allocatedSize(), metrics().acquiredSize()),
                        settings,
                        seen),
                false);
    }

    private static Environment.Database database(Readable row) {
        return new Environment.Database(
                row.get("version", String.class),
                row.get("isolation", String.class),
                row.get("synchronous_commit", String.class),
                row.get("tls", Boolean.class),
                row.get("tls_version", String.class),
                row.get("tls_cipher", String.class));
    }

    /** As the jar says that holds the running classes, not as a pom wished. */
    private static String driverVersion() {
        String path = "/META-INF/maven/org.postgresql/r2dbc-postgresql/pom.properties";
        try (InputStream in = Pool.class.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    void close() {
        connections.disposeLater().block();
    }
}
