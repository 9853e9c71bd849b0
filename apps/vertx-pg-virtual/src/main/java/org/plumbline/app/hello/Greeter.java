package org.plumbline.app.hello;

import java.util.concurrent.atomic.AtomicLong;
import org.plumbline.domain.Texts;

/** The service bean of the workload hello; one for the process. */
public final class Greeter {
    private static final int SPLIT_EVERY = 5;

    private final AtomicLong splits = new AtomicLong();

    public String greet(String name) {
        return "Hello, " + Texts.requireName(name) + "!";
    }

    /** Whether this request of {@code /split} is one that sleeps. */
    boolean isSplitDue() {
        return splits.incrementAndGet() % SPLIT_EVERY == 0;
    }
}
