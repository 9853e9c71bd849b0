package org.plumbline.app.plumbing;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.plumbline.domain.Settings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The settings, and the Vert.x that the database client runs on: loops of its own beside those of Reactor Netty. */
@Configuration(proxyBeanMethods = false)
public class Clients {

    @Bean
    Settings settings() {
        return Settings.from(System.getenv());
    }

    /** One loop a processor, and epoll as Reactor Netty has it. */
    @Bean(destroyMethod = "")
    Vertx vertx() {
        return Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors())
                .setPreferNativeTransport(true));
    }
}
