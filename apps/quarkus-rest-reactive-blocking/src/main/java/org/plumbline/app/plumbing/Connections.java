package org.plumbline.app.plumbing;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;

/** Makes the pool within the limits of the contract. */
@Singleton
public class Connections implements PgPoolCreator {
    private final PoolLimits limits;

    Connections(PoolLimits limits) {
        this.limits = limits;
    }

    @Override
    public Pool create(Input input) {
        PgConnectOptions server = input.pgConnectOptionsList().getFirst();
        limits.put(input.poolOptions(), server, server.getPipeliningLimit());
        return PgBuilder.pool()
                .with(input.poolOptions())
                .connectingTo(server)
                .using(input.vertx())
                .build();
    }
}
