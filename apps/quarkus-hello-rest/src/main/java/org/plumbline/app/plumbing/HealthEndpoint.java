package org.plumbline.app.plumbing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** Ready as soon as the port is open: there is nothing to fill. */
@Path("/health")
public class HealthEndpoint {

    @GET
    @Produces(MediaType.TEXT_PLAIN)
    public String health() {
        return "ok";
    }
}
