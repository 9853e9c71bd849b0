package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Sql;
import org.springframework.boot.SpringBootVersion;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@RestController
public class EnvironmentEndpoint {
    private final Pool pool;

    EnvironmentEndpoint(Pool pool) {
        this.pool = pool;
    }

    @GetMapping(path = "/environment", produces = MediaType.APPLICATION_JSON_VALUE)
    public Mono<String> environment() {
        ServingThread thread = ServingThread.current();
        return pool.reading(connection -> environment(connection, thread)).map(Environment::toJson);
    }

    private Future<Environment> environment(SqlConnection connection, ServingThread thread) {
        return connection
                .preparedQuery(Sql.ENVIRONMENT)
                .mapping(EnvironmentEndpoint::database)
                .execute()
                .map(rows -> Environment.of(
                        new Component("spring-boot", SpringBootVersion.getVersion()),
                        new Component("vertx-pg-client", clientVersion()),
                        thread,
                        pool.now(),
                        pool.settings(),
                        rows.iterator().next()));
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
    private static String clientVersion() {
        String path = "/META-INF/maven/io.vertx/vertx-pg-client/pom.properties";
        try (InputStream in = EnvironmentEndpoint.class.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
