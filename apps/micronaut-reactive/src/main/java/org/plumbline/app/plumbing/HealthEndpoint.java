package org.plumbline.app.plumbing;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;

/** Ready once the pool is full, or at once where requests are to fill it. */
@Controller("/health")
public class HealthEndpoint {
    private final Pool pool;

    HealthEndpoint(Pool pool) {
        this.pool = pool;
    }

    @Get
    @Produces(MediaType.TEXT_PLAIN)
    public HttpResponse<String> health() {
        return pool.ready()
                ? HttpResponse.ok("ok")
                : HttpResponse.<String>status(HttpStatus.SERVICE_UNAVAILABLE).body("The pool is not full.");
    }
}
