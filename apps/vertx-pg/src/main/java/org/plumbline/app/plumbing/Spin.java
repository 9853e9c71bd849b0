package org.plumbline.app.plumbing;

import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;

/**
 * A slowdown of a known size: {@code SPIN_US} microseconds of CPU time burnt in every request of a workload. It is there
 * to prove that a slowdown is found, and is 0 in everything that is compared.
 */
public final class Spin {
    private static final String VARIABLE = "SPIN_US";

    private final int us;

    private Spin(int us) {
        this.us = us;
    }

    /** Reads the variable; an {@link IllegalArgumentException} says what is wrong with it. */
    public static Spin from(Map<String, String> env) {
        String value = env.getOrDefault(VARIABLE, "0");
        if (!value.matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException(VARIABLE + " must be a whole number of microseconds, not " + value + ".");
        }
        return new Spin(Integer.parseInt(value));
    }

    /** As {@code GET /environment} shows it. */
    public String word() {
        return Integer.toString(us);
    }

    /** In front of the routes that are mounted after it; nothing at all where nothing is burnt. */
    public void mount(Router router) {
        if (us > 0) {
            router.route().handler(this::burn);
        }
    }

    /** By the thread's own CPU clock: a loop by the wall clock would burn less on a CPU that others take away. */
    private void burn(RoutingContext context) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + us * 1_000L;
        while (threads.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
        context.next();
    }
}
