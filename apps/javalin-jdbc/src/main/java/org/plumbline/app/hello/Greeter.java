package org.plumbline.app.hello;

import org.plumbline.domain.Texts;

/** The service bean of the workload hello. */
public final class Greeter {
    public String greet(String name) {
        return "Hello, " + Texts.requireName(name) + "!";
    }
}
