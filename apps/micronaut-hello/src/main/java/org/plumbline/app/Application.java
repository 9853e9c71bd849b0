package org.plumbline.app;

import io.micronaut.runtime.Micronaut;

/** The entry point. */
public final class Application {
    private Application() {}

    public static void main(String[] args) {
        if (!"tuned".equals(System.getenv("MICRONAUT_ENVIRONMENTS"))) {
            leaveEpollAlone();
        }
        Micronaut.build(args).banner(false).mainClass(Application.class).start();
    }

    /** Micronaut asks for epoll even where it takes Java's transport, and Netty loads the library to answer. */
    private static void leaveEpollAlone() {
        System.setProperty("io.netty.transport.noNative", "true");
    }
}
