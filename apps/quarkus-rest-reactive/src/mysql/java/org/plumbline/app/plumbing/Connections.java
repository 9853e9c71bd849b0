package org.plumbline.app.plumbing;

import io.quarkus.reactive.mysql.client.MySQLPoolCreator;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import org.plumbline.domain.Settings;

/** Contract: nobody waits longer for a connection, be it out of the pool or a new one; Quarkus has no key for either. */
@Singleton
public class Connections implements MySQLPoolCreator {

    @Override
    public Pool create(Input input) {
        int timeoutMs = Settings.from(System.getenv()).database().timeoutMs();
        MySQLConnectOptions server = input.mySQLConnectOptionsList().getFirst();
        server.setConnectTimeout(timeoutMs);
        return MySQLBuilder.pool()
                .with(input.poolOptions()
                        .setConnectionTimeout(timeoutMs)
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
                .connectingTo(server)
                .using(input.vertx())
                .build();
    }
}
