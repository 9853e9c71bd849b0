package org.plumbline.app.plumbing;

/** {@code GET /health}: the port opens only when the pool is full, so whoever can ask gets 200. */
public final class HealthEndpoint {

    public Answer health() {
        return Answer.text("ok");
    }
}
