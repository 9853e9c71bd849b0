package org.plumbline.app.plumbing;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** What runs, asked on the thread that serves GET /fruits. */
@Path("/environment")
public class EnvironmentEndpoint {
    private final Seen seen;

    EnvironmentEndpoint(Seen seen) {
        this.seen = seen;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public Uni<String> environment() {
        return seen.now();
    }
}
