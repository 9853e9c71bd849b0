package org.plumbline.app;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import org.plumbline.domain.Settings;
import org.plumbline.domain.companies.Console;

/** The companies of study 001 by the Vert.x PG client, without a server. */
public final class Application {
    private Application() {}

    public static void main(String[] args) throws IOException {
        Settings settings = Settings.from(System.getenv());
        int loops = Runtime.getRuntime().availableProcessors();
        Vertx vertx = Vertx.vertx(
                new VertxOptions().setEventLoopPoolSize(loops).setPreferNativeTransport(true));
        if (!vertx.isNativeTransportEnabled()) {
            System.err.println("No native transport: " + vertx.unavailableNativeTransportCause());
        }
        try {
            Pool pool = new Pool(vertx, settings, loops);
            pool.fill().await();
            Program program = new Program(pool, Loop.contexts(vertx, loops).await());
            Console.serve(args, () -> pool.environment().await(), batch -> program.run(batch).await());
        } finally {
            // Else its threads would keep the process alive.
            vertx.close().await();
        }
    }
}
