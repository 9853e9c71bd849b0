package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import io.quarkus.runtime.Quarkus;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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

    Seen(AgroalDataSource dataSource, Pool pool, Vertx vertx) {
        this.dataSource = dataSource;
        this.pool = pool;
        this.vertx = vertx;
    }

    public Environment now() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData about = connection.getMetaData();
            return Environment.of(
                            QUARKUS,
                            new Environment.Component(about.getDriverName(), about.getDriverVersion()),
                            Environment.ServingThread.current(),
                            pool.now(),
                            pool.settings(),
                            database(connection))
                    .with(loops());
        }
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
