package org.plumbline.app.plumbing;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.r2dbc.spi.Readable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Sql;
import reactor.core.publisher.Mono;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Controller("/environment")
public class EnvironmentEndpoint {
    private final Pool pool;
    private final EventLoopGroup loops;

    EnvironmentEndpoint(Pool pool, EventLoopGroup loops) {
        this.pool = pool;
        this.loops = loops;
    }

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    public Mono<String> environment() {
        // Here, since inside of the transaction the driver's loop goes on.
        ServingThread thread = ServingThread.current();
        return pool.reading(connection -> Statements.query(
                        connection, Sql.ENVIRONMENT, EnvironmentEndpoint::database)
                .map(seen -> Environment.of(
                                new Component("micronaut", VersionUtils.getMicronautVersion()),
                                new Component("r2dbc-postgresql", driverVersion()),
                                thread,
                                pool.now(),
                                pool.settings(),
                                seen.getFirst())
                        .with(loops())
                        .alsoUnderstood("profile", profile())
                        .alsoUnderstood("pool_warm_up", pool.settings().database().warmUpWord())
                        .toJson()));
    }

    private static Environment.Database database(Readable row) {
        return new Environment.Database(
                row.get("version", String.class),
                row.get("isolation", String.class),
                row.get("synchronous_commit", String.class),
                row.get("tls", Boolean.class),
                row.get("tls_version", String.class),
                row.get("tls_cipher", String.class));
    }

    /** As the jar says that holds the running classes, not as a pom wished. */
    private static String driverVersion() {
        String path = "/META-INF/maven/org.postgresql/r2dbc-postgresql/pom.properties";
        try (InputStream in = EnvironmentEndpoint.class.getResourceAsStream(path)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** {@code tuned}, {@code parity}, {@code defaults}, or what is none of them. */
    private String profile() {
        String ofLoops = loops().profile();
        if (!pool.isStarters()) {
            return ofLoops;
        }
        return "parity".equals(ofLoops) ? "defaults" : ofLoops + " with the pool of a starter";
    }

    /** The loops that take connections. What a transport other than Java's is called differs by the system. */
    private Environment.Loops loops() {
        boolean isNio = loops instanceof IoEventLoopGroup group && group.isIoType(NioIoHandler.class);
        return Environment.Loops.of(loops, !isNio);
    }
}
