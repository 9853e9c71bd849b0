package org.plumbline.app.plumbing;

import io.quarkus.runtime.Quarkus;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;
import org.plumbline.domain.orders.OrderChoices;

/** What runs, as GET /environment tells it: asked on the thread of its caller, in the kind of transaction that serves GET /fruits. */
@ApplicationScoped
public class Seen {
    /** Read when the class is initialised, which a native build does while there still are manifests. */
    private static final Environment.Component QUARKUS =
            new Environment.Component("quarkus", Quarkus.class.getPackage().getImplementationVersion());

    private static final Environment.Component DRIVER = driver();

    private final Pool pool;
    private final Vertx vertx;

    Seen(Pool pool, Vertx vertx) {
        this.pool = pool;
        this.vertx = vertx;
    }

    public Uni<String> now() {
        Environment.ServingThread thread = Environment.ServingThread.current();
        String sql = pool.settings().database().engine().environment();
        return pool.reading(session -> session.createNativeQuery(sql, Object[].class)
                        .getSingleResult()
                        .map(row -> Environment.of(
                                        QUARKUS, DRIVER, thread, pool.now(), pool.settings(), database(row))
                                .with(pool.counted())
                                .with(loops())
                                .alsoUnderstood("profile", pool.profile(loops()))
                                .alsoUnderstood(
                                        "pool_warm_up", pool.settings().database().warmUpWord())))
                .map(this::withTimeout)
                .map(OrderChoices.from(System.getenv())::in)
                .map(Environment::toJson);
    }

    /** In the profile defaults the time is the client's own, which nobody set. */
    private Environment withTimeout(Environment environment) {
        Settings.Database database = pool.settings().database();
        return database.timeoutMs() == 0
                ? environment
                : environment.alsoUnderstood("db_timeout", database.timeoutWord());
    }

    private static Environment.Database database(Object[] row) {
        return new Environment.Database(
                (String) row[0],
                (String) row[1],
                (String) row[2],
                // MySQL has no booleans, but numbers.
                row[3] instanceof Number number ? number.intValue() != 0 : (Boolean) row[3],
                (String) row[4],
                (String) row[5]);
    }

    /** The client that the build chose, as its jar says and not as a pom wished. */
    private static Environment.Component driver() {
        for (String artifact : List.of("vertx-pg-client", "vertx-mysql-client")) {
            try (InputStream in =
                    Seen.class.getResourceAsStream("/META-INF/maven/io.vertx/" + artifact + "/pom.properties")) {
                if (in != null) {
                    Properties properties = new Properties();
                    properties.load(in);
                    return new Environment.Component(artifact, properties.getProperty("version"));
                }
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
        throw new IllegalStateException("There is no client of a database.");
    }

    /** The loops that take connections, and here those of the database's client as well. */
    private Environment.Loops loops() {
        return Environment.Loops.of(((VertxInternal) vertx).getEventLoopGroup(), vertx.isNativeTransportEnabled());
    }
}
