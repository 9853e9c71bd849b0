package org.plumbline.app.hello;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.http.MediaType;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;

/** The workload hello; /split and /sleep block the event loop as nobody should, /sleep-async does not. */
@RestController
@RequestMapping(produces = MediaType.TEXT_PLAIN_VALUE)
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();
    private final Scheduler loops;

    HelloEndpoint(Greeter greeter, ReactorResourceFactory resources) {
        this.greeter = greeter;
        this.loops = Schedulers.fromExecutorService(
                resources.getLoopResources().onServer(LoopResources.DEFAULT_NATIVE));
    }

    @GetMapping("/hello/{name}")
    public Mono<String> hello(@PathVariable String name) {
        return Mono.fromSupplier(() -> greeter.greet(name));
    }

    @GetMapping("/split/{name}")
    public Mono<String> split(@PathVariable String name) {
        return Mono.fromCallable(() -> {
            if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
                Thread.sleep(SLEEP_MS);
            }
            return greeter.greet(name);
        });
    }

    @GetMapping("/sleep")
    public Mono<String> sleep() {
        return Mono.fromCallable(() -> {
            Thread.sleep(SLEEP_MS);
            return "Slept";
        });
    }

    /** A timer of the loops that serve; by itself Reactor would wake a thread beside them. */
    @GetMapping("/sleep-async")
    public Mono<String> sleepAsync() {
        return Mono.delay(Duration.ofMillis(SLEEP_MS), loops).thenReturn("Slept");
    }
}
