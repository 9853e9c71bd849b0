package org.plumbline.app.plumbing;

import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import org.plumbline.domain.jdbc.Pool;

/** {@code GET /health}: 200 while every connection of the pool is open. */
public final class HealthEndpoint implements HttpService {
    private final Pool pool;

    public HealthEndpoint(Pool pool) {
        this.pool = pool;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.get("/health", this::health);
    }

    private void health(ServerRequest request, ServerResponse response) {
        boolean ready = pool.ready();
        response.status(ready ? Status.OK_200 : Status.SERVICE_UNAVAILABLE_503);
        Texts.send(response, ready ? "ok" : "The pool is not full.");
    }
}
