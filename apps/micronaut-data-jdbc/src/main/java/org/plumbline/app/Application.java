package org.plumbline.app;

import io.micronaut.runtime.Micronaut;

/** The entry point; what it is set to stands in application.properties. */
public final class Application {
    private Application() {}

    public static void main(String[] args) {
        Micronaut.build(args).banner(false).mainClass(Application.class).start();
    }
}
