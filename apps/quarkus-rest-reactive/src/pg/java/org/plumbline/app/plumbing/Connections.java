package org.plumbline.app.plumbing;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import org.plumbline.domain.Settings;

/** Contract: nobody waits longer for a connection, be it out of the pool or a new one; Quarkus has no key for either. */
@Singleton
public class Connections implements PgPoolCreator {

    @Override
    public Pool create(Input input) {
        int timeoutMs = Settings.from(System.getenv()).database().timeoutMs();
        PgConnectOptions server = input.pgConnectOptionsList().getFirst();
        server.setConnectTimeout(timeoutMs);
        return PgBuilder.pool()
                .with(input.poolOptions()
                        .setConnectionTimeout(timeoutMs)
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
                .connectingTo(server)
                .using(input.vertx())
                .build();
    }
}
