package org.plumbline.app.plumbing;

import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HttpMethod;
import jakarta.enterprise.context.ApplicationScoped;

/** Ready as soon as the port is open: there is nothing to fill. */
@ApplicationScoped
public class HealthEndpoint {

    @Route(path = "/health", methods = HttpMethod.GET, produces = "text/plain")
    String health() {
        return "ok";
    }
}
