package org.plumbline.app.hello;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.concurrent.atomic.AtomicLong;

/** Routes of the workload hello; its sleeps hold the thread that serves, as those of any imperative application do. */
public final class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();

    public HelloEndpoint(Greeter greeter) {
        this.greeter = greeter;
    }

    public void mount(RoutesConfig routes) {
        routes.get("/hello/{name}", this::hello);
        routes.get("/split/{name}", this::split);
        routes.get("/sleep", HelloEndpoint::sleep);
    }

    private void hello(Context context) {
        context.result(greeter.greet(context.pathParam("name")));
    }

    private void split(Context context) throws InterruptedException {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
            Thread.sleep(SLEEP_MS);
        }
        hello(context);
    }

    private static void sleep(Context context) throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        context.result("Slept");
    }
}
