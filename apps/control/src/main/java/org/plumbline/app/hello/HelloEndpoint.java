package org.plumbline.app.hello;

import org.plumbline.app.plumbing.Answer;
import org.plumbline.app.plumbing.Problems;

/** Routes of the workload hello. */
public final class HelloEndpoint {
    private static final long SLEEP_MS = 2;

    private final Greeter greeter;

    public HelloEndpoint(Greeter greeter) {
        this.greeter = greeter;
    }

    public Answer hello(String name) {
        return name.isBlank() ? Problems.badRequest("The name must not be blank.") : Answer.text(greeter.greet(name));
    }

    public Answer split(String name) throws InterruptedException {
        if (greeter.isSplitDue()) {
            Thread.sleep(SLEEP_MS);
        }
        return hello(name);
    }

    public Answer sleep() throws InterruptedException {
        Thread.sleep(SLEEP_MS);
        return Answer.text("Slept");
    }
}
