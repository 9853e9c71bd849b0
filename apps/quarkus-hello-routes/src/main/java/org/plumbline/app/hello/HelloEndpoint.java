package org.plumbline.app.hello;

import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HttpMethod;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.atomic.AtomicLong;

/** The workload hello on the event loop: /split and /sleep hold the loop, as a careless developer would; /sleep-async doesn't. */
@ApplicationScoped
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;
    private static final String TEXT = "text/plain";

    private final Vertx vertx;
    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();

    HelloEndpoint(Vertx vertx, Greeter greeter) {
        this.vertx = vertx;
        this.greeter = greeter;
    }

    @Route(path = "/hello/:name", methods = HttpMethod.GET, produces = TEXT)
    String hello(@Param String name) {
        return greeter.greet(name);
    }

    @Route(path = "/split/:name", methods = HttpMethod.GET, produces = TEXT)
    String split(@Param String name) throws InterruptedException {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
            Thread.sleep(SLEEP_MS);
        }
        return greeter.greet(name);
    }

    @Route(path = "/sleep", methods = HttpMethod.GET, produces = TEXT)
    String sleep() throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        return "Slept";
    }

    /** A timer of the loop, where Mutiny's own delay would wait on a worker. */
    @Route(path = "/sleep-async", methods = HttpMethod.GET, produces = TEXT)
    Uni<String> sleepAsync() {
        return Uni.createFrom().emitter(slept -> vertx.setTimer(SLEEP_MS, timer -> slept.complete("Slept")));
    }
}
