package org.plumbline.app.hello;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.concurrent.atomic.AtomicLong;

/** The workload hello; its sleeps hold the worker, as those of any imperative application do. */
@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();

    HelloEndpoint(Greeter greeter) {
        this.greeter = greeter;
    }

    @GET
    @Path("hello/{name}")
    public Uni<String> hello(@PathParam("name") String name) {
        return Uni.createFrom().item(() -> greeter.greet(name));
    }

    @GET
    @Path("split/{name}")
    public Uni<String> split(@PathParam("name") String name) throws InterruptedException {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
            Thread.sleep(SLEEP_MS);
        }
        return hello(name);
    }

    @GET
    @Path("sleep")
    public Uni<String> sleep() throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        return Uni.createFrom().item("Slept");
    }
}
