package org.plumbline.app.plumbing;

import io.helidon.common.Version;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
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
import org.hibernate.Session;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Sql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Path("/environment")
@ApplicationScoped
public class EnvironmentEndpoint {
    @PersistenceContext(unitName = "fruits")
    private EntityManager entities;

    @Inject
    private Pool pool;

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    @Transactional
    public String environment() {
        return entities.unwrap(Session.class).doReturningWork(this::environment).toJson();
    }

    private Environment environment(Connection connection) throws SQLException {
        DatabaseMetaData driver = connection.getMetaData();
        return pool.addTo(Environment.of(
                new Component("helidon-mp", Version.VERSION),
                new Component(driver.getDriverName(), driver.getDriverVersion()),
                Environment.ServingThread.current(),
                pool.now(),
                pool.settings(),
                database(connection)));
    }

    private static Environment.Database database(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(Sql.ENVIRONMENT)) {
            row.next();
            return Environment.Database.seen(row);
        }
    }
}
