package org.plumbline.app.plumbing;

import io.quarkus.reactive.mysql.client.MySQLPoolCreator;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;

/** Makes the pool within the limits of the contract. */
@Singleton
public class Connections implements MySQLPoolCreator {
    private final PoolLimits limits;

    Connections(PoolLimits limits) {
        this.limits = limits;
    }

    @Override
    public Pool create(Input input) {
        MySQLConnectOptions server = input.mySQLConnectOptionsList().getFirst();
        limits.put(input.poolOptions(), server, server.getPipeliningLimit());
        return MySQLBuilder.pool()
                .with(input.poolOptions())
                .connectingTo(server)
                .using(input.vertx())
                .build();
    }
}
