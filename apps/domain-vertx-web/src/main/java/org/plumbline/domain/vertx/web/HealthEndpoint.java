package org.plumbline.domain.vertx.web;

import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import org.plumbline.domain.vertx.Pool;

/** {@code GET /health}: 200 while every connection of the pool is open, or that is left to requests. */
public final class HealthEndpoint {
    private final Pool pool;

    public HealthEndpoint(Pool pool) {
        this.pool = pool;
    }

    public void mount(Router router) {
        router.get("/health").handler(this::health);
    }

    private void health(RoutingContext context) {
        boolean ready = pool.ready();
        context.response()
                .setStatusCode(ready ? 200 : 503)
                .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain;charset=UTF-8")
                .end(ready ? "ok" : "The database pool is not full.");
    }
}
