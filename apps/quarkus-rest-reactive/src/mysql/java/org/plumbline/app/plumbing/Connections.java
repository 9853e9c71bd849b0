package org.plumbline.app.plumbing;

import io.quarkus.reactive.mysql.client.MySQLPoolCreator;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.mysqlclient.MySQLException;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import org.plumbline.domain.Settings;

/** Contract: nobody waits longer for a connection, be it out of the pool or a new one; Quarkus has no key for either. */
@Singleton
public class Connections implements MySQLPoolCreator {
    static final String CLIENT = "vertx-mysql-client";

    /** A class of its jar. */
    static final Class<?> OF_CLIENT = MySQLConnection.class;

    /** ER_SERVER_SHUTDOWN. */
    private static final int SHUTDOWN = 1053;

    /** The server shuts down. */
    static boolean endsBy(Throwable failure) {
        return failure instanceof MySQLException said && said.getErrorCode() == SHUTDOWN;
    }

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
