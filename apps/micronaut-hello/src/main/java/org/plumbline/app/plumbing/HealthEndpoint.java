package org.plumbline.app.plumbing;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;

/** Ready as soon as the port is open: there is nothing to fill. */
@Controller("/health")
public class HealthEndpoint {

    @Get
    @Produces(MediaType.TEXT_PLAIN)
    public String health() {
        return "ok";
    }
}
