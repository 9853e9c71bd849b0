package org.plumbline.app.hello;

import jakarta.inject.Singleton;
import org.plumbline.domain.Texts;

@Singleton
public class Greeter {
    public String greet(String name) {
        return "Hello, " + Texts.requireName(name) + "!";
    }
}
