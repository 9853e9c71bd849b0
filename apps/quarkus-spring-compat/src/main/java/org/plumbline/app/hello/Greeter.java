package org.plumbline.app.hello;

import org.plumbline.domain.Texts;
import org.springframework.stereotype.Service;

@Service
public class Greeter {
    public String greet(String name) {
        return "Hello, " + Texts.requireName(name) + "!";
    }
}
