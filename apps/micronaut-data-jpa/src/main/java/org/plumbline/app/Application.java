package org.plumbline.app;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.runtime.Micronaut;
import jakarta.persistence.Entity;

/** The entry point; what it is set to stands in application.properties. Micronaut Data finds entities by their introspections. */
@Introspected(packages = "org.plumbline.domain.jpa", includedAnnotations = Entity.class)
public final class Application {
    private Application() {}

    public static void main(String[] args) {
        Micronaut.build(args).banner(false).mainClass(Application.class).start();
    }
}
