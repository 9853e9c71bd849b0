package org.plumbline.app.plumbing;

import io.helidon.common.Version;
import io.helidon.common.media.type.MediaTypes;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;
import org.plumbline.domain.jdbc.Pool;
import org.plumbline.domain.jdbc.Statements;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
public final class EnvironmentEndpoint implements HttpService {
    private final Settings settings;
    private final Pool pool;

    public EnvironmentEndpoint(Settings settings, Pool pool) {
        this.settings = settings;
        this.pool = pool;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.get("/environment", Problems.asking(this::environment));
    }

    private void environment(ServerRequest request, ServerResponse response) throws SQLException {
        response.headers().contentType(MediaTypes.APPLICATION_JSON);
        response.send(pool.reading(this::environment).toJson());
    }

    private Environment environment(Connection connection) throws SQLException {
        DatabaseMetaData driver = connection.getMetaData();
        return pool.addTo(Environment.of(
                new Component("helidon-se", Version.VERSION),
                new Component(driver.getDriverName(), driver.getDriverVersion()),
                Environment.ServingThread.current(),
                pool.now(),
                settings,
                Statements.query(connection, Sql.ENVIRONMENT, Environment.Database::seen)
                        .getFirst()));
    }
}
