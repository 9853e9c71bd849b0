package org.plumbline.app;

import io.helidon.Main;

/** The entry point: Helidon finds the rest. */
public final class Application {
    private Application() {}

    /** The key of the server has a profile of its own, since Helidon reads what a file of settings names, needed or not. */
    public static void main(String[] args) {
        if ("on".equals(System.getenv("HTTP_TLS"))) {
            System.setProperty("mp.config.profile", "tls");
        }
        Main.main(args);
    }
}
