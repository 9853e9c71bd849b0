package org.plumbline.app.hello;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.concurrent.atomic.AtomicLong;
import org.plumbline.app.plumbing.Workers;

/** The workload hello; its sleeps hold the worker, as those of any imperative application do. */
@Controller
@Produces(MediaType.TEXT_PLAIN)
@ExecuteOn(Workers.NAME)
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();

    HelloEndpoint(Greeter greeter) {
        this.greeter = greeter;
    }

    @Get("/hello/{name}")
    public String hello(String name) {
        return greeter.greet(name);
    }

    @Get("/split/{name}")
    public String split(String name) throws InterruptedException {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
            Thread.sleep(SLEEP_MS);
        }
        return greeter.greet(name);
    }

    @Get("/sleep")
    public String sleep() throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        return "Slept";
    }
}
