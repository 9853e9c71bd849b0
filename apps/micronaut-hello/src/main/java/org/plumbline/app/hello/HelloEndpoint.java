package org.plumbline.app.hello;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The workload hello as Micronaut serves it when nobody says otherwise: on the event loop, where /split and /sleep hold the
 * loop; /sleep-async doesn't.
 */
@Controller
@Produces(MediaType.TEXT_PLAIN)
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();
    private final EventLoopGroup loops;

    HelloEndpoint(Greeter greeter, EventLoopGroup loops) {
        this.greeter = greeter;
        this.loops = loops;
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

    /** A timer of a loop, as on other event loops; a delayed executor of the JDK would wake a thread of its own. */
    @Get("/sleep-async")
    public CompletableFuture<String> sleepAsync() {
        CompletableFuture<String> slept = new CompletableFuture<>();
        loops.schedule(() -> slept.complete("Slept"), SLEEP_MS, TimeUnit.MILLISECONDS);
        return slept;
    }
}
