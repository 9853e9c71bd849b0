package org.plumbline.app.plumbing;

import io.quarkus.runtime.Quarkus;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** What runs, asked on the thread that serves GET /hello. */
@Path("/environment")
public class EnvironmentEndpoint {
    /** Read when the class is initialised, which a native build does while there still are manifests. */
    private static final Environment.Component QUARKUS =
            new Environment.Component("quarkus", Quarkus.class.getPackage().getImplementationVersion());

    private final Vertx vertx;

    EnvironmentEndpoint(Vertx vertx) {
        this.vertx = vertx;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public String environment() {
        Environment.Loops seen = loops();
        return Environment.withoutDatabase(
                        QUARKUS, Environment.ServingThread.current(), Settings.withoutDatabase(System.getenv()))
                .with(seen)
                .alsoUnderstood("profile", seen.profile())
                .toJson();
    }

    /** The loops that take connections. */
    private Environment.Loops loops() {
        return Environment.Loops.of(((VertxInternal) vertx).getEventLoopGroup(), vertx.isNativeTransportEnabled());
    }
}
