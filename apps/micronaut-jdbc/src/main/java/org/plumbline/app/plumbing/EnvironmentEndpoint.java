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
import java.sql.DatabaseMetaData;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Sql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Controller("/environment")
@ExecuteOn(TaskExecutors.IO)
public class EnvironmentEndpoint {
    private final JdbcOperations jdbc;
    private final Statements statements;
    private final Pool pool;

    EnvironmentEndpoint(JdbcOperations jdbc, Statements statements, Pool pool) {
        this.jdbc = jdbc;
        this.statements = statements;
        this.pool = pool;
    }

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    @ReadOnly
    public String environment() {
        return Environment.of(
                        new Component("micronaut", VersionUtils.getMicronautVersion()),
                        driver(),
                        Environment.ServingThread.current(),
                        pool.now(),
                        pool.settings(),
                        statements
                                .query(Sql.ENVIRONMENT, Environment.Database::seen)
                                .getFirst())
                .toJson();
    }

    private Component driver() {
        return jdbc.execute(connection -> {
            DatabaseMetaData about = connection.getMetaData();
            return new Component(about.getDriverName(), about.getDriverVersion());
        });
    }
}
