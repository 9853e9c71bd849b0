package org.plumbline.app;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import java.sql.SQLException;
import org.plumbline.app.fruits.FruitEndpoint;
import org.plumbline.app.hello.Greeter;
import org.plumbline.app.hello.HelloEndpoint;
import org.plumbline.app.plumbing.Connectors;
import org.plumbline.app.plumbing.EnvironmentEndpoint;
import org.plumbline.app.plumbing.HealthEndpoint;
import org.plumbline.app.plumbing.Json;
import org.plumbline.app.plumbing.Problems;
import org.plumbline.domain.Settings;
import org.plumbline.domain.jdbc.FruitRepository;
import org.plumbline.domain.jdbc.FruitService;
import org.plumbline.domain.jdbc.Pool;

/** The entry point: the pool is filled before the port opens. */
public final class Application {
    /** Contract: a body of 10 MB is refused. */
    private static final long BODY_LIMIT_BYTES = 64 * 1024;

    private Application() {}

    public static void main(String[] args) throws SQLException {
        Settings settings = Settings.from(System.getenv());
        Pool pool = new Pool(settings.database());
        pool.fill();
        Javalin.start(config -> configure(config, settings, pool));
    }

    private static void configure(JavalinConfig config, Settings settings, Pool pool) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.concurrency.useVirtualThreads = "virtual".equals(System.getenv("THREADS"));
        config.http.maxRequestSize = BODY_LIMIT_BYTES;
        // Contract: no compression.
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.jetty.addConnector(new Connectors(settings)::connector);
        config.jsonMapper(Json.mapper());
        Problems.mount(config.routes);
        new HealthEndpoint(pool).mount(config.routes);
        new EnvironmentEndpoint(settings, pool).mount(config.routes);
        new HelloEndpoint(new Greeter()).mount(config.routes);
        new FruitEndpoint(new FruitService(pool, new FruitRepository())).mount(config.routes);
    }
}
