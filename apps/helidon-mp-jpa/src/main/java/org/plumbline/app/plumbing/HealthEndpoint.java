package org.plumbline.app.plumbing;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/** Ready once the pool is full, unless requests fill it. */
@Path("/health")
@ApplicationScoped
public class HealthEndpoint {
    @Inject
    private Pool pool;

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
