package org.plumbline.app.plumbing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.jboss.resteasy.reactive.RestResponse;

/** Ready once the pool is full, or at once where requests are to fill it. */
@Path("/health")
public class HealthEndpoint {
    private final Pool pool;

    HealthEndpoint(Pool pool) {
        this.pool = pool;
    }

    @GET
    @Produces(MediaType.TEXT_PLAIN)
    public RestResponse<String> health() {
        return pool.ready()
                ? RestResponse.ok("ok")
                : RestResponse.status(RestResponse.Status.SERVICE_UNAVAILABLE, "The pool is not full.");
    }
}
