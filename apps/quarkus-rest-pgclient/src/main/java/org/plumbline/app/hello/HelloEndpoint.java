package org.plumbline.app.hello;

import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.concurrent.atomic.AtomicLong;

/** The workload hello on the event loop: /split and /sleep hold the loop, as a careless developer would; /sleep-async doesn't. */
@Path("/")
@NonBlocking
@Produces(MediaType.TEXT_PLAIN)
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Vertx vertx;
    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();

    HelloEndpoint(Vertx vertx, Greeter greeter) {
        this.vertx = vertx;
        this.greeter = greeter;
    }

    @GET
    @Path("hello/{name}")
    public String hello(String name) {
        return greeter.greet(name);
    }

    @GET
    @Path("split/{name}")
    public String split(String name) throws InterruptedException {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
            Thread.sleep(SLEEP_MS);
        }
        return greeter.greet(name);
    }

    @GET
    @Path("sleep")
    public String sleep() throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        return "Slept";
    }

    /** A timer of the loop, where Mutiny's own delay would wait on a worker. */
    @GET
    @Path("sleep-async")
    public Uni<String> sleepAsync() {
        return Uni.createFrom().emitter(slept -> vertx.setTimer(SLEEP_MS, timer -> slept.complete("Slept")));
    }
}
