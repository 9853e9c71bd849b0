package org.plumbline.app.hello;

import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Routes of the workload hello. */
public final class HelloEndpoint {
    private static final long SLEEP_MS = 2;

    private final Greeter greeter;

    public HelloEndpoint(Greeter greeter) {
        this.greeter = greeter;
    }

    public void mount(Router router) {
        router.get("/hello/:name").handler(this::hello);
        router.get("/split/:name").handler(this::split);
        router.get("/sleep").handler(this::sleep);
    }

    private void hello(RoutingContext context) {
        end(context, greeter.greet(context.pathParam("name")));
    }

    private void split(RoutingContext context) {
        if (greeter.isSplitDue()) {
            blockTheVerticle();
        }
        hello(context);
    }

    private void sleep(RoutingContext context) {
        blockTheVerticle();
        end(context, "Slept");
    }

    /** What nobody should do, since only who awaits lets the verticle serve others, and what /sleep and /split are there to show. */
    private static void blockTheVerticle() {
        try {
            Thread.sleep(SLEEP_MS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(RoutingContext context, String text) {
        context.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/plain;charset=UTF-8").end(text);
    }
}
