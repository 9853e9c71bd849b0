package org.plumbline.app.plumbing;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import org.plumbline.domain.jdbc.Pool;

/** {@code GET /health}: 200 while every connection of the pool is open. */
public final class HealthEndpoint {
    private final Pool pool;

    public HealthEndpoint(Pool pool) {
        this.pool = pool;
    }

    public void mount(RoutesConfig routes) {
        routes.get("/health", this::health);
    }

    private void health(Context context) {
        if (pool.ready()) {
            context.result("ok");
        } else {
            context.status(HttpStatus.SERVICE_UNAVAILABLE).result("The pool is not full.");
        }
    }
}
