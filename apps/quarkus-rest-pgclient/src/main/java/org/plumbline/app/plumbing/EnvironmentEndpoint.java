package org.plumbline.app.plumbing;

import io.quarkus.runtime.Quarkus;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.plumbline.domain.Environment;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Path("/environment")
public class EnvironmentEndpoint {
    /** Read when the class is initialised, which a native build does while there still are manifests. */
    private static final Environment.Component QUARKUS =
            new Environment.Component("quarkus", Quarkus.class.getPackage().getImplementationVersion());

    private static final Environment.Component DRIVER =
            new Environment.Component(Connections.CLIENT, versionOf(Connections.CLIENT));

    private final Pool pool;
    private final Vertx vertx;

    EnvironmentEndpoint(Pool pool, Vertx vertx) {
        this.pool = pool;
        this.vertx = vertx;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public Uni<String> environment() {
        Environment.ServingThread thread = Environment.ServingThread.current();
        String sql = pool.settings().database().engine().environment();
        return pool.inTransaction(connection -> connection
                        .query(sql)
                        .execute()
                        .map(rows -> Environment.of(
                                        QUARKUS,
                                        DRIVER,
                                        thread,
                                        pool.now(),
                                        pool.settings(),
                                        database(rows.iterator().next()))
                                .with(loops())
                                .alsoUnderstood("profile", pool.profile(loops()))
                                .alsoUnderstood(
                                        "pool_warm_up", pool.settings().database().warmUpWord())
                                .alsoUnderstood(
                                        "pipelining", pool.settings().database().pipeliningWord())))
                .map(Environment::toJson);
    }

    private static Environment.Database database(Row row) {
        return new Environment.Database(
                row.getString(0),
                row.getString(1),
                row.getString(2),
                row.getBoolean(3),
                row.getString(4),
                row.getString(5));
    }

    /** As the jar says that holds the running classes, not as a pom wished. */
    private static String versionOf(String artifact) {
        String path = "/META-INF/maven/io.vertx/" + artifact + "/pom.properties";
        try (InputStream in = Connections.OF_CLIENT.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The loops that take connections, and here those of the database's client as well. */
    private Environment.Loops loops() {
        return Environment.Loops.of(((VertxInternal) vertx).getEventLoopGroup(), vertx.isNativeTransportEnabled());
    }
}
