package org.plumbline.app;

import io.vertx.core.Future;
import java.io.IOException;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;
import org.plumbline.domain.companies.Console;
import org.plumbline.domain.vertx.EventLoops;
import org.plumbline.domain.vertx.Pool;
import org.plumbline.domain.vertx.VertxChoices;

/** The companies of study 001 by the Vert.x PG client, without a server. */
public final class Application {
    private Application() {}

    public static void main(String[] args) throws IOException {
        Settings settings = Settings.from(System.getenv());
        EventLoops loops = EventLoops.start(VertxChoices.from(System.getenv()));
        try {
            Pool pool = new Pool(loops, settings.database());
            pool.fill().await();
            Program program = new Program(pool, loops.contexts().getFirst());
            Console.serve(
                    args,
                    () -> environment(settings, loops, pool).await(),
                    batch -> program.run(batch).await());
        } finally {
            // Else its threads would keep the process alive.
            loops.vertx().close().await();
        }
    }

    private static Future<Environment> environment(Settings settings, EventLoops loops, Pool pool) {
        return pool.single(connection -> connection
                .preparedQuery(Sql.ENVIRONMENT)
                .mapping(Pool::seen)
                .execute()
                .map(rows -> loops.in(Environment.of(
                        new Component("java", Runtime.version().toString()),
                        new Component("vertx-pg-client", Pool.versionOf("vertx-pg-client")),
                        ServingThread.current(),
                        pool.now(),
                        settings,
                        rows.iterator().next()))));
    }
}
