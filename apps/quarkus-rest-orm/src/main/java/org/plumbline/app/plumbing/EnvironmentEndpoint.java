package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import io.quarkus.runtime.Quarkus;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.plumbline.domain.Engine;
import org.plumbline.domain.Environment;
import org.plumbline.domain.FruitSql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Path("/environment")
public class EnvironmentEndpoint {
    /** Read when the class is initialised, which a native build does while there still are manifests. */
    private static final Environment.Component QUARKUS =
            new Environment.Component("quarkus", Quarkus.class.getPackage().getImplementationVersion());

    private final AgroalDataSource dataSource;
    private final Pool pool;
    private final Tuning tuning;
    private final Vertx vertx;

    EnvironmentEndpoint(AgroalDataSource dataSource, Pool pool, Tuning tuning, Vertx vertx) {
        this.dataSource = dataSource;
        this.pool = pool;
        this.tuning = tuning;
        this.vertx = vertx;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    @Transactional
    public String environment() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData about = connection.getMetaData();
            return Environment.of(
                            QUARKUS,
                            new Environment.Component(about.getDriverName(), about.getDriverVersion()),
                            Environment.ServingThread.current(),
                            pool.now(),
                            pool.settings(),
                            database(connection, pool.settings().database().engine()))
                    .with(loops())
                    .alsoUnderstood("profile", tuning.profile())
                    .alsoUnderstood("pool_warm_up", pool.settings().database().warmUpWord())
                    .alsoUnderstood("sql", FruitSql.from(System.getenv()).word())
                    .alsoUnderstood("second_level_cache", tuning.secondLevelCache())
                    .toJson();
        }
    }

    private static Environment.Database database(Connection connection, Engine engine) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(engine.environment())) {
            row.next();
            return Environment.Database.seen(row);
        }
    }

    /** The loops that take connections. */
    private Environment.Loops loops() {
        return Environment.Loops.of(((VertxInternal) vertx).getEventLoopGroup(), vertx.isNativeTransportEnabled());
    }
}
