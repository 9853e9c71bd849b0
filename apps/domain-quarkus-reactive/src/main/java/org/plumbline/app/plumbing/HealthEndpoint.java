package org.plumbline.app.plumbing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/** Ready once the pool is full, or at once where requests are to fill it. */
@Path("/health")
public class HealthEndpoint {
    private final Pool pool;

    HealthEndpoint(Pool pool) {
        this.pool = pool;
    }

    @GET
    @Produces(MediaType.TEXT_PLAIN)
    public Response health() {
        return pool.ready()
                ? Response.ok("ok").build()
                : Response.status(Response.Status.SERVICE_UNAVAILABLE)
                        .entity("The pool is not full.")
                        .build();
    }
}
