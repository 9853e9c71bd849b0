package org.plumbline.app.plumbing;

import io.javalin.Javalin;
import io.javalin.config.RoutesConfig;
import io.javalin.http.ContentType;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Properties;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;
import org.plumbline.domain.jdbc.Pool;
import org.plumbline.domain.jdbc.Statements;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
public final class EnvironmentEndpoint {
    private static final String POM = "/META-INF/maven/io.javalin/javalin/pom.properties";

    private final Settings settings;
    private final Pool pool;

    public EnvironmentEndpoint(Settings settings, Pool pool) {
        this.settings = settings;
        this.pool = pool;
    }

    public void mount(RoutesConfig routes) {
        routes.get("/environment", this::environment);
    }

    private void environment(Context context) throws SQLException {
        context.contentType(ContentType.APPLICATION_JSON)
                .result(pool.reading(this::environment).toJson());
    }

    private Environment environment(Connection connection) throws SQLException {
        DatabaseMetaData driver = connection.getMetaData();
        ServingThread thread = ServingThread.current();
        return pool.addTo(Environment.of(
                        new Component("javalin", version()),
                        new Component(driver.getDriverName(), driver.getDriverVersion()),
                        thread,
                        pool.now(),
                        settings,
                        Statements.query(connection, Sql.ENVIRONMENT, Environment.Database::seen)
                                .getFirst()))
                .alsoUnderstood("threads", thread.virtual() ? "virtual" : "platform");
    }

    /** As the jar says that holds the running classes, not as a pom wished. */
    private static String version() {
        try (InputStream in = Javalin.class.getResourceAsStream(POM)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
