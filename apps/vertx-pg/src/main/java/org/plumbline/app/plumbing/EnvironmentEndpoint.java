package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;

/** {@code GET /environment}: what runs, as seen from inside. */
public final class EnvironmentEndpoint {
    private final Settings settings;
    private final Spin spin;
    private final Pool pool;

    public EnvironmentEndpoint(Settings settings, Spin spin, Pool pool) {
        this.settings = settings;
        this.spin = spin;
        this.pool = pool;
    }

    public void mount(Router router) {
        router.get("/environment").handler(this::environment);
    }

    private void environment(RoutingContext context) {
        ServingThread thread = ServingThread.current();
        pool.reading(connection -> environment(connection, thread))
                .onSuccess(environment -> context.response()
                        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                        .end(environment.toJson()))
                .onFailure(context::fail);
    }

    private Future<Environment> environment(SqlConnection connection, ServingThread thread) {
        return connection
                .preparedQuery(Sql.ENVIRONMENT)
                .mapping(EnvironmentEndpoint::database)
                .execute()
                .map(rows -> Environment.of(
                        new Component("vertx", versionOf("vertx-core")),
                        new Component("vertx-pg-client", versionOf("vertx-pg-client")),
                        thread,
                        pool.state(),
                        settings,
                        rows.iterator().next())
                        .alsoUnderstood("spin", spin.word()));
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
    private static String versionOf(String artifact) {
        String path = "/META-INF/maven/io.vertx/" + artifact + "/pom.properties";
        try (InputStream in = EnvironmentEndpoint.class.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
