package org.plumbline.app.plumbing;

import org.plumbline.domain.Settings;
import org.plumbline.domain.vertx.EventLoops;
import org.plumbline.domain.vertx.VertxChoices;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The settings, and the Vert.x that the database client runs on: loops of its own beside those of Reactor Netty. */
@Configuration(proxyBeanMethods = false)
public class Clients {

    @Bean
    Settings settings() {
        return Settings.from(System.getenv());
    }

    /** As application.properties say, and application-tuned.properties where Spring reads it. */
    @Bean
    EventLoops loops(Environment values) {
        return EventLoops.start(VertxChoices.of(values::getProperty));
    }
}
