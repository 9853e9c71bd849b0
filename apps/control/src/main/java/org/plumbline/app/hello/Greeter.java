package org.plumbline.app.hello;

import java.util.concurrent.atomic.AtomicLong;

/** The service bean of the workload hello. */
public final class Greeter {
    private static final int SPLIT_EVERY = 5;

    private final AtomicLong splits = new AtomicLong();

    String greet(String name) {
        return "Hello, " + name + "!";
    }

    /** Whether this request of {@code /split} is one that sleeps. */
    boolean isSplitDue() {
        return splits.incrementAndGet() % SPLIT_EVERY == 0;
    }
}
