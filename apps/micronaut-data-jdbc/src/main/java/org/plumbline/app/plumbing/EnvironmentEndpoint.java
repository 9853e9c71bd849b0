package org.plumbline.app.plumbing;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.data.jdbc.runtime.JdbcOperations;
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
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Sql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Controller("/environment")
@ExecuteOn(TaskExecutors.IO)
public class EnvironmentEndpoint {
    private final JdbcOperations jdbc;
    private final Pool pool;

    EnvironmentEndpoint(JdbcOperations jdbc, Pool pool) {
        this.jdbc = jdbc;
        this.pool = pool;
    }

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    @ReadOnly
    public String environment() {
        return jdbc.execute(this::told).toJson();
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
                    Environment.Database.seen(row));
        }
    }
}
