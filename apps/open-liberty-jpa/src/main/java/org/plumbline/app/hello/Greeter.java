package org.plumbline.app.hello;

import jakarta.enterprise.context.ApplicationScoped;
import org.plumbline.domain.Texts;

@ApplicationScoped
public class Greeter {
    public String greet(String name) {
        return "Hello, " + Texts.requireName(name) + "!";
    }
}
