package org.plumbline.app.hello;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.concurrent.atomic.AtomicLong;

/** The workload hello. */
@Path("/")
@ApplicationScoped
@Produces(MediaType.TEXT_PLAIN)
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    @Inject
    private Greeter greeter;

    private final AtomicLong splits = new AtomicLong();

    @GET
    @Path("hello/{name}")
    public String hello(@PathParam("name") String name) {
        return greeter.greet(name);
    }

    @GET
    @Path("split/{name}")
    public String split(@PathParam("name") String name) throws InterruptedException {
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
}
