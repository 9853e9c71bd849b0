package org.plumbline.app.plumbing;

import io.quarkus.runtime.Quarkus;
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

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public String environment() {
        return Environment.withoutDatabase(
                        QUARKUS, Environment.ServingThread.current(), Settings.withoutDatabase(System.getenv()))
                .toJson();
    }
}
