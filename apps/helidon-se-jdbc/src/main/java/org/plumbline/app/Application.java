package org.plumbline.app;

import io.helidon.http.media.MediaContext;
import io.helidon.http.media.jackson.JacksonSupport;
import io.helidon.logging.common.LogConfig;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import java.sql.SQLException;
import org.plumbline.app.fruits.FruitEndpoint;
import org.plumbline.app.hello.Greeter;
import org.plumbline.app.hello.HelloEndpoint;
import org.plumbline.app.plumbing.EnvironmentEndpoint;
import org.plumbline.app.plumbing.HealthEndpoint;
import org.plumbline.app.plumbing.Json;
import org.plumbline.app.plumbing.Problems;
import org.plumbline.app.plumbing.Transport;
import org.plumbline.domain.Settings;
import org.plumbline.domain.jdbc.FruitRepository;
import org.plumbline.domain.jdbc.FruitService;
import org.plumbline.domain.jdbc.Pool;

/** The entry point: the pool is filled before the port opens. */
public final class Application {
    private Application() {}

    public static void main(String[] args) throws SQLException {
        LogConfig.configureRuntime();
        Settings settings = Settings.from(System.getenv());
        Pool pool = new Pool(settings.database());
        pool.fill();
        Json json = new Json();
        WebServerConfig.Builder server = WebServer.builder()
                .mediaContext(MediaContext.builder()
                        .addMediaSupport(JacksonSupport.create(json.mapper()))
                        .build())
                .routing(routing -> mount(routing, settings, pool, json));
        new Transport(settings).configure(server);
        server.build().start();
    }

    private static void mount(HttpRouting.Builder routing, Settings settings, Pool pool, Json json) {
        Problems.mount(routing);
        routing.register(new HealthEndpoint(pool))
                .register(new EnvironmentEndpoint(settings, pool))
                .register(new HelloEndpoint(new Greeter()))
                .register(new FruitEndpoint(new FruitService(pool, new FruitRepository()), json));
    }
}
