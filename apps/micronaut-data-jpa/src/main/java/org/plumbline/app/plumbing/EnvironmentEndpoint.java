package org.plumbline.app.plumbing;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.transaction.annotation.ReadOnly;
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
@Controller("/environment")
@ExecuteOn(TaskExecutors.IO)
public class EnvironmentEndpoint {
    private final Session session;
    private final Pool pool;

    EnvironmentEndpoint(Session session, Pool pool) {
        this.session = session;
        this.pool = pool;
    }

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    @ReadOnly
    public String environment() {
        return session.doReturningWork(this::told).toJson();
    }

    private Environment told(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(Sql.ENVIRONMENT)) {
            row.next();
            return Environment.of(
                    new Component("micronaut", VersionUtils.getMicronautVersion()),
                    new Component(about.getDriverName(), about.getDriverVersion()),
                    Environment.ServingThread.current(),
                    pool.now(),
                    pool.settings(),
                    database(row));
        }
    }

    private static Environment.Database database(ResultSet row) throws SQLException {
        return new Environment.Database(
                row.getString("version"),
                row.getString("isolation"),
                row.getString("synchronous_commit"),
                row.getBoolean("tls"),
                row.getString("tls_version"),
                row.getString("tls_cipher"));
    }
}
