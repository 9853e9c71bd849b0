package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration;
import io.quarkus.runtime.Quarkus;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalInt;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.plumbline.domain.Environment;

/** What runs, as GET /environment tells it: asked on the thread and in the transaction of its caller. */
@ApplicationScoped
public class Seen {
    /** Read when the class is initialised, which a native build does while there still are manifests. */
    private static final Environment.Component QUARKUS =
            new Environment.Component("quarkus", Quarkus.class.getPackage().getImplementationVersion());

    private final AgroalDataSource dataSource;
    private final Pool pool;
    private final Vertx vertx;
    private final OptionalInt workers;

    Seen(
            AgroalDataSource dataSource,
            Pool pool,
            Vertx vertx,
            @ConfigProperty(name = "quarkus.thread-pool.max-threads") OptionalInt workers) {
        this.dataSource = dataSource;
        this.pool = pool;
        this.vertx = vertx;
        this.workers = workers;
    }

    public Environment now() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData about = connection.getMetaData();
            Environment.ServingThread thread = Environment.ServingThread.current();
            return Environment.of(
                            QUARKUS,
                            new Environment.Component(about.getDriverName(), about.getDriverVersion()),
                            thread,
                            pool.now(),
                            pool.settings(),
                            database(connection))
                    .with(loops())
                    .alsoUnderstood("profile", profile(thread))
                    .alsoUnderstood("pool_warm_up", pool.settings().database().warmUpWord());
        }
    }

    /**
     * The setting profile, by the pool that runs and by the size that workers were given: a file that nobody read shows. Of the
     * profile defaults is a pool that grows. On virtual threads nobody gives workers a size.
     */
    private String profile(Environment.ServingThread thread) {
        AgroalConnectionPoolConfiguration made = dataSource.getConfiguration().connectionPoolConfiguration();
        boolean watched = made.connectionFactoryConfiguration().trackJdbcResources();
        OptionalInt tuned = thread.virtual() ? OptionalInt.empty() : OptionalInt.of(made.maxSize());
        if (!watched && workers.equals(tuned)) {
            return "tuned";
        }
        if (watched && workers.isEmpty()) {
            return made.minSize() == made.maxSize() ? "parity" : "defaults";
        }
        return "workers %s, statements watched %s".formatted(workers, watched);
    }

    private Environment.Database database(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        pool.settings().database().engine().environment())) {
            row.next();
            return Environment.Database.seen(row);
        }
    }

    /** The loops that take connections. */
    private Environment.Loops loops() {
        return Environment.Loops.of(((VertxInternal) vertx).getEventLoopGroup(), vertx.isNativeTransportEnabled());
    }
}
