package org.plumbline.app.hello;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The workload hello; /split and /sleep block the event loop as nobody should, /sleep-async does not. */
@Controller
@Produces(MediaType.TEXT_PLAIN)
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();
    private final Scheduler loops;

    HelloEndpoint(Greeter greeter, EventLoopGroup loops) {
        this.greeter = greeter;
        this.loops = Schedulers.fromExecutorService(loops);
    }

    @Get("/hello/{name}")
    public Mono<String> hello(String name) {
        return Mono.fromSupplier(() -> greeter.greet(name));
    }

    @Get("/split/{name}")
    public Mono<String> split(String name) {
        return Mono.fromCallable(() -> {
            if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
                Thread.sleep(SLEEP_MS);
            }
            return greeter.greet(name);
        });
    }

    @Get("/sleep")
    public Mono<String> sleep() {
        return Mono.fromCallable(() -> {
            Thread.sleep(SLEEP_MS);
            return "Slept";
        });
    }

    /** A timer of the loops that serve; by itself Reactor would wake a thread beside them. */
    @Get("/sleep-async")
    public Mono<String> sleepAsync() {
        return Mono.delay(Duration.ofMillis(SLEEP_MS), loops).thenReturn("Slept");
    }
}
