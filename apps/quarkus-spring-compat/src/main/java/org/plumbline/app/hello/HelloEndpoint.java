package org.plumbline.app.hello;

import java.util.concurrent.atomic.AtomicLong;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The workload hello; its sleeps hold the worker, as those of any imperative application do. */
@RestController
public class HelloEndpoint {
    private static final int SLEEP_MS = 2;
    private static final int SLEEP_EVERY = 5;

    private final Greeter greeter;
    private final AtomicLong splits = new AtomicLong();

    HelloEndpoint(Greeter greeter) {
        this.greeter = greeter;
    }

    @GetMapping(path = "/hello/{name}", produces = MediaType.TEXT_PLAIN_VALUE)
    public String hello(@PathVariable("name") String name) {
        return greeter.greet(name);
    }

    @GetMapping(path = "/split/{name}", produces = MediaType.TEXT_PLAIN_VALUE)
    public String split(@PathVariable("name") String name) throws InterruptedException {
        if (splits.incrementAndGet() % SLEEP_EVERY == 0) {
            Thread.sleep(SLEEP_MS);
        }
        return greeter.greet(name);
    }

    @GetMapping(path = "/sleep", produces = MediaType.TEXT_PLAIN_VALUE)
    public String sleep() throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        return "Slept";
    }
}
